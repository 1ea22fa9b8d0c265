import { cpus } from "node:os";
import { getHeapStatistics } from "node:v8";

import type { Platform } from "../../base/index.ts";
import type { ValueMetric } from "./metric.ts";

/** Load is measured over so long at least. */
const LOAD_WINDOW_MS = 1_000;

/**
 * What this process uses, under the names that Flink has for its JVM: heap is JavaScript's, what lies outside is `NonHeap`.
 */
export class ProcessMetrics {
  readonly #platform: Platform;
  #before: { readonly atMs: number; readonly cpuMs: number };
  #load = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#before = { atMs: platform.monotonicMs(), cpuMs: cpuMs() };
  }

  read(): readonly ValueMetric[] {
    const { heapUsed, heapTotal, external, rss } = process.memoryUsage();
    const heapMax = getHeapStatistics().heap_size_limit;
    return [
      { name: "Status.JVM.CPU.Load", value: this.#cpuLoad() },
      { name: "Status.JVM.CPU.Time", value: Math.round(cpuMs() * 1_000_000) },
      { name: "Status.JVM.Memory.Heap.Used", value: heapUsed },
      { name: "Status.JVM.Memory.Heap.Committed", value: heapTotal },
      { name: "Status.JVM.Memory.Heap.Max", value: heapMax },
      { name: "Status.JVM.Memory.NonHeap.Used", value: external },
      { name: "Status.JVM.Memory.NonHeap.Committed", value: Math.max(0, rss - heapTotal) },
      { name: "Status.JVM.Memory.NonHeap.Max", value: -1 },
    ];
  }

  #cpuLoad(): number {
    const atMs = this.#platform.monotonicMs();
    const used = cpuMs();
    const elapsedMs = atMs - this.#before.atMs;
    if (elapsedMs < LOAD_WINDOW_MS) return this.#load;
    this.#load = (used - this.#before.cpuMs) / elapsedMs / Math.max(1, cpus().length);
    this.#before = { atMs, cpuMs: used };
    return this.#load;
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
