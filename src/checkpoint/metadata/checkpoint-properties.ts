/** How the files of a checkpoint may be shared with others. Source: Flink `SnapshotType.SharingFilesStrategy`. */
export type SharingFilesStrategy = "FORWARD_BACKWARD" | "FORWARD" | "NO_SHARING";

/** What was taken. Source: Flink `CheckpointType`, `SavepointType`. */
export type SnapshotType =
  | {
      readonly kind: "checkpoint";
      /** Flink's display name, such as `Checkpoint` or `Full Checkpoint`. */
      readonly name: string;
      readonly sharingFilesStrategy: SharingFilesStrategy;
    }
  | {
      readonly kind: "savepoint";
      /** Flink's display name, such as `Savepoint` or `Suspend Savepoint`. */
      readonly name: string;
      readonly format: "CANONICAL" | "NATIVE";
      readonly postCheckpointAction: "NONE" | "SUSPEND" | "TERMINATE";
    };

/** What happens to a checkpoint in its life. Source: Flink `CheckpointProperties`. */
export interface CheckpointProperties {
  /** Triggered past the limits of concurrency and pause. */
  readonly isForced: boolean;
  readonly type: SnapshotType;
  readonly discardSubsumed: boolean;
  readonly discardFinished: boolean;
  readonly discardCancelled: boolean;
  readonly discardFailed: boolean;
  readonly discardSuspended: boolean;
  /** Restored in `NO_CLAIM` mode: the snapshot belongs to the user. */
  readonly isUnclaimed: boolean;
}

/** When a retained checkpoint is deleted. The names of `execution.checkpointing.externalized-checkpoint-retention`. */
export type CheckpointRetention =
  | "NO_EXTERNALIZED_CHECKPOINTS"
  | "DELETE_ON_CANCELLATION"
  | "RETAIN_ON_CANCELLATION";

const RETENTION_FLAGS: {
  readonly [R in CheckpointRetention]: {
    readonly discardCancelled: boolean;
    readonly discardFailed: boolean;
  };
} = {
  NO_EXTERNALIZED_CHECKPOINTS: { discardCancelled: true, discardFailed: true },
  DELETE_ON_CANCELLATION: { discardCancelled: true, discardFailed: false },
  RETAIN_ON_CANCELLATION: { discardCancelled: false, discardFailed: false },
};

/**
 * Properties of a periodic or manual checkpoint.
 *
 * @remarks
 * Source: Flink `CheckpointProperties.forCheckpoint`: subsumed and finished are discarded under each policy,
 * suspended only where nothing is retained on a failure.
 */
export function propertiesOfCheckpoint(
  kind: "CHECKPOINT" | "FULL_CHECKPOINT",
  retention: CheckpointRetention,
): CheckpointProperties {
  return {
    isForced: false,
    type:
      kind === "CHECKPOINT"
        ? { kind: "checkpoint", name: "Checkpoint", sharingFilesStrategy: "FORWARD_BACKWARD" }
        : { kind: "checkpoint", name: "Full Checkpoint", sharingFilesStrategy: "FORWARD" },
    discardSubsumed: true,
    discardFinished: true,
    ...RETENTION_FLAGS[retention],
    discardSuspended: retention !== "RETAIN_ON_CANCELLATION",
    isUnclaimed: false,
  };
}

const SAVEPOINT_NAMES: { readonly [A in "NONE" | "SUSPEND" | "TERMINATE"]: string } = {
  NONE: "Savepoint",
  SUSPEND: "Suspend Savepoint",
  TERMINATE: "Terminate Savepoint",
};

/** Properties of a savepoint: it is never discarded, and forced unless it may be unaligned. */
export function propertiesOfSavepoint(
  format: "CANONICAL" | "NATIVE",
  postCheckpointAction: "NONE" | "SUSPEND" | "TERMINATE",
  isForced = true,
): CheckpointProperties {
  return {
    isForced,
    type: {
      kind: "savepoint",
      name: SAVEPOINT_NAMES[postCheckpointAction],
      format,
      postCheckpointAction,
    },
    discardSubsumed: false,
    discardFinished: false,
    discardCancelled: false,
    discardFailed: false,
    discardSuspended: false,
    isUnclaimed: false,
  };
}
