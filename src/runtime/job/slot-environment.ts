import { type Logger, type Platform, silentLogger } from "../../base/index.ts";
import {
  type CheckpointStorage,
  FileCheckpointStorage,
  MemoryCheckpointStorage,
} from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import { heapKeyedStateBackend, portableKeyedStateBackend } from "../../state/index.ts";
import type { TaskExecutorParameters } from "../slot/task-executor.ts";
import type { TaskEnvironment } from "../task/task-builder.ts";
import type { JobOptions } from "./job-options.ts";

export interface SlotEnvironmentParameters {
  readonly graph: JobGraph;
  readonly options: JobOptions;
  readonly platform: Platform;
  readonly log: Logger | undefined;
  /** Instead of the storage that the options name. */
  readonly storage: CheckpointStorage | undefined;
  readonly createBarrierHandler: TaskEnvironment["createBarrierHandler"];
}

/** What the tasks of one slot work with: their own storage, on their own platform. */
export function slotEnvironment(
  parameters: SlotEnvironmentParameters,
): TaskExecutorParameters["environment"] {
  const { graph, options, platform, log = silentLogger, storage } = parameters;
  const isPortable = options.runtime.portable;
  return {
    graph,
    platform,
    log,
    storage: storage ?? checkpointStorage(graph, options, platform),
    keyedBackend: isPortable
      ? portableKeyedStateBackend(heapKeyedStateBackend)
      : heapKeyedStateBackend,
    isPortable,
    isolation: options.runtime.operatorIsolation,
    autoWatermarkIntervalMs: options.runtime.autoWatermarkIntervalMs,
    allowsUnalignedSplits: options.runtime.allowsUnalignedSplits,
    barriers: options.checkpointing,
    createBarrierHandler: parameters.createBarrierHandler,
    isCheckpointed: options.checkpointing.intervalMs !== undefined,
  };
}

/** The storage that the options name. */
export function checkpointStorage(
  graph: JobGraph,
  options: JobOptions,
  platform: Platform,
): CheckpointStorage {
  const { directory, storage, savepointDirectory, createSubdirectory, dataInlineThresholdBytes } =
    options.checkpointing;
  if (directory === undefined || storage === "jobmanager")
    return new MemoryCheckpointStorage(platform);
  return new FileCheckpointStorage(platform, {
    directory,
    savepointDirectory,
    jobId: graph.jobId,
    createSubdirectory,
    inlineThresholdBytes: dataInlineThresholdBytes,
  });
}
