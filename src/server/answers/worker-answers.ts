import { cpus, freemem, totalmem } from "node:os";

import type { ServedJob } from "../served-job.ts";

/** All tasks run in this process: it is the one TaskManager. */
export const WORKER_ID = "worker-0";

/** Where tasks run. */
export const ENDPOINT = "localhost";

/** Slots in Flink's sense: each job takes as many as its widest vertex, in each of its slot sharing groups. */
export function slotCount(jobs: readonly ServedJob[]): number {
  return jobs.filter(({ isOver }) => !isOver).reduce((sum, job) => sum + slotsOf(job), 0);
}

function slotsOf({ graph }: ServedJob): number {
  const widest = new Map<string, number>();
  for (const { slotSharingGroup, parallelism } of graph.vertices) {
    widest.set(slotSharingGroup, Math.max(parallelism, widest.get(slotSharingGroup) ?? 0));
  }
  return [...widest.values()].reduce((sum, parallelism) => sum + parallelism, 0);
}

const NO_RESOURCE: object = {
  cpuCores: 0,
  taskHeapMemory: 0,
  taskOffHeapMemory: 0,
  managedMemory: 0,
  networkMemory: 0,
  extendedResources: {},
};

/** `/taskmanagers`: one line. */
export function workerLine(jobs: readonly ServedJob[], nowMs: number): object {
  const slots = slotCount(jobs);
  const { heapTotal, rss } = process.memoryUsage();
  return {
    id: WORKER_ID,
    path: `${ENDPOINT}/${WORKER_ID}`,
    dataPort: -1,
    jmxPort: -1,
    timeSinceLastHeartbeat: nowMs,
    slotsNumber: slots,
    freeSlots: 0,
    assignedTasks: runningTasks(jobs),
    totalResource: resource(slots),
    freeResource: NO_RESOURCE,
    hardware: {
      cpuCores: cpus().length,
      physicalMemory: totalmem(),
      freeMemory: freemem(),
      managedMemory: 0,
    },
    memoryConfiguration: {
      frameworkHeap: 0,
      taskHeap: heapTotal,
      frameworkOffHeap: 0,
      taskOffHeap: Math.max(0, rss - heapTotal),
      networkMemory: 0,
      managedMemory: 0,
      jvmMetaspace: 0,
      jvmOverhead: 0,
      totalFlinkMemory: rss,
      totalProcessMemory: rss,
    },
  };
}

/** `/taskmanagers/:taskmanagerid`. */
export function workerDetails(jobs: readonly ServedJob[], nowMs: number): object {
  const { heapUsed, heapTotal, external, rss } = process.memoryUsage();
  const running = jobs.filter(({ isOver }) => !isOver);
  return {
    ...workerLine(jobs, nowMs),
    allocatedSlots: running.flatMap((job) =>
      Array.from({ length: slotsOf(job) }, () => ({
        jobId: job.jobId,
        resource: resource(1),
        assignedTasks: Math.ceil(job.record.timelines.length / Math.max(1, slotsOf(job))),
      })),
    ),
    metrics: {
      heapUsed,
      heapCommitted: heapTotal,
      heapMax: heapTotal,
      nonHeapUsed: external,
      nonHeapCommitted: Math.max(0, rss - heapTotal),
      nonHeapMax: -1,
      directCount: 0,
      directUsed: 0,
      directMax: 0,
      mappedCount: 0,
      mappedUsed: 0,
      mappedMax: 0,
      nettyShuffleMemorySegmentsAvailable: 0,
      nettyShuffleMemorySegmentsUsed: 0,
      nettyShuffleMemorySegmentsTotal: 0,
      nettyShuffleMemoryAvailable: 0,
      nettyShuffleMemoryUsed: 0,
      nettyShuffleMemoryTotal: 0,
      garbageCollectors: [],
    },
  };
}

function resource(slots: number): object {
  const { heapTotal } = process.memoryUsage();
  return {
    ...NO_RESOURCE,
    cpuCores: slots === 0 ? 0 : 1,
    taskHeapMemory: slots === 0 ? 0 : Math.round(heapTotal / (1 << 20)),
  };
}

function runningTasks(jobs: readonly ServedJob[]): number {
  return jobs
    .filter(({ isOver }) => !isOver)
    .reduce((sum, { record }) => sum + record.timelines.length, 0);
}
