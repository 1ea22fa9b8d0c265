import type { CheckpointRecord } from "../checkpoint-record.ts";
import type { CheckpointFailure } from "../failure-reason.ts";

/** A checkpoint or savepoint from which the job went on. */
export interface RestoredCheckpoint {
  readonly checkpointId: number;
  readonly restoredAtMs: number;
  readonly isSavepoint: boolean;
  readonly externalPath: string;
}

/** Hears of the course of checkpoints: statistics, history, metrics. Must not throw. */
export interface CheckpointObserver {
  /** A checkpoint has got its id. `record` gives its present state at any time. */
  onTriggered?(checkpointId: number, record: () => CheckpointRecord): void;
  /** It completed or failed. */
  onEnded?(record: CheckpointRecord): void;
  /** A subtask acknowledged after the end; the record is the one of the end with that subtask's metrics. */
  onLateAcknowledgement?(record: CheckpointRecord): void;
  /** A trigger failed before it got an id. */
  onRefused?(failure: CheckpointFailure): void;
  onRestored?(restored: RestoredCheckpoint): void;
  /** A completed checkpoint's files were deleted. */
  onDiscarded?(checkpointId: number): void;
  /** Resolves when all that it was told is kept; awaited when the job ends. Never rejects. */
  settle?(): Promise<void>;
}
