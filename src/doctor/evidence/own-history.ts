import {
  type CheckpointRecord,
  checkpointSizes,
  decodeHistory,
  endToEndDurationMs,
} from "../../checkpoint/index.ts";
import type { EvidenceBuilder } from "./evidence-builder.ts";
import type { LogEvent, Place, ThrownError } from "./evidence.ts";

/** Failures that say that something else failed: the job's or task's own error is what counts. */
const VICTIM = new Set([
  "TASK_FAILURE",
  "JOB_FAILOVER_REGION",
  "CHECKPOINT_COORDINATOR_SUSPEND",
  "CHECKPOINT_COORDINATOR_SHUTDOWN",
]);

/**
 * Takes a line of this project's own checkpoint history.
 *
 * @returns false if the line is none.
 */
export function readOwnHistory(line: string, place: Place, builder: EvidenceBuilder): boolean {
  if (!line.startsWith("{") || !line.includes('"checkpointId"') || !line.includes('"vertices"'))
    return false;
  const record = decodeHistory(`${line}\n`).records[0];
  if (record === undefined) return false;
  addRecord(record, place, builder);
  return true;
}

function addRecord(record: CheckpointRecord, place: Place, builder: EvidenceBuilder): void {
  const sizes = checkpointSizes(record);
  builder.rest.checkpoints.push({
    id: record.checkpointId,
    status: record.status,
    isSavepoint: record.kind !== "CHECKPOINT",
    triggeredAtMs: record.triggeredAtMs,
    durationMs: endToEndDurationMs(record),
    stateBytes: sizes.stateSizeBytes,
    checkpointedBytes: sizes.checkpointedSizeBytes,
    persistedBytes: sizes.persistedBytes,
    subtasks: record.subtaskCount,
    acknowledged: record.acknowledgedSubtaskCount,
    failure: record.failure?.message,
    externalPath: record.externalPath ?? undefined,
    tasks: [],
    place,
  });
  addVertices(record, place, builder);
  const event = failureEvent(record, place);
  if (event !== undefined) builder.event(event);
}

function addVertices(record: CheckpointRecord, place: Place, builder: EvidenceBuilder): void {
  record.vertices.forEach((vertex, position) => {
    if (!builder.rest.vertices.some((known) => known.id === vertex.vertexId)) {
      builder.rest.vertices.push({
        id: vertex.vertexId,
        name: vertex.name,
        parallelism: vertex.parallelism,
        maxParallelism: vertex.maxParallelism,
        status: "",
        position,
        inputs: vertex.inputs ?? undefined,
        busyMs: undefined,
        backpressuredMs: undefined,
        place,
      });
    }
    builder.rest.subtasks.push({
      checkpointId: record.checkpointId,
      status: record.status,
      vertexId: vertex.vertexId,
      vertexName: vertex.name,
      subtasks: vertex.subtasks.map((subtask) => ({
        index: subtask.subtaskIndex,
        completed: subtask.status === "ACKNOWLEDGED",
        durationMs:
          subtask.acknowledgedAtMs === null
            ? undefined
            : subtask.acknowledgedAtMs - record.triggeredAtMs,
        stateBytes: subtask.stateSizeBytes ?? undefined,
        syncMs: subtask.syncDurationMs ?? undefined,
        asyncMs: subtask.asyncDurationMs ?? undefined,
        alignmentMs: subtask.alignmentDurationMs ?? undefined,
        persistedBytes: subtask.alignmentPersistedBytes ?? undefined,
        startDelayMs: subtask.startDelayMs ?? undefined,
        unaligned: subtask.isUnaligned ?? undefined,
      })),
      place,
    });
  });
}

/** The failure as the record of a log that Flink would have written. */
function failureEvent(record: CheckpointRecord, place: Place): LogEvent | undefined {
  const { failure } = record;
  if (failure === null || record.status !== "FAILED") return undefined;
  const vertex = record.vertices.find((candidate) => candidate.vertexId === failure.task?.vertexId);
  const task =
    vertex === undefined || failure.task === null
      ? "task (1/1)"
      : `${vertex.name} (${failure.task.subtaskIndex + 1}/${vertex.parallelism})`;
  const causes = failure.causes.map((text, index) =>
    thrownOf(text, index === 0 ? "top" : "cause", place),
  );
  const isVictim = VICTIM.has(failure.reason) && causes.length > 0;
  const head: ThrownError = {
    className: "CheckpointException",
    message: failure.message,
    frames: [],
    role: "top",
    place,
  };
  return {
    place,
    atMs: record.endedAtMs ?? record.triggeredAtMs,
    level: "WARN",
    logger: isVictim ? "Task" : "CheckpointFailureManager",
    thread: undefined,
    process: undefined,
    message: isVictim
      ? `${task} switched from RUNNING to FAILED`
      : `Failed to trigger or complete checkpoint ${record.checkpointId} for job ${record.jobId}`,
    thrown: isVictim ? causes : [head, ...stepThatFailed(failure, task, place), ...causes],
    repeats: 1,
    lastAtMs: undefined,
  };
}

/** The step in which it failed, where the reason alone tells it: only causes of these two are what the step itself threw. */
function stepThatFailed(
  { reason, causes }: NonNullable<CheckpointRecord["failure"]>,
  task: string,
  place: Place,
): readonly ThrownError[] {
  if (causes.length === 0) return [];
  if (reason === "TRIGGER_CHECKPOINT_FAILURE")
    return [thrownOf("Failed to checkpoint the split enumerator", "cause", place)];
  if (reason !== "CHECKPOINT_DECLINED") return [];
  const [, name = task, subtask = "1/1"] = /^(.*) \((\d+\/\d+)\)$/u.exec(task) ?? [];
  return [
    thrownOf(`snapshotState of operator "${name}", subtask ${subtask}, failed`, "cause", place),
  ];
}

function thrownOf(text: string, role: ThrownError["role"], place: Place): ThrownError {
  const colon = /^([A-Za-z][\w.$]*): (.*)$/su.exec(text);
  return { className: colon?.[1] ?? "", message: colon?.[2] ?? text, frames: [], role, place };
}
