import { type OptionTable, OptionTypes } from "../base/index.ts";
import type { CheckpointRetention } from "./metadata/checkpoint-properties.ts";
import type { RestartStrategy } from "./restart-strategy.ts";

/** When and how checkpoints are taken, and where they are kept. */
export interface CheckpointingOptions {
  /** Time from one trigger to the next, in milliseconds; undefined: no checkpoints. */
  readonly intervalMs: number | undefined;
  /** The interval while a source says that it works off a backlog; 0: none then; undefined: as always. */
  readonly intervalDuringBacklogMs: number | undefined;
  readonly mode: "EXACTLY_ONCE" | "AT_LEAST_ONCE";
  /** Time after which a pending checkpoint is aborted as `CHECKPOINT_EXPIRED`, in milliseconds. */
  readonly timeoutMs: number;
  /** Least time from the completion of one checkpoint to the next periodic trigger, in milliseconds. */
  readonly minPauseMs: number;
  readonly maxConcurrentCheckpoints: number;
  /** Counted failures in a row that the job bears; one more fails it. */
  readonly tolerableFailedCheckpointCount: number;
  readonly retention: CheckpointRetention;
  /** How many completed checkpoints are kept. */
  readonly retainedCount: number;
  /** Directory of all checkpoints; undefined: in memory. */
  readonly directory: string | undefined;
  readonly savepointDirectory: string | undefined;
  /** `jobmanager` keeps state in memory; undefined: `filesystem` if a directory is set. */
  readonly storage: "jobmanager" | "filesystem" | undefined;
  /** A level for the job id below the directory. */
  readonly createSubdirectory: boolean;
  /** State up to this size is kept in `_metadata` itself. */
  readonly dataInlineThresholdBytes: number;
  readonly unalignedEnabled: boolean;
  /** Unaligned also where custom partitioners make it risky. */
  readonly unalignedForced: boolean;
  /** With unaligned on: begin aligned and switch after this long since the trigger; 0: unaligned at once. */
  readonly alignedTimeoutMs: number;
  readonly checkpointsAfterTasksFinish: boolean;
  readonly incrementalEnabled: boolean;
  /** How many checkpoints the statistics keep. */
  readonly historyCount: number;
}

const MAX_INT = 2_147_483_647;

