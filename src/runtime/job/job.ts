import {
  type Configuration,
  type Logger,
  type Platform,
  silentLogger,
  StreamError,
} from "../../base/index.ts";
import {
  type CheckpointObserver,
  CheckpointStatistics,
  type CheckpointStorage,
  type CompletedCheckpoint,
  failureText,
  FileCheckpointStorage,
  HistoryFile,
  MemoryCheckpointStorage,
  readSnapshot,
  restoredCheckpoint,
} from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import { heapKeyedStateBackend } from "../../state/index.ts";
import { FAIR_PACING, type SlotPacing } from "../slot/slot.ts";
import { LocalConnections, type SlotConnection } from "../slot/slot-connection.ts";
import type { MasterMessage } from "../slot/task-messages.ts";
import type { TaskEnvironment } from "../task/task-builder.ts";
import { JobMaster, type JobResult } from "./job-master.ts";
import { type JobOptions, jobOptions } from "./job-options.ts";
import type { JobMasterParameters } from "./job-parameters.ts";
import type { JobStatus } from "./job-status.ts";
import type { Schedule } from "./message-queue.ts";
import { planRestore, withRestoredMaxParallelism } from "./restore-plan.ts";
import { type CreateSlot, SlotGroup } from "./slot-group.ts";
import { LocalSlot, type LocalSlotParameters, type Slots } from "./slots.ts";

/** Where a job runs, and who hears of it. */
export interface JobSurroundings {
  readonly platform: Platform;
  readonly log?: Logger | undefined;
  readonly observers?: readonly CheckpointObserver[] | undefined;
  readonly onStatus?: ((status: JobStatus) => void) | undefined;
  /** See {@link JobMasterParameters.onEnd}. */
  readonly onEnd?: JobMasterParameters["onEnd"];
  /**
   * What a job without a snapshot to start from begins with: its newest retained checkpoint, if it has one, or nothing.
   */
  readonly start?: "newest-retained" | "fresh" | undefined;
  /** Instead of the storage that the options name. */
  readonly storage?: CheckpointStorage | undefined;
  readonly pacing?: SlotPacing | undefined;
  readonly schedule?: Schedule | undefined;
  readonly createBarrierHandler?: TaskEnvironment["createBarrierHandler"];
  /** Makes the platform of a slot, where it is not the JobManager's: one that dies with the slot. */
  readonly slotPlatform?: (() => Platform) | undefined;
  /** How many slots the job runs in; without it one. */
  readonly slotCount?: number | undefined;
  /** Makes each slot, where it is not one on this thread. */
  readonly createSlot?: CreateSlot | undefined;
  /** Told of each slot that was made on this thread for the job. */
  readonly onSlot?: ((slot: LocalSlot) => void) | undefined;
}

/** A job that runs. */
export interface Job {
  readonly status: JobStatus;
  /** Settled when the job has ended: rejected with StreamError JOB_FAILED if it failed for good. */
  readonly result: Promise<JobResult>;
  /** What the job started from. */
  readonly restoredFrom: CompletedCheckpoint | undefined;
  readonly master: JobMaster;
  /** What runs, with the number of key groups of a restored state. */
  readonly graph: JobGraph;
  readonly options: JobOptions;
  /** Checkpoints since the job was started. */
  readonly statistics: CheckpointStatistics;
  cancel(): void;
  /** Takes a last checkpoint, for at most so long, and ends; running the job again goes on from there. */
  suspend(deadlineMs: number): Promise<void>;
  /** @returns Where the savepoint lies. @throws StreamError SNAPSHOT_FAILED. */
  stopWithSavepoint(options: {
    readonly targetDirectory?: string | undefined;
    readonly format?: "CANONICAL" | "NATIVE" | undefined;
    readonly drain?: boolean | undefined;
  }): Promise<string>;
}

/**
 * Starts a job.
 *
 * @throws StreamError OPTION_VALUE_INVALID, OPTIONS_CONTRADICT for bad options; what reading checkpoints throws.
 */
export async function startJob(
  given: JobGraph,
  configuration: Configuration,
  surroundings: JobSurroundings,
): Promise<Job> {
  const options = jobOptions(configuration.with(given.configuration ?? []));
  const { platform } = surroundings;
  const log = surroundings.log ?? silentLogger;
  const storage = surroundings.storage ?? checkpointStorage(given, options, platform);
  const found = await findStart(options, storage, surroundings);
  const newest = found.restored.at(-1);
  const allowNonRestoredState = options.recovery.ignoresUnclaimedState;
  // Refused here and now, not by a job that starts and fails.
  const plan = newest && planRestore(given, newest, { allowNonRestoredState });
  const graph = plan === undefined ? given : withRestoredMaxParallelism(given, plan);
  const statistics = new CheckpointStatistics(options.checkpointing.historyCount);
  const master = new JobMaster({
    graph,
    options,
    platform,
    log,
    storage,
    restored: found.restored,
    firstCheckpointId: found.firstCheckpointId,
    observers: [
      statistics,
      ...(surroundings.observers ?? []),
      ...historyOf(storage, platform, log),
    ],
    onStatus: surroundings.onStatus,
    onEnd: surroundings.onEnd,
    createSlots: (onMessage) => createSlots(graph, options, surroundings, onMessage),
  });
  master.start();
  return new RunningJob({ master, graph, options, statistics, restoredFrom: newest }, platform);
}

