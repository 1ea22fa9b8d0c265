import type { CheckpointMetrics } from "./checkpoint-gateway.ts";
import type { CheckpointFailureReason } from "./failure-reason.ts";

/**
 * What remains of a checkpoint when it is over: the line of `history.jsonl`, and what REST, dashboard and doctor show.
 *
 * @remarks
 * Plain JSON; `null` is "not known" or "does not apply". Moments are milliseconds since the epoch. Fields are added only; their meaning never changes within a format.
 */
export interface CheckpointRecord {
  readonly format: 1;
  readonly jobId: string;
  readonly checkpointId: number;
  readonly kind: "CHECKPOINT" | "SAVEPOINT" | "STOP_WITH_SAVEPOINT";
  /** Flink's display name, such as `Checkpoint` or `Full Checkpoint`. */
  readonly typeName: string;
  readonly savepointFormat: "CANONICAL" | "NATIVE" | null;
  readonly isPeriodic: boolean;
  readonly status: "IN_PROGRESS" | "COMPLETED" | "FAILED";
  readonly triggeredAtMs: number;
  /** When its directory was there. */
  readonly storageReadyAtMs: number | null;
  /** When the state of all source enumerators was taken. */
  readonly coordinatorsAcknowledgedAtMs: number | null;
  /** When the first tasks were told to begin. */
  readonly tasksTriggeredAtMs: number | null;
  /** When the last acknowledgement before the end came. */
  readonly latestAcknowledgedAtMs: number | null;
  /** When it completed or failed. */
  readonly endedAtMs: number | null;
  /** How long `_metadata` took, within the checkpoint. */
  readonly finalizationDurationMs: number | null;
  /** Where it lies once it is complete. */
  readonly externalPath: string | null;
  readonly failure: CheckpointFailureRecord | null;
  /** How many subtasks it waited for. */
  readonly subtaskCount: number;
  /** How many had acknowledged by the end. */
  readonly acknowledgedSubtaskCount: number;
  readonly vertices: readonly VertexRecord[];
}

export interface CheckpointFailureRecord {
  readonly reason: CheckpointFailureReason;
  /** Flink's text for it, with what was known of the place. */
  readonly message: string;
  /** `name: message` of the error behind it and its causes, outermost first. */
  readonly causes: readonly string[];
  /** The subtask that reported it. */
  readonly task: { readonly vertexId: string; readonly subtaskIndex: number } | null;
}

export interface VertexRecord {
  readonly vertexId: string;
  readonly name: string;
  readonly parallelism: number;
  readonly maxParallelism: number;
  readonly operators: readonly {
    readonly operatorId: string;
    readonly uid: string | null;
    readonly name: string;
  }[];
  /** Where its barriers come from; none of a source. Null in lines that were written before this was recorded. */
  readonly inputs: readonly VertexInputRecord[] | null;
  /** By subtask index. */
  readonly subtasks: readonly SubtaskRecord[];
}

/** An edge, seen from the vertex that it leads to. */
export interface VertexInputRecord {
  readonly vertexId: string;
  /** As in Flink's plan: of FORWARD and RESCALE each subtask reads some subtasks, of all others every one. */
  readonly shipStrategy: string;
}

/** The metrics are those of the acknowledgement or, as far as they are known, of the decline. */
export interface SubtaskRecord extends NullableMetrics {
  readonly subtaskIndex: number;
  readonly attempt: number;
  readonly status: "PENDING" | "ACKNOWLEDGED" | "DECLINED" | "FINISHED_BEFORE";
  /** True if the coordinator triggers it itself; the others begin with a barrier. */
  readonly isTriggeredByCoordinator: boolean;
  /** When it acknowledged; later than the checkpoint's end if it came too late. */
  readonly acknowledgedAtMs: number | null;
  readonly declinedAtMs: number | null;
  readonly declineReason: CheckpointFailureReason | null;
  readonly declineCauses: readonly string[];
}

type NullableMetrics = {
  readonly [K in keyof CheckpointMetrics]: CheckpointMetrics[K] | null;
};

/** Of a subtask that has said nothing. */
export const NO_METRICS: NullableMetrics = {
  startDelayMs: null,
  alignmentDurationMs: null,
  alignmentProcessedBytes: null,
  alignmentPersistedBytes: null,
  syncDurationMs: null,
  asyncDurationMs: null,
  checkpointedSizeBytes: null,
  stateSizeBytes: null,
  isUnaligned: null,
};

/** Sizes of a checkpoint over all its subtasks, in bytes. */
export interface CheckpointSizes {
  readonly checkpointedSizeBytes: number;
  readonly stateSizeBytes: number;
  readonly processedBytes: number;
  readonly persistedBytes: number;
}

/** Adds up what the subtasks that acknowledged have said. */
export function checkpointSizes(record: Pick<CheckpointRecord, "vertices">): CheckpointSizes {
  const subtasks = record.vertices
    .flatMap((vertex) => vertex.subtasks)
    .filter(({ status }) => status === "ACKNOWLEDGED");
  const sum = (size: (subtask: SubtaskRecord) => number | null): number =>
    subtasks.reduce((total, subtask) => total + (size(subtask) ?? 0), 0);
  return {
    checkpointedSizeBytes: sum((subtask) => subtask.checkpointedSizeBytes),
    stateSizeBytes: sum((subtask) => subtask.stateSizeBytes),
    processedBytes: sum((subtask) => subtask.alignmentProcessedBytes),
    persistedBytes: sum((subtask) => subtask.alignmentPersistedBytes),
  };
}

/** From the trigger to the end, or to the latest acknowledgement of one that goes on. */
export function endToEndDurationMs(record: CheckpointRecord): number {
  const endedAtMs = record.endedAtMs ?? record.latestAcknowledgedAtMs ?? record.triggeredAtMs;
  return Math.max(0, endedAtMs - record.triggeredAtMs);
}