export const CHECKPOINTING_OPTIONS: OptionTable<CheckpointingOptions> = {
  intervalMs: {
    key: "execution.checkpointing.interval",
    deprecatedKeys: [],
    type: OptionTypes.optional(OptionTypes.duration({ minMs: 10 })),
    initial: undefined,
    description: "Time from one checkpoint's trigger to the next. Unset: no checkpoints.",
  },
  intervalDuringBacklogMs: {
    key: "execution.checkpointing.interval-during-backlog",
    deprecatedKeys: [],
    type: OptionTypes.optional(OptionTypes.duration()),
    initial: undefined,
    description: "The interval while a source works off a backlog; 0 ms: no checkpoints meanwhile.",
  },
  mode: {
    key: "execution.checkpointing.mode",
    deprecatedKeys: [],
    type: OptionTypes.oneOf(["EXACTLY_ONCE", "AT_LEAST_ONCE"]),
    initial: "EXACTLY_ONCE",
    description: "Whether barriers hold channels back, so that no record is in a snapshot twice.",
  },
  timeoutMs: {
    key: "execution.checkpointing.timeout",
    deprecatedKeys: [],
    type: OptionTypes.duration({ minMs: 10 }),
    initial: 600_000,
    description: "A checkpoint that is not complete after this time is aborted.",
  },
  minPauseMs: {
    key: "execution.checkpointing.min-pause",
    deprecatedKeys: [],
    type: OptionTypes.duration(),
    initial: 0,
    description: "Least time from the completion of a checkpoint to the next periodic trigger.",
  },
  maxConcurrentCheckpoints: {
    key: "execution.checkpointing.max-concurrent-checkpoints",
    deprecatedKeys: [],
    type: OptionTypes.integer({ min: 1 }),
    initial: 1,
    description: "How many checkpoints may be pending at once.",
  },
  tolerableFailedCheckpointCount: {
    key: "execution.checkpointing.tolerable-failed-checkpoints",
    deprecatedKeys: [],
    type: OptionTypes.integer({ min: 0, max: MAX_INT }),
    initial: 0,
    description: "Failed checkpoints in a row that the job bears; one more fails it.",
  },
  retention: {
    key: "execution.checkpointing.externalized-checkpoint-retention",
    deprecatedKeys: [],
    type: OptionTypes.oneOf([
      "NO_EXTERNALIZED_CHECKPOINTS",
      "DELETE_ON_CANCELLATION",
      "RETAIN_ON_CANCELLATION",
    ]),
    initial: "NO_EXTERNALIZED_CHECKPOINTS",
    description: "Whether checkpoints stay when the job is cancelled or fails for good.",
  },
  retainedCount: {
    key: "execution.checkpointing.num-retained",
    deprecatedKeys: ["state.checkpoints.num-retained"],
    type: OptionTypes.integer({ min: 1 }),
    initial: 1,
    description: "How many completed checkpoints are kept.",
  },
  directory: {
    key: "execution.checkpointing.dir",
    deprecatedKeys: ["state.checkpoints.dir", "state.backend.fs.checkpointdir"],
    type: OptionTypes.optional(OptionTypes.string()),
    initial: undefined,
    description: "Directory under which checkpoints are written.",
  },
  savepointDirectory: {
    key: "execution.checkpointing.savepoint-dir",
    deprecatedKeys: ["state.savepoints.dir", "savepoints.state.backend.fs.dir"],
    type: OptionTypes.optional(OptionTypes.string()),
    initial: undefined,
    description: "Directory in which savepoints are put if none is named.",
  },
  storage: {
    key: "execution.checkpointing.storage",
    deprecatedKeys: ["state.checkpoint-storage"],
    type: OptionTypes.optional(OptionTypes.oneOf(["jobmanager", "filesystem"])),
    initial: undefined,
    description: "Where state is kept: in the JobManager's memory or in files.",
  },
  createSubdirectory: {
    key: "execution.checkpointing.create-subdir",
    deprecatedKeys: ["state.checkpoints.create-subdir"],
    type: OptionTypes.boolean(),
    initial: true,
    description: "Whether the checkpoint directory gets a level for the job id.",
  },
  dataInlineThresholdBytes: {
    key: "execution.checkpointing.data-inline-threshold",
    deprecatedKeys: ["state.storage.fs.memory-threshold", "state.backend.fs.memory-threshold"],
    type: OptionTypes.memorySize({ maxBytes: 1 << 20 }),
    initial: 20 * 1024,
    description: "State up to this size is written into _metadata instead of a file of its own.",
  },
  unalignedEnabled: {
    key: "execution.checkpointing.unaligned.enabled",
    deprecatedKeys: ["execution.checkpointing.unaligned"],
    type: OptionTypes.boolean(),
    initial: false,
    description: "Barriers overtake records; the records overtaken are part of the checkpoint.",
  },
  unalignedForced: {
    key: "execution.checkpointing.unaligned.forced",
    deprecatedKeys: [],
    type: OptionTypes.boolean(),
    initial: false,
    description: "Unaligned checkpoints also with custom partitioners.",
  },
  alignedTimeoutMs: {
    key: "execution.checkpointing.aligned-checkpoint-timeout",
    deprecatedKeys: ["execution.checkpointing.alignment-timeout"],
    type: OptionTypes.duration(),
    initial: 0,
    description: "With unaligned checkpoints: begin aligned, and switch after this time.",
  },
  checkpointsAfterTasksFinish: {
    key: "execution.checkpointing.checkpoints-after-tasks-finish",
    deprecatedKeys: ["execution.checkpointing.checkpoints-after-tasks-finish.enabled"],
    type: OptionTypes.boolean(),
    initial: true,
    description: "Whether checkpoints go on when some tasks have finished.",
  },
  incrementalEnabled: {
    key: "execution.checkpointing.incremental",
    deprecatedKeys: ["state.backend.incremental"],
    type: OptionTypes.boolean(),
    initial: false,
    description: "Only what changed is written, by state backends that can.",
  },
  historyCount: {
    key: "web.checkpoints.history",
    deprecatedKeys: ["jobmanager.web.checkpoints.history"],
    type: OptionTypes.integer({ min: 0 }),
    initial: 10,
    description: "How many checkpoints the statistics remember.",
  },
};

