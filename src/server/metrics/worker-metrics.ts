import { cpus } from "node:os";

import type { ServedWorker } from "../answers/worker-answers.ts";
import type { ServerContext } from "../server-context.ts";
import type { ValueMetric } from "./metric.ts";

/**
 * What a thread uses, under the names that Flink has for its JVM. That of this server is shown as the whole process; the others have a heap and
 * processor time of their own.
 */
export function workerMetrics(
  { thread }: ServedWorker,
  { processMetrics }: Pick<ServerContext, "processMetrics">,
): readonly ValueMetric[] {
  if (thread === undefined) return processMetrics.read();
  const { usage, cpuLoad } = thread;
  const cpuMs = usage?.cpuMs ?? 0;
  return [
    { name: "Status.JVM.CPU.Load", value: cpuLoad / Math.max(1, cpus().length) },
    { name: "Status.JVM.CPU.Time", value: Math.round(cpuMs * 1_000_000) },
    { name: "Status.JVM.Memory.Heap.Used", value: usage?.heapUsedBytes ?? 0 },
    { name: "Status.JVM.Memory.Heap.Committed", value: usage?.heapCommittedBytes ?? 0 },
    { name: "Status.JVM.Memory.Heap.Max", value: usage?.heapLimitBytes ?? 0 },
    { name: "Status.JVM.Memory.NonHeap.Used", value: usage?.externalBytes ?? 0 },
    { name: "Status.JVM.Memory.NonHeap.Committed", value: usage?.externalBytes ?? 0 },
    { name: "Status.JVM.Memory.NonHeap.Max", value: -1 },
  ];
}
