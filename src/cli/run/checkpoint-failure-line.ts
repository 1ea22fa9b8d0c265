import type {
  CheckpointFailureReason,
  CheckpointRecord,
  SubtaskRecord,
  VertexRecord,
} from "../../checkpoint/index.ts";

/** Failures that are no trouble: the job ended, or was not yet there. */
const NO_TROUBLE: readonly CheckpointFailureReason[] = [
  "CHECKPOINT_COORDINATOR_SHUTDOWN",
  "CHECKPOINT_COORDINATOR_SUSPEND",
  "PERIODIC_SCHEDULER_SHUTDOWN",
  "NOT_ALL_REQUIRED_TASKS_RUNNING",
  "CHECKPOINT_SUBSUMED",
];

/**
 * One line on a failed checkpoint: which subtask, in which phase, why, and what explains more. Undefined if it failed only because the job ended.
 *
 * @param explain - The command that says more.
 */
export function checkpointFailureLine(
  record: CheckpointRecord,
  explain: string,
): string | undefined {
  const { failure } = record;
  if (failure === null || NO_TROUBLE.includes(failure.reason)) return undefined;
  const place = placeOf(record);
  const where = place === undefined ? "" : ` at ${nameOf(place)}`;
  const cause = failure.causes.at(-1) ?? failure.message;
  const what = record.kind === "CHECKPOINT" ? "Checkpoint" : "Savepoint";
  return `${what} ${record.checkpointId} failed${where}, ${phaseOf(record, place)}: ${oneLine(cause)} More: ${explain}`;
}

interface Place {
  readonly vertex: VertexRecord;
  readonly subtask: SubtaskRecord;
}

/** The subtask that reported it, or the first that has not answered. */
function placeOf(record: CheckpointRecord): Place | undefined {
  const all = record.vertices.flatMap((vertex) =>
    vertex.subtasks.map((subtask): Place => ({ vertex, subtask })),
  );
  const { task, reason } = record.failure ?? {};
  const reported = all.find(
    ({ vertex, subtask }) =>
      vertex.vertexId === task?.vertexId && subtask.subtaskIndex === task.subtaskIndex,
  );
  if (reported !== undefined) return reported;
  return reason === "CHECKPOINT_EXPIRED"
    ? all.find(({ subtask }) => subtask.status === "PENDING")
    : all.find(({ subtask }) => subtask.status === "DECLINED");
}

function nameOf({ vertex, subtask }: Place): string {
  return `${vertex.name} (${subtask.subtaskIndex + 1}/${vertex.parallelism})`;
}

/** In Flink's words for the phases of a checkpoint. */
function phaseOf(
  { failure, tasksTriggeredAtMs }: CheckpointRecord,
  place: Place | undefined,
): string {
  switch (failure?.reason) {
    case "CHECKPOINT_EXPIRED":
      return place === undefined ? "which expired" : "which had not answered when it expired";
    case "FINALIZE_CHECKPOINT_FAILURE":
      return "when it was finalized";
    case "CHECKPOINT_ASYNC_EXCEPTION":
      return "in the asynchronous phase";
    default:
  }
  if (place?.subtask.status === "DECLINED") {
    return place.subtask.syncDurationMs === null
      ? "in the synchronous phase"
      : "in the asynchronous phase";
  }
  return tasksTriggeredAtMs === null ? "when it was triggered" : "before all had answered";
}

function oneLine(text: string): string {
  const line = (text.split("\n")[0] ?? "").trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
