import type {
  CheckpointDetail,
  CheckpointKind,
  CheckpointStatus,
  SubtaskCheckpoint,
  SubtaskStatus,
} from "./checkpoint.ts";
import { sortTopologically, type Topology, type TopologyInput } from "./topology.ts";

/** What the page reads of a line of `history.jsonl`; a checkpoint record of the engine can be assigned to it. */
export interface HistoryRecord {
  readonly format: number;
  readonly jobId: string;
  readonly checkpointId: number;
  readonly kind: CheckpointKind;
  readonly status: CheckpointStatus;
  readonly triggeredAtMs: number;
  readonly latestAcknowledgedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly externalPath: string | null;
  readonly failure: { readonly message: string; readonly causes: readonly string[] } | null;
  readonly subtaskCount: number;
  readonly acknowledgedSubtaskCount: number;
  readonly vertices: readonly HistoryVertex[];
}

export interface HistoryVertex {
  readonly vertexId: string;
  readonly name: string;
  readonly parallelism: number;
  /** Null or absent in lines that were written before edges were recorded. */
  readonly inputs?: readonly TopologyInput[] | null;
  readonly subtasks: readonly HistorySubtask[];
}

export interface HistorySubtask {
  readonly subtaskIndex: number;
  readonly status: "PENDING" | "ACKNOWLEDGED" | "DECLINED" | "FINISHED_BEFORE";
  readonly isTriggeredByCoordinator: boolean;
  readonly acknowledgedAtMs: number | null;
  readonly declinedAtMs: number | null;
  readonly declineCauses: readonly string[];
  readonly startDelayMs: number | null;
  readonly alignmentDurationMs: number | null;
  readonly alignmentProcessedBytes: number | null;
  readonly alignmentPersistedBytes: number | null;
  readonly syncDurationMs: number | null;
  readonly asyncDurationMs: number | null;
  readonly checkpointedSizeBytes: number | null;
  readonly stateSizeBytes: number | null;
  readonly isUnaligned: boolean | null;
}

export interface UnreadableLine {
  readonly lineNumber: number;
  readonly reason: "not-json" | "not-a-record" | "newer-format";
}

export interface History {
  readonly jobIds: readonly string[];
  /** Newest first. */
  readonly checkpoints: readonly CheckpointDetail[];
  readonly unreadable: readonly UnreadableLine[];
}

/** Reads a saved history: one JSON object a line. A line that cannot be read is named, and the others are shown. */
export function parseHistory(text: string): History {
  const checkpoints: CheckpointDetail[] = [];
  const unreadable: UnreadableLine[] = [];
  const jobIds = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const record = recordOf(line);
    if (typeof record === "string") {
      unreadable.push({ lineNumber: index + 1, reason: record });
    } else {
      jobIds.add(record.jobId);
      checkpoints.push(detailOfRecord(record));
    }
  }
  checkpoints.sort((left, right) => right.summary.triggeredAtMs - left.summary.triggeredAtMs);
  return { jobIds: [...jobIds], checkpoints, unreadable };
}

function recordOf(line: string): HistoryRecord | UnreadableLine["reason"] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "not-json";
  }
  if (!isRecord(value)) return "not-a-record";
  return value.format === 1 ? value : "newer-format";
}

function isRecord(value: unknown): value is HistoryRecord {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Partial<Record<keyof HistoryRecord, unknown>>;
  return (
    typeof record.format === "number" &&
    typeof record.checkpointId === "number" &&
    typeof record.triggeredAtMs === "number" &&
    typeof record.status === "string" &&
    (record.failure === null || typeof record.failure === "object") &&
    Array.isArray(record.vertices) &&
    record.vertices.every((vertex: unknown) =>
      Array.isArray((vertex as HistoryVertex | null)?.subtasks),
    )
  );
}

