/** What kind of snapshot a barrier asks for. */
export type SnapshotKind =
  | { readonly kind: "CHECKPOINT" }
  | { readonly kind: "FULL_CHECKPOINT" }
  | {
      readonly kind: "SAVEPOINT";
      readonly format: "CANONICAL" | "NATIVE";
      /** What the task does after it completes: NONE goes on, SUSPEND stops, TERMINATE drains and stops. */
      readonly postAction: "NONE" | "SUSPEND" | "TERMINATE";
    };

/**
 * How barriers of a checkpoint are treated at the inputs.
 *
 * @remarks
 * `FORCED_ALIGNED`: the checkpoint may be unaligned, but not over the channel that the barrier came through.
 */
export type AlignmentMode = "AT_LEAST_ONCE" | "ALIGNED" | "UNALIGNED" | "FORCED_ALIGNED";

export interface CheckpointOptions {
  readonly snapshot: SnapshotKind;
  readonly alignment: AlignmentMode;
  /** With ALIGNED: switch to unaligned this long after the trigger; undefined is never. With FORCED_ALIGNED: as it was before. */
  readonly alignedTimeoutMs: number | undefined;
  /** Directory for this snapshot's files (the checkpoint's exclusive directory, or the savepoint's). */
  readonly targetDirectory: string;
}

/** The cut, as it travels with the records. */
export interface CheckpointBarrier {
  readonly checkpointId: number;
  /** When the coordinator triggered, in ms since the epoch. */
  readonly triggeredAtMs: number;
  readonly options: CheckpointOptions;
}