/** From what a job starts. */
export interface RecoveryOptions {
  /** Checkpoint or savepoint to start from; undefined: none. */
  readonly snapshotPath: string | undefined;
  /** Who owns that snapshot afterwards. */
  readonly claimMode: "NO_CLAIM" | "CLAIM" | "LEGACY";
  /** Drop state of operators that the job no longer has. */
  readonly ignoresUnclaimedState: boolean;
}

export const RECOVERY_OPTIONS: OptionTable<RecoveryOptions> = {
  snapshotPath: {
    key: "execution.state-recovery.path",
    deprecatedKeys: ["execution.savepoint.path"],
    type: OptionTypes.optional(OptionTypes.string()),
    initial: undefined,
    description: "Checkpoint or savepoint from which the job starts.",
  },
  claimMode: {
    key: "execution.state-recovery.claim-mode",
    deprecatedKeys: ["execution.savepoint-restore-mode"],
    type: OptionTypes.oneOf(["NO_CLAIM", "CLAIM", "LEGACY"]),
    initial: "NO_CLAIM",
    description:
      "Whether the job takes the snapshot over, and deletes it when it is no longer needed.",
  },
  ignoresUnclaimedState: {
    key: "execution.state-recovery.ignore-unclaimed-state",
    deprecatedKeys: ["execution.savepoint.ignore-unclaimed-state"],
    type: OptionTypes.boolean(),
    initial: false,
    description: "Drop state of operators that the job no longer has.",
  },
};

/** The restart strategies' numbers, all of them; {@link restartStrategyOf} takes those of the chosen one. */
export interface RestartStrategyOptions {
  /** Undefined: exponential delay with checkpoints, none without. */
  readonly type: RestartStrategy["type"] | undefined;
  readonly fixedDelayAttempts: number;
  readonly fixedDelayMs: number;
  readonly failureRateMaxFailuresPerInterval: number;
  readonly failureRateIntervalMs: number;
  readonly failureRateDelayMs: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly backoffMultiplier: number;
  readonly jitterFactor: number;
  readonly resetBackoffThresholdMs: number;
  readonly attemptsBeforeResetBackoff: number;
}

