import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import {
  type Configuration,
  type ConfigurationEntry,
  type Logger,
  type Platform,
  resolveOptions,
} from "../base/index.ts";
import { type JobGraph, renderPlan } from "../graph/index.ts";
import {
  type JobSurroundings,
  requiredSlots,
  RUNTIME_OPTIONS,
  SlotBoard,
  WorkerSlot,
} from "../runtime/index.ts";
import { decideSlots } from "./run/slot-decision.ts";

/** What a slot's thread is started with: plain values, of which it makes the job again. */
export interface SlotWorkerData {
  readonly slotIndex: number;
  readonly board: SharedArrayBuffer;
  /** Path or URL of the file whose default export the job is. */
  readonly jobModule: string;
  readonly jobArguments: readonly string[];
  /** What the job's function sees. */
  readonly buildEntries: readonly ConfigurationEntry[];
  /** All settings, those that the job's code made included. */
  readonly entries: readonly ConfigurationEntry[];
  /** The job's plan as text, which the thread's own must equal. */
  readonly plan: string;
}

export interface WorkerSlotsParameters {
  readonly graph: JobGraph;
  readonly jobModule: string | undefined;
  readonly jobArguments: readonly string[];
  readonly buildConfiguration: Configuration;
  readonly configuration: Configuration;
  readonly platform: Platform;
  readonly log: Logger;
}

/** Decides in which threads the job's tasks run. @returns What `startJob` is told of it. */
export function slotsOf(
  parameters: WorkerSlotsParameters,
): Pick<JobSurroundings, "slotCount" | "createSlot"> {
  const { graph, jobModule, configuration, log, platform } = parameters;
  const options = resolveOptions(RUNTIME_OPTIONS, configuration).values;
  const decision = decideSlots({
    configured: options.slots,
    required: requiredSlots(graph),
    coreCount: availableParallelism(),
    hasModule: jobModule !== undefined,
  });
  if (decision.kind === "main-thread") {
    if (decision.ignored) {
      const { key } = RUNTIME_OPTIONS.slots;
      log.log(
        "WARN",
        `${key} has no effect: other threads have no file from which to load the job.`,
      );
    }
    return {};
  }
  const board = SlotBoard.allocate(decision.count);
  const data = workerData(parameters, board);
  return {
    slotCount: decision.count,
    createSlot: (slotIndex, onMessage) =>
      new WorkerSlot({
        graph,
        slotIndex,
        board,
        platform,
        log,
        heartbeatIntervalMs: options.heartbeatIntervalMs,
        heartbeatTimeoutMs: options.heartbeatTimeoutMs,
        createWorker: () => createWorker({ ...data, slotIndex }, options.slotHeapBytes),
        onMessage,
      }),
  };
}

function workerData(
  { graph, jobModule = "", jobArguments, buildConfiguration, configuration }: WorkerSlotsParameters,
  board: SlotBoard,
): Omit<SlotWorkerData, "slotIndex"> {
  return {
    board: board.memory,
    jobModule,
    jobArguments,
    buildEntries: buildConfiguration.entries(),
    entries: configuration.entries(),
    plan: renderPlan(graph),
  };
}

function createWorker(data: SlotWorkerData, heapBytes: number | undefined): Worker {
  return new Worker(new URL(`../api/slot-worker${EXTENSION}`, import.meta.url), {
    name: `cutwater slot ${data.slotIndex}`,
    workerData: data,
    ...(heapBytes === undefined
      ? {}
      : { resourceLimits: { maxOldGenerationSizeMb: Math.max(8, heapBytes / (1 << 20)) } }),
  });
}

/** `.js` in the built package. */
const EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf("."));