function createSlots(
  graph: JobGraph,
  options: JobOptions,
  surroundings: JobSurroundings,
  onMessage: (message: MasterMessage) => void,
): Slots {
  const { platform, slotCount = 1, createSlot } = surroundings;
  const local = (
    connection: SlotConnection | undefined,
    onSlotMessage: typeof onMessage,
  ): Slots => {
    const slot = new LocalSlot({
      platform,
      environment: () => slotEnvironment(graph, options, surroundings),
      pacing: surroundings.pacing ?? FAIR_PACING,
      connection,
      schedule: surroundings.schedule ?? ((callback) => platform.soon(callback)),
      onMessage: onSlotMessage,
    });
    surroundings.onSlot?.(slot);
    return slot;
  };
  if (slotCount === 1 && createSlot === undefined) return local(undefined, onMessage);
  const connections = new LocalConnections();
  return new SlotGroup({
    graph,
    slotCount,
    ringBytes: options.runtime.ringBytes,
    createSlot:
      createSlot ?? ((index, onSlotMessage) => local(connections.of(index), onSlotMessage)),
    onMessage,
  });
}

/** What the tasks of one slot work with: their own storage, on their own platform. */
function slotEnvironment(
  graph: JobGraph,
  options: JobOptions,
  surroundings: JobSurroundings,
): LocalSlotParameters["environment"] extends () => infer E ? E : never {
  const platform = surroundings.slotPlatform?.() ?? surroundings.platform;
  return {
    graph,
    platform,
    log: surroundings.log ?? silentLogger,
    storage: surroundings.storage ?? checkpointStorage(graph, options, platform),
    keyedBackend: heapKeyedStateBackend,
    isolation: options.runtime.operatorIsolation,
    autoWatermarkIntervalMs: options.runtime.autoWatermarkIntervalMs,
    barriers: options.checkpointing,
    createBarrierHandler: surroundings.createBarrierHandler,
    isCheckpointed: options.checkpointing.intervalMs !== undefined,
  };
}

class RunningJob implements Job {
  readonly master: JobMaster;
  readonly graph: JobGraph;
  readonly options: JobOptions;
  readonly statistics: CheckpointStatistics;
  readonly restoredFrom: CompletedCheckpoint | undefined;
  readonly #platform: Platform;

  constructor(
    parts: Pick<Job, "master" | "graph" | "options" | "statistics" | "restoredFrom">,
    platform: Platform,
  ) {
    this.master = parts.master;
    this.graph = parts.graph;
    this.options = parts.options;
    this.statistics = parts.statistics;
    this.restoredFrom = parts.restoredFrom;
    this.#platform = platform;
  }

  get status(): JobStatus {
    return this.master.status;
  }

  get result(): Promise<JobResult> {
    return this.master.result;
  }

  cancel(): void {
    this.master.cancel();
  }

  async suspend(deadlineMs: number): Promise<void> {
    if (this.status === "RUNNING") {
      let cancelDeadline: () => void = () => undefined;
      const deadline = new Promise<void>((resolve) => {
        cancelDeadline = this.#platform.after(deadlineMs, resolve);
      });
      await Promise.race([this.master.coordinator.triggerCheckpoint(), deadline]);
      cancelDeadline();
    }
    this.master.suspend();
  }

  async stopWithSavepoint(options: Parameters<Job["stopWithSavepoint"]>[0]): Promise<string> {
    if (this.status !== "RUNNING") {
      throw new StreamError("JOB_NOT_RUNNING", { job: this.graph.name, status: this.status });
    }
    const result = await this.master.stopWithSavepoint({
      targetDirectory: options.targetDirectory,
      format: options.format ?? "CANONICAL",
      drain: options.drain ?? false,
    });
    if (result.kind === "completed") return result.checkpoint.directory;
    const reason = failureText(result.failure);
    throw new StreamError("SNAPSHOT_FAILED", { what: "stop with savepoint", reason });
  }
}

function checkpointStorage(
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

/** Checkpoints that are kept in files leave their record beside them. */
function historyOf(
  storage: CheckpointStorage,
  platform: Platform,
  log: Logger,
): readonly CheckpointObserver[] {
  if (!(storage instanceof FileCheckpointStorage)) return [];
  return [new HistoryFile(platform.files, log, storage.jobDirectory)];
}

interface Start {
  readonly restored: readonly CompletedCheckpoint[];
  readonly firstCheckpointId: number;
}

/** The snapshot that was asked for, or the newest retained checkpoint, or nothing. */
async function findStart(
  options: JobOptions,
  storage: CheckpointStorage,
  { platform, start }: JobSurroundings,
): Promise<Start> {
  const { snapshotPath, claimMode } = options.recovery;
  await storage.removeLeftovers();
  const retained = await storage.retained();
  const newestComplete = retained.complete.at(-1);
  const newestDamaged = retained.damaged.at(-1);
  const ids = [
    0,
    ...retained.complete.map(({ metadata }) => metadata.checkpointId),
    ...retained.damaged.map(({ checkpointId }) => checkpointId),
  ];
  if (snapshotPath !== undefined) {
    const restored = [
      restoredCheckpoint(await readSnapshot(snapshotPath, platform.files), claimMode),
    ];
    ids.push(...restored.map(({ checkpointId }) => checkpointId));
    return { restored, firstCheckpointId: Math.max(...ids) + 1 };
  }
  const firstCheckpointId = Math.max(...ids) + 1;
  if (start !== "newest-retained") return { restored: [], firstCheckpointId };
  // A damaged checkpoint is never passed over in silence: what it committed would be done again.
  if (
    newestDamaged !== undefined &&
    newestDamaged.checkpointId > (newestComplete?.metadata.checkpointId ?? 0)
  ) {
    throw newestDamaged.error;
  }
  return {
    restored: retained.complete.map((snapshot) => restoredCheckpoint(snapshot, "CLAIM")),
    firstCheckpointId,
  };
}
