import type { CheckpointBarrier } from "./checkpoint-barrier.ts";
import type { CheckpointFailureReason } from "./failure-reason.ts";
import type { OperatorSubtaskState } from "./operator-state.ts";

/** Names one subtask of one job vertex. */
export interface SubtaskRef {
  /** Job vertex id, 32 hex digits (the id of its head operator). */
  readonly vertexId: string;
  readonly subtaskIndex: number;
  readonly attempt: number;
}

/** What a task tells of its part in a checkpoint. Times in ms, sizes in bytes; the names are Flink's REST fields. */
export interface CheckpointMetrics {
  readonly startDelayMs: number;
  readonly alignmentDurationMs: number;
  readonly alignmentProcessedBytes: number;
  readonly alignmentPersistedBytes: number;
  readonly syncDurationMs: number;
  readonly asyncDurationMs: number;
  /** Bytes newly written. */
  readonly checkpointedSizeBytes: number;
  /** Bytes of the whole state. */
  readonly stateSizeBytes: number;
  readonly isUnaligned: boolean;
}

/** State of one subtask by operator id. */
export type TaskStateSnapshot = ReadonlyMap<string, OperatorSubtaskState>;

/** From coordinator to tasks. The runtime implements it; calls do not wait for the task. */
export interface CheckpointGateway {
  /** Starts the checkpoint at a source task (or at a task whose upstream has finished). */
  triggerCheckpoint(task: SubtaskRef, barrier: CheckpointBarrier): void;
  notifyCheckpointComplete(task: SubtaskRef, checkpointId: number): void;
  notifyCheckpointAborted(task: SubtaskRef, checkpointId: number, latestCompletedId: number): void;
}

/** From tasks to coordinator. */
export interface CheckpointResponder {
  acknowledgeCheckpoint(
    task: SubtaskRef,
    checkpointId: number,
    metrics: CheckpointMetrics,
    /** Undefined for a task without state. */
    state: TaskStateSnapshot | undefined,
  ): void;
  declineCheckpoint(
    task: SubtaskRef,
    checkpointId: number,
    reason: CheckpointFailureReason,
    /** `name: message` of the error and its causes, outermost first. */
    causes: readonly string[],
    /** What is known of the checkpoint's phases until it was declined. */
    metrics: Partial<CheckpointMetrics>,
  ): void;
  /** The task has finished: it needs no further checkpoint. */
  reportFinished(task: SubtaskRef): void;
}