export const RESTART_STRATEGY_OPTIONS: OptionTable<RestartStrategyOptions> = {
  type: {
    key: "restart-strategy.type",
    deprecatedKeys: ["restart-strategy"],
    type: OptionTypes.optional(
      OptionTypes.oneOf(["none", "fixed-delay", "failure-rate", "exponential-delay"], {
        off: "none",
        disable: "none",
        fixeddelay: "fixed-delay",
        failurerate: "failure-rate",
        exponentialdelay: "exponential-delay",
      }),
    ),
    initial: undefined,
    description:
      "When a failed job is started again. Unset: exponential-delay with checkpoints, else none.",
  },
  fixedDelayAttempts: {
    key: "restart-strategy.fixed-delay.attempts",
    deprecatedKeys: [],
    type: OptionTypes.integer({ min: 0 }),
    initial: 1,
    description: "How many restarts there are in the life of the job.",
  },
  fixedDelayMs: {
    key: "restart-strategy.fixed-delay.delay",
    deprecatedKeys: [],
    type: OptionTypes.duration(),
    initial: 1_000,
    description: "Time from a failure to the restart.",
  },
  failureRateMaxFailuresPerInterval: {
    key: "restart-strategy.failure-rate.max-failures-per-interval",
    deprecatedKeys: [],
    type: OptionTypes.integer({ min: 1 }),
    initial: 1,
    description: "Failures within the interval that the job survives.",
  },
  failureRateIntervalMs: {
    key: "restart-strategy.failure-rate.failure-rate-interval",
    deprecatedKeys: [],
    type: OptionTypes.duration(),
    initial: 60_000,
    description: "Over which time failures are counted.",
  },
  failureRateDelayMs: {
    key: "restart-strategy.failure-rate.delay",
    deprecatedKeys: [],
    type: OptionTypes.duration(),
    initial: 1_000,
    description: "Time from a failure to the restart.",
  },
  initialBackoffMs: {
    key: "restart-strategy.exponential-delay.initial-backoff",
    deprecatedKeys: [],
    type: OptionTypes.duration({ minMs: 1 }),
    initial: 1_000,
    description: "Time from the first failure to the restart.",
  },
  maxBackoffMs: {
    key: "restart-strategy.exponential-delay.max-backoff",
    deprecatedKeys: [],
    type: OptionTypes.duration({ minMs: 1 }),
    initial: 60_000,
    description: "The longest time from a failure to the restart.",
  },
  backoffMultiplier: {
    key: "restart-strategy.exponential-delay.backoff-multiplier",
    deprecatedKeys: [],
    type: OptionTypes.double({ min: 1 }),
    initial: 1.5,
    description: "By how much each further failure lengthens the time.",
  },
  jitterFactor: {
    key: "restart-strategy.exponential-delay.jitter-factor",
    deprecatedKeys: [],
    type: OptionTypes.double({ min: 0, max: 1 }),
    initial: 0.1,
    description: "Up to which share chance lengthens or shortens the time.",
  },
  resetBackoffThresholdMs: {
    key: "restart-strategy.exponential-delay.reset-backoff-threshold",
    deprecatedKeys: [],
    type: OptionTypes.duration({ minMs: 1 }),
    initial: 3_600_000,
    description: "After so long without failure the first time applies again.",
  },
  attemptsBeforeResetBackoff: {
    key: "restart-strategy.exponential-delay.attempts-before-reset-backoff",
    deprecatedKeys: [],
    type: OptionTypes.integer({ min: 1 }),
    initial: MAX_INT,
    description: "Restarts before the time is reset, after which the job has failed.",
  },
};

/** The restart strategy that the options ask for. */
export function restartStrategyOf(
  options: RestartStrategyOptions,
  checkpointing: { readonly isEnabled: boolean },
): RestartStrategy {
  const type = options.type ?? (checkpointing.isEnabled ? "exponential-delay" : "none");
  switch (type) {
    case "none":
      return { type };
    case "fixed-delay":
      return { type, attempts: options.fixedDelayAttempts, delayMs: options.fixedDelayMs };
    case "failure-rate":
      return {
        type,
        maxFailuresPerInterval: options.failureRateMaxFailuresPerInterval,
        intervalMs: options.failureRateIntervalMs,
        delayMs: options.failureRateDelayMs,
      };
    case "exponential-delay":
      return {
        type,
        initialBackoffMs: Math.min(options.initialBackoffMs, options.maxBackoffMs),
        maxBackoffMs: options.maxBackoffMs,
        backoffMultiplier: options.backoffMultiplier,
        resetBackoffThresholdMs: options.resetBackoffThresholdMs,
        jitterFactor: options.jitterFactor,
        attemptsBeforeReset: options.attemptsBeforeResetBackoff,
      };
  }
}

/**
 * What is wrong with the options together; undefined if nothing is.
 *
 * @remarks
 * Source: Flink refuses the first two when it builds the job.
 */
export function checkpointingProblem(options: CheckpointingOptions): string | undefined {
  if (options.unalignedEnabled && options.maxConcurrentCheckpoints > 1) {
    return "maxConcurrentCheckpoints can't be > 1 if UnalignedCheckpoints enabled";
  }
  if (options.unalignedEnabled && options.mode === "AT_LEAST_ONCE") {
    return "unaligned checkpoints can only be used with execution.checkpointing.mode EXACTLY_ONCE";
  }
  const { intervalMs, intervalDuringBacklogMs } = options;
  if (intervalMs !== undefined && intervalDuringBacklogMs !== undefined) {
    if (intervalDuringBacklogMs > 0 && intervalDuringBacklogMs < intervalMs) {
      return "execution.checkpointing.interval-during-backlog is less than execution.checkpointing.interval";
    }
  }
  if (options.storage === "filesystem" && options.directory === undefined) {
    return "execution.checkpointing.storage is filesystem, but execution.checkpointing.dir is not set";
  }
  return undefined;
}
