import type {
  CheckpointDetail,
  CheckpointKind,
  CheckpointStatus,
  CheckpointSummary,
  SubtaskCheckpoint,
  SubtaskStatus,
} from "./checkpoint.ts";
import { booleanIn, entriesIn, field, knownNumberIn, listIn, numberIn, textIn } from "./json.ts";
import type { Topology } from "./topology.ts";

export interface CheckpointCounts {
  readonly completed: number;
  readonly failed: number;
  readonly inProgress: number;
  readonly restored: number;
}

export interface RestoredCheckpoint {
  readonly checkpointId: number;
  readonly restoredAtMs: number;
  readonly isSavepoint: boolean;
  readonly externalPath: string | undefined;
}

export interface CheckpointHistory {
  readonly counts: CheckpointCounts;
  /** Newest first. */
  readonly checkpoints: readonly CheckpointSummary[];
  readonly latestCompleted: CheckpointSummary | undefined;
  readonly restored: RestoredCheckpoint | undefined;
}

/** Reads the answer of `/jobs/:jobid/checkpoints`. */
export function historyOf(answer: unknown): CheckpointHistory {
  const counts = field(answer, "counts");
  const latest = field(answer, "latest");
  const completed = field(latest, "completed");
  const restored = field(latest, "restored");
  const restoredId = numberIn(restored, "id");
  return {
    counts: {
      completed: numberIn(counts, "completed") ?? 0,
      failed: numberIn(counts, "failed") ?? 0,
      inProgress: numberIn(counts, "in_progress") ?? 0,
      restored: numberIn(counts, "restored") ?? 0,
    },
    checkpoints: listIn(answer, "history")
      .map(summaryOf)
      .toSorted((left, right) => right.checkpointId - left.checkpointId),
    latestCompleted:
      typeof completed === "object" && completed !== null ? summaryOf(completed) : undefined,
    restored:
      restoredId === undefined
        ? undefined
        : {
            checkpointId: restoredId,
            restoredAtMs: numberIn(restored, "restore_timestamp") ?? 0,
            isSavepoint: booleanIn(restored, "is_savepoint"),
            externalPath: textIn(restored, "external_path"),
          },
  };
}

/** Reads one checkpoint of `/checkpoints` or of `/checkpoints/details/:id`. */
export function summaryOf(checkpoint: unknown): CheckpointSummary {
  const status = statusOf(textIn(checkpoint, "status"));
  const triggeredAtMs = numberIn(checkpoint, "trigger_timestamp") ?? 0;
  const durationMs = knownNumberIn(checkpoint, "end_to_end_duration");
  const isOver = status !== "IN_PROGRESS";
  const failedAtMs = knownNumberIn(checkpoint, "failure_timestamp");
  return {
    checkpointId: numberIn(checkpoint, "id") ?? 0,
    kind: kindOf(checkpoint),
    isUnaligned: textIn(checkpoint, "checkpoint_type") === "UNALIGNED_CHECKPOINT",
    status,
    triggeredAtMs,
    endedAtMs: isOver ? (failedAtMs ?? triggeredAtMs + (durationMs ?? 0)) : undefined,
    durationMs: isOver ? durationMs : undefined,
    stateSizeBytes: numberIn(checkpoint, "state_size") ?? 0,
    checkpointedSizeBytes:
      numberIn(checkpoint, "checkpointed_size") ?? numberIn(checkpoint, "state_size") ?? 0,
    processedBytes: numberIn(checkpoint, "processed_data") ?? 0,
    persistedBytes: numberIn(checkpoint, "persisted_data") ?? 0,
    subtaskCount: numberIn(checkpoint, "num_subtasks") ?? 0,
    acknowledgedSubtaskCount: numberIn(checkpoint, "num_acknowledged_subtasks") ?? 0,
    failureMessage: textIn(checkpoint, "failure_message"),
    externalPath: textIn(checkpoint, "external_path"),
  };
}

/** State size by vertex, from the `tasks` of a detail answer. */
export function stateSizesOf(checkpoint: unknown): ReadonlyMap<string, number> {
  return new Map(
    entriesIn(checkpoint, "tasks").map(([vertexId, task]) => [
      vertexId,
      numberIn(task, "state_size") ?? 0,
    ]),
  );
}

/**
 * Puts a checkpoint together from its detail answer and the subtasks' answers.
 *
 * @param subtasksOf - The answers of `/checkpoints/details/:id/subtasks/:vertexid`, by vertex id.
 */
