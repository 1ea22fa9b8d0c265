import { cpus, freemem, totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

import type { SlotWorker, ThreadUsage } from "../../runtime/index.ts";
import { MAIN_WORKER_ID, type ServedJob, type ServedTask } from "../served-job.ts";

/** Where tasks run. */
export const ENDPOINT = "localhost";

/** A thread that runs tasks: what Flink calls a TaskManager. */
export interface ServedWorker {
  readonly id: string;
  /** What it runs; a thread of a job's own runs that one alone. */
  readonly jobs: readonly ServedJob[];
  /** Undefined for the thread of this server. */
  readonly thread: SlotWorker | undefined;
}

/** The threads of the jobs that run, and that of this server if any job runs there or none at all. */
export function workersOf(jobs: readonly ServedJob[]): readonly ServedWorker[] {
  const running = jobs.filter(({ isOver }) => !isOver);
  const here = running.filter((job) => job.threads.length === 0);
  const main: ServedWorker = { id: MAIN_WORKER_ID, jobs: here, thread: undefined };
  return [
    ...(here.length > 0 || running.length === 0 ? [main] : []),
    ...running.flatMap((job) =>
      job.threads.map((thread): ServedWorker => ({
        id: job.threadId(thread.slotIndex),
        jobs: [job],
        thread,
      })),
    ),
  ];
}

/** The tasks of a job that a worker runs, in the order of the graph. */
export function tasksOn({ id }: ServedWorker, job: ServedJob): readonly ServedTask[] {
  return job.graph.vertices.flatMap((vertex) =>
    job.tasksOf(vertex.id).filter(({ timeline }) => job.workerIdOf(timeline.task) === id),
  );
}

/** Slots in Flink's sense: each job takes as many as its widest vertex, in each of its slot sharing groups. */
export function slotCount(jobs: readonly ServedJob[]): number {
  return workersOf(jobs).reduce((sum, worker) => sum + slotsOn(worker), 0);
}

function slotsOn(worker: ServedWorker): number {
  return worker.jobs.reduce((sum, job) => sum + slotsOfJob(worker, job), 0);
}

function slotsOfJob({ id }: ServedWorker, job: ServedJob): number {
  const widest = new Map<string, number>();
  for (const { id: vertexId, slotSharingGroup, parallelism } of job.graph.vertices) {
    const subtasks = Array.from({ length: parallelism }, (_, subtaskIndex) =>
      job.workerIdOf({ vertexId, subtaskIndex }),
    ).filter((workerId) => workerId === id);
    widest.set(slotSharingGroup, Math.max(subtasks.length, widest.get(slotSharingGroup) ?? 0));
  }
  return [...widest.values()].reduce((sum, count) => sum + count, 0);
}

const NO_RESOURCE: object = {
  cpuCores: 0,
  taskHeapMemory: 0,
  taskOffHeapMemory: 0,
  managedMemory: 0,
  networkMemory: 0,
  extendedResources: {},
};

const UNKNOWN: Omit<ThreadUsage, "cpuMs"> = {
  heapUsedBytes: 0,
  heapCommittedBytes: 0,
  heapLimitBytes: 0,
  externalBytes: 0,
};

/** What a worker's thread uses: its own heap, and the buffers beside it. */
function memoryOf({ thread }: ServedWorker): Omit<ThreadUsage, "cpuMs"> {
  if (thread !== undefined) return thread.usage ?? UNKNOWN;
  const heap = getHeapStatistics();
  return {
    heapUsedBytes: heap.used_heap_size,
    heapCommittedBytes: heap.total_heap_size,
    heapLimitBytes: heap.heap_size_limit,
    externalBytes: heap.external_memory,
  };
}

/** A line of `/taskmanagers`. */
export function workerLine(worker: ServedWorker, nowMs: number): object {
  const slots = slotsOn(worker);
  const { heapCommittedBytes, externalBytes } = memoryOf(worker);
  const total = heapCommittedBytes + externalBytes;
  return {
    id: worker.id,
    path: `${ENDPOINT}/${worker.id}`,
    dataPort: -1,
    jmxPort: -1,
    timeSinceLastHeartbeat: nowMs,
    slotsNumber: slots,
    freeSlots: 0,
    assignedTasks: worker.jobs.reduce((sum, job) => sum + tasksOn(worker, job).length, 0),
    totalResource: resource(slots, heapCommittedBytes),
    freeResource: NO_RESOURCE,
    hardware: {
      cpuCores: cpus().length,
      physicalMemory: totalmem(),
      freeMemory: freemem(),
      managedMemory: 0,
    },
    memoryConfiguration: {
      frameworkHeap: 0,
      taskHeap: heapCommittedBytes,
      frameworkOffHeap: 0,
      taskOffHeap: externalBytes,
      networkMemory: 0,
      managedMemory: 0,
      jvmMetaspace: 0,
      jvmOverhead: 0,
      totalFlinkMemory: total,
      totalProcessMemory: total,
    },
  };
}

/** `/taskmanagers/:taskmanagerid`. */
export function workerDetails(worker: ServedWorker, nowMs: number): object {
  const { heapUsedBytes, heapCommittedBytes, heapLimitBytes, externalBytes } = memoryOf(worker);
  return {
    ...workerLine(worker, nowMs),
    allocatedSlots: worker.jobs.flatMap((job) => {
      const slots = slotsOfJob(worker, job);
      const assignedTasks = Math.ceil(tasksOn(worker, job).length / Math.max(1, slots));
      const slot = { jobId: job.jobId, resource: resource(1, heapCommittedBytes), assignedTasks };
      return Array.from({ length: slots }, () => slot);
    }),
    metrics: {
      heapUsed: heapUsedBytes,
      heapCommitted: heapCommittedBytes,
      heapMax: heapLimitBytes,
      nonHeapUsed: externalBytes,
      nonHeapCommitted: externalBytes,
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

function resource(slots: number, heapBytes: number): object {
  return {
    ...NO_RESOURCE,
    cpuCores: slots === 0 ? 0 : 1,
    taskHeapMemory: slots === 0 ? 0 : Math.round(heapBytes / (1 << 20)),
  };
}
