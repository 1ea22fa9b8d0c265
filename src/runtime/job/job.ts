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
  checkSnapshotFiles,
  readSnapshot,
  restoredCheckpoint,
  type Snapshot,
  type SnapshotFileProblem,
  type TriggerResult,
} from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import { FAIR_PACING, type SlotPacing } from "../slot/slot.ts";
import { LocalConnections, type SlotConnection } from "../slot/slot-connection.ts";
import type { MasterMessage } from "../slot/task-messages.ts";
import { type TaskOrigin, uncaughtError, type UncaughtKind } from "../slot/task-origin.ts";
import type { TaskEnvironment } from "../task/task-builder.ts";
import { JobMaster, type JobResult } from "./job-master.ts";
import { type JobOptions, jobOptions } from "./job-options.ts";
import type { JobMasterParameters } from "./job-parameters.ts";
import type { JobStatus } from "./job-status.ts";
import type { Schedule } from "./message-queue.ts";
import { planRestore, withRestoredMaxParallelism } from "./restore-plan.ts";
import { type CreateSlot, SlotGroup } from "./slot-group.ts";
import { checkpointStorage, slotEnvironment } from "./slot-environment.ts";
import { LocalSlot, type Slots } from "./slots.ts";

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
  /** Knows whose an error is that nobody caught, in slots on this thread. */
  readonly origin?: TaskOrigin | undefined;
  /** Told of each slot that was made on this thread for the job. */
  readonly onSlot?: ((slot: LocalSlot) => void) | undefined;
}

/** Where a savepoint goes, and in which form. */
export interface SavepointOptions {
  /** Directory in which it gets one of its own; left out: the configured one. */
  readonly targetDirectory?: string | undefined;
  readonly format?: "CANONICAL" | "NATIVE" | undefined;
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
  /** An error came to nobody that cannot be laid to a task: the restart strategy decides. */
  failUncaught(kind: UncaughtKind, error: unknown): void;
  /** Takes a last checkpoint, for at most so long, and ends; running the job again goes on from there. */
  suspend(deadlineMs: number): Promise<void>;
  /** Takes a savepoint; the job goes on. @returns Where it lies. @throws StreamError SNAPSHOT_FAILED, JOB_NOT_RUNNING. */
  triggerSavepoint(options?: SavepointOptions): Promise<string>;
  /** Takes a savepoint and cancels the job, if it could be taken. @throws StreamError SNAPSHOT_FAILED, JOB_NOT_RUNNING. */
  cancelWithSavepoint(options?: SavepointOptions): Promise<string>;
  /**
   * Takes a last checkpoint, without in-flight data, and ends the job so that it can go on from it in another form.
   *
   * @throws StreamError SNAPSHOT_FAILED, JOB_NOT_RUNNING. The job then goes on.
   */
  suspendWithCheckpoint(): Promise<void>;
  /** @returns Where the savepoint lies. @throws StreamError SNAPSHOT_FAILED. */
  stopWithSavepoint(
    options: SavepointOptions & { readonly drain?: boolean | undefined },
  ): Promise<string>;
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
      environment: () =>
        slotEnvironment({
          graph,
          options,
          platform: surroundings.slotPlatform?.() ?? platform,
          log: surroundings.log,
          storage: surroundings.storage,
          createBarrierHandler: surroundings.createBarrierHandler,
        }),
      pacing: surroundings.pacing ?? FAIR_PACING,
      connection,
      origin: surroundings.origin,
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

  failUncaught(kind: UncaughtKind, error: unknown): void {
    const place = { where: undefined, job: this.graph.name };
    this.master.fail(uncaughtError(kind, place, error));
  }

  async suspend(deadlineMs: number): Promise<void> {
    if (this.status === "RUNNING") {
      let cancelDeadline: () => void = () => undefined;
      const deadline = new Promise<void>((resolve) => {
        cancelDeadline = this.#platform.after(deadlineMs, resolve);
      });
      const last = this.master.isStopping
        ? this.result.catch(() => undefined)
        : this.master.coordinator.triggerCheckpoint();
      await Promise.race([last, deadline]);
      cancelDeadline();
    }
    this.master.suspend();
  }

  async triggerSavepoint(options: SavepointOptions = {}): Promise<string> {
    this.#checkRunning();
    const { coordinator } = this.master;
    const request = { ...savepointRequest(options), postAction: "NONE" } as const;
    return directoryOf("savepoint", await coordinator.triggerSavepoint(request));
  }

  async cancelWithSavepoint(options: SavepointOptions = {}): Promise<string> {
    this.#checkRunning();
    const result = await this.master.cancelWithSavepoint(savepointRequest(options));
    return directoryOf("cancel with savepoint", result);
  }

  async suspendWithCheckpoint(): Promise<void> {
    this.#checkRunning();
    directoryOf("last checkpoint", await this.master.suspendWithCheckpoint());
  }

  async stopWithSavepoint(options: Parameters<Job["stopWithSavepoint"]>[0]): Promise<string> {
    this.#checkRunning();
    const result = await this.master.stopWithSavepoint({
      ...savepointRequest(options),
      drain: options.drain ?? false,
    });
    return directoryOf("stop with savepoint", result);
  }

  /** A job that is stopping counts as over: its sources have ended, and another stop would take it back behind what is being committed. */
  #checkRunning(): void {
    if (this.status === "RUNNING" && !this.master.isStopping) return;
    const status = this.status === "RUNNING" ? "STOPPING" : this.status;
    throw new StreamError("JOB_NOT_RUNNING", { job: this.graph.name, status });
  }
}

function savepointRequest({ targetDirectory, format = "CANONICAL" }: SavepointOptions): {
  readonly targetDirectory: string | undefined;
  readonly format: "CANONICAL" | "NATIVE";
} {
  return { targetDirectory, format };
}

/** @throws StreamError SNAPSHOT_FAILED. */
function directoryOf(what: string, result: TriggerResult): string {
  if (result.kind === "completed") return result.checkpoint.directory;
  throw new StreamError("SNAPSHOT_FAILED", { what, reason: failureText(result.failure) });
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
  const { retention } = options.checkpointing;
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
    const snapshot = await readSnapshot(snapshotPath, platform.files);
    await refuseIncomplete(snapshot, platform.files);
    const restored = [restoredCheckpoint(snapshot, claimMode, retention)];
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
    restored: retained.complete.map((snapshot) => restoredCheckpoint(snapshot, "CLAIM", retention)),
    firstCheckpointId,
  };
}

/**
 * A snapshot that was copied by half is refused before the job starts.
 *
 * @throws StreamError STATE_HANDLE_UNREADABLE naming the first file that is missing or has another size.
 */
async function refuseIncomplete(
  { metadata, directory }: Snapshot,
  files: Platform["files"],
): Promise<void> {
  const [problem] = (await checkSnapshotFiles(metadata, directory, files)).problems;
  if (problem === undefined) return;
  throw new StreamError("STATE_HANDLE_UNREADABLE", {
    path: problem.path,
    checkpointId: metadata.checkpointId,
    problem: problemText(problem),
  });
}

function problemText({ kind, expectedBytes, foundBytes, cause }: SnapshotFileProblem): string {
  switch (kind) {
    case "missing":
      return "there is no such file";
    case "wrong-size":
      return `it has ${foundBytes} bytes, not ${expectedBytes}`;
    case "not-a-file":
      return "it is no file";
    case "unreadable":
      return cause ?? "the file system refuses it";
  }
}