export function detailOf(
  checkpoint: unknown,
  topology: Topology,
  subtasksOf: ReadonlyMap<string, unknown>,
): CheckpointDetail {
  const summary = summaryOf(checkpoint);
  const decline = declineIn(summary);
  const vertices = topology
    .filter(({ vertexId }) => subtasksOf.has(vertexId))
    .map((vertex) => ({
      vertexId: vertex.vertexId,
      name: vertex.name,
      parallelism: vertex.parallelism,
      subtasks: listIn(subtasksOf.get(vertex.vertexId), "subtasks")
        .map((subtask) => subtaskOf(subtask, summary))
        .map((subtask) =>
          decline?.name === vertex.name && decline.subtaskIndex === subtask.subtaskIndex
            ? declined(subtask, summary, decline.cause)
            : subtask,
        )
        .toSorted((left, right) => left.subtaskIndex - right.subtaskIndex),
    }));
  return { summary, vertices, topology };
}

interface Decline {
  /** Of the vertex. */
  readonly name: string;
  readonly subtaskIndex: number;
  readonly cause: string;
}

/** REST says of no subtask that it declined, but the failure's text names it. Source: Flink `Task.declineCheckpoint`. */
function declineIn({ failureMessage = "" }: CheckpointSummary): Decline | undefined {
  const [headline = "", ...causes] = failureMessage.split("\n");
  const found =
    /^Task name with subtask : (.+) \((\d+)\/\d+\)#\d+ Failure reason: (.*?)(?: Caused by: .*)?$/.exec(
      headline,
    );
  if (found === null) return undefined;
  const [, name = "", subtask = "", reason = ""] = found;
  // What lies at the bottom says what it was.
  const cause = causes.findLast((line) => line.startsWith("Caused by: "))?.slice(11);
  return { name, subtaskIndex: Number(subtask) - 1, cause: cause ?? reason };
}

function declined(
  subtask: SubtaskCheckpoint,
  { endedAtMs }: CheckpointSummary,
  cause: string,
): SubtaskCheckpoint {
  if (subtask.status !== "pending") return subtask;
  return { ...subtask, status: "declined", declinedAtMs: endedAtMs, declineCause: cause };
}

function subtaskOf(subtask: unknown, summary: CheckpointSummary): SubtaskCheckpoint {
  const alignment = field(subtask, "alignment");
  const durations = field(subtask, "checkpoint");
  const acknowledgedAtMs = knownNumberIn(subtask, "ack_timestamp");
  return {
    subtaskIndex: numberIn(subtask, "index") ?? 0,
    status: subtaskStatusOf(acknowledgedAtMs, summary),
    acknowledgedAtMs,
    declinedAtMs: undefined,
    declineCause: undefined,
    startDelayMs: knownNumberIn(subtask, "start_delay"),
    alignmentMs: knownNumberIn(alignment, "duration"),
    syncMs: knownNumberIn(durations, "sync"),
    asyncMs: knownNumberIn(durations, "async"),
    stateSizeBytes: knownNumberIn(subtask, "state_size"),
    checkpointedSizeBytes: knownNumberIn(subtask, "checkpointed_size"),
    processedBytes: knownNumberIn(alignment, "processed"),
    persistedBytes: knownNumberIn(alignment, "persisted"),
    isUnaligned: booleanIn(subtask, "unaligned_checkpoint"),
  };
}

function subtaskStatusOf(
  acknowledgedAtMs: number | undefined,
  summary: CheckpointSummary,
): SubtaskStatus {
  if (acknowledgedAtMs === undefined) {
    return summary.status === "COMPLETED" ? "finished" : "pending";
  }
  const isLate =
    summary.status === "FAILED" &&
    summary.endedAtMs !== undefined &&
    acknowledgedAtMs > summary.endedAtMs;
  return isLate ? "late" : "acknowledged";
}

function statusOf(status: string | undefined): CheckpointStatus {
  return status === "COMPLETED" || status === "FAILED" ? status : "IN_PROGRESS";
}

function kindOf(checkpoint: unknown): CheckpointKind {
  const type = textIn(checkpoint, "checkpoint_type");
  if (type === "SYNC_SAVEPOINT") return "STOP_WITH_SAVEPOINT";
  return type === "SAVEPOINT" || booleanIn(checkpoint, "is_savepoint") ? "SAVEPOINT" : "CHECKPOINT";
}
