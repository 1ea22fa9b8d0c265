import type { Topology } from "./topology.ts";

export type CheckpointStatus = "IN_PROGRESS" | "COMPLETED" | "FAILED";
export type CheckpointKind = "CHECKPOINT" | "SAVEPOINT" | "STOP_WITH_SAVEPOINT";

/** A checkpoint as a whole, wherever it was read from. Undefined is "not known" or "does not apply". */
export interface CheckpointSummary {
  readonly checkpointId: number;
  readonly kind: CheckpointKind;
  readonly isUnaligned: boolean;
  readonly status: CheckpointStatus;
  readonly triggeredAtMs: number;
  /** When it failed, or when its last acknowledgement came; undefined while it goes on. */
  readonly endedAtMs: number | undefined;
  /** From the trigger to the end; undefined while it goes on. */
  readonly durationMs: number | undefined;
  readonly stateSizeBytes: number;
  /** Bytes newly written. */
  readonly checkpointedSizeBytes: number;
  readonly processedBytes: number;
  readonly persistedBytes: number;
  readonly subtaskCount: number;
  readonly acknowledgedSubtaskCount: number;
  readonly failureMessage: string | undefined;
  readonly externalPath: string | undefined;
}

export type SubtaskStatus =
  | "acknowledged"
  /** It acknowledged after the checkpoint had ended. */
  | "late"
  | "pending"
  | "declined"
  /** It had finished before the checkpoint began. */
  | "finished";

/** The part of one subtask in a checkpoint. */
export interface SubtaskCheckpoint {
  readonly subtaskIndex: number;
  readonly status: SubtaskStatus;
  readonly acknowledgedAtMs: number | undefined;
  readonly declinedAtMs: number | undefined;
  readonly declineCause: string | undefined;
  readonly startDelayMs: number | undefined;
  readonly alignmentMs: number | undefined;
  readonly syncMs: number | undefined;
  readonly asyncMs: number | undefined;
  readonly stateSizeBytes: number | undefined;
  readonly checkpointedSizeBytes: number | undefined;
  readonly processedBytes: number | undefined;
  readonly persistedBytes: number | undefined;
  readonly isUnaligned: boolean;
}

export interface VertexCheckpoint {
  readonly vertexId: string;
  readonly name: string;
  readonly parallelism: number;
  /** By subtask index. */
  readonly subtasks: readonly SubtaskCheckpoint[];
}

/** A checkpoint with the course of every subtask. */
export interface CheckpointDetail {
  readonly summary: CheckpointSummary;
  /** In topological order. */
  readonly vertices: readonly VertexCheckpoint[];
  readonly topology: Topology;
}

/** The moment up to which a checkpoint is drawn. */
export function endOf(summary: CheckpointSummary, nowMs: number): number {
  return summary.endedAtMs ?? Math.max(nowMs, summary.triggeredAtMs);
}