/** Turns a record into what the views show. */
function detailOfRecord(record: HistoryRecord): CheckpointDetail {
  const isOver = record.status !== "IN_PROGRESS";
  const endedAtMs = isOver
    ? (record.endedAtMs ?? record.latestAcknowledgedAtMs ?? record.triggeredAtMs)
    : undefined;
  const subtasks = record.vertices.flatMap((vertex) => vertex.subtasks);
  const sum = (size: (subtask: HistorySubtask) => number | null): number =>
    subtasks
      .filter(({ status }) => status === "ACKNOWLEDGED")
      .reduce((total, subtask) => total + (size(subtask) ?? 0), 0);
  return {
    summary: {
      checkpointId: record.checkpointId,
      kind: record.kind,
      isUnaligned: subtasks.some(({ isUnaligned }) => isUnaligned === true),
      status: record.status,
      triggeredAtMs: record.triggeredAtMs,
      endedAtMs,
      durationMs: endedAtMs === undefined ? undefined : endedAtMs - record.triggeredAtMs,
      stateSizeBytes: sum((subtask) => subtask.stateSizeBytes),
      checkpointedSizeBytes: sum((subtask) => subtask.checkpointedSizeBytes),
      processedBytes: sum((subtask) => subtask.alignmentProcessedBytes),
      persistedBytes: sum((subtask) => subtask.alignmentPersistedBytes),
      subtaskCount: record.subtaskCount,
      acknowledgedSubtaskCount: record.acknowledgedSubtaskCount,
      failureMessage: record.failure === null ? undefined : failureText(record.failure),
      externalPath: record.externalPath ?? undefined,
    },
    topology: topologyOfRecord(record),
    vertices: record.vertices.map(({ vertexId, name, parallelism, subtasks: own }) => ({
      vertexId,
      name,
      parallelism,
      subtasks: own.map((subtask) => subtaskOfRecord(subtask, endedAtMs)),
    })),
  };
}

function failureText(failure: NonNullable<HistoryRecord["failure"]>): string {
  return [failure.message, ...failure.causes].join("\n");
}

/** A record of an older version names no edges: then only vertices that the coordinator triggers itself are known to have no input. */
function topologyOfRecord(record: HistoryRecord): Topology {
  const vertices = record.vertices.map(({ vertexId, name, parallelism, inputs, subtasks }) => ({
    vertexId,
    name,
    parallelism,
    inputs: Array.isArray(inputs)
      ? inputs
      : subtasks.every(({ isTriggeredByCoordinator }) => isTriggeredByCoordinator)
        ? []
        : undefined,
  }));
  return sortTopologically(vertices);
}

const STATUS: Readonly<Record<HistorySubtask["status"], SubtaskStatus>> = {
  PENDING: "pending",
  ACKNOWLEDGED: "acknowledged",
  DECLINED: "declined",
  FINISHED_BEFORE: "finished",
};

function subtaskOfRecord(
  subtask: HistorySubtask,
  endedAtMs: number | undefined,
): SubtaskCheckpoint {
  const isLate =
    subtask.acknowledgedAtMs !== null &&
    endedAtMs !== undefined &&
    subtask.acknowledgedAtMs > endedAtMs;
  return {
    subtaskIndex: subtask.subtaskIndex,
    status: isLate ? "late" : (STATUS[subtask.status] ?? "pending"),
    acknowledgedAtMs: subtask.acknowledgedAtMs ?? undefined,
    declinedAtMs: subtask.declinedAtMs ?? undefined,
    declineCause: subtask.declineCauses[0],
    startDelayMs: subtask.startDelayMs ?? undefined,
    alignmentMs: subtask.alignmentDurationMs ?? undefined,
    syncMs: subtask.syncDurationMs ?? undefined,
    asyncMs: subtask.asyncDurationMs ?? undefined,
    stateSizeBytes: subtask.stateSizeBytes ?? undefined,
    checkpointedSizeBytes: subtask.checkpointedSizeBytes ?? undefined,
    processedBytes: subtask.alignmentProcessedBytes ?? undefined,
    persistedBytes: subtask.alignmentPersistedBytes ?? undefined,
    isUnaligned: subtask.isUnaligned === true,
  };
}
