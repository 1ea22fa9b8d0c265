import {
  type CheckpointingOptions,
  type CheckpointRecord,
  checkpointSizes,
  type CheckpointStatistics,
  endToEndDurationMs,
  type RestoredCheckpoint,
  type SubtaskRecord,
  type VertexRecord,
} from "../../checkpoint/index.ts";
import { summaryOf } from "./statistics-summary.ts";

/** `/jobs/:jobid/checkpoints`. */
export function checkpointsAnswer(statistics: CheckpointStatistics): object {
  const history = statistics.history();
  const completed = history.filter(({ status }) => status === "COMPLETED");
  const sizes = completed.map(checkpointSizes);
  const { counts, latestRestored } = statistics;
  const latest = (record: CheckpointRecord | undefined): object | null =>
    record === undefined ? null : checkpointAnswer(record, statistics, {});
  return {
    counts: {
      restored: counts.restored,
      total: counts.total,
      in_progress: counts.inProgress,
      completed: counts.completed,
      failed: counts.failed,
    },
    summary: {
      checkpointed_size: summaryOf(sizes.map((size) => size.checkpointedSizeBytes)),
      state_size: summaryOf(sizes.map((size) => size.stateSizeBytes)),
      end_to_end_duration: summaryOf(completed.map(endToEndDurationMs)),
      alignment_buffered: summaryOf([0]),
      processed_data: summaryOf(sizes.map((size) => size.processedBytes)),
      persisted_data: summaryOf(sizes.map((size) => size.persistedBytes)),
    },
    latest: {
      completed: latest(statistics.latestCompleted),
      savepoint: latest(statistics.latestSavepoint),
      failed: latest(statistics.latestFailed),
      restored: latestRestored === undefined ? null : restoredAnswer(latestRestored),
    },
    history: history.map((record) => checkpointAnswer(record, statistics, {})),
  };
}

/** `/jobs/:jobid/checkpoints/details/:checkpointid`. */
export function checkpointDetails(
  record: CheckpointRecord,
  statistics: CheckpointStatistics,
): object {
  const tasks = record.vertices.map((vertex) => [vertex.vertexId, vertexLine(record, vertex)]);
  return checkpointAnswer(record, statistics, Object.fromEntries(tasks) as object);
}

function restoredAnswer(restored: RestoredCheckpoint): object {
  return {
    id: restored.checkpointId,
    restore_timestamp: restored.restoredAtMs,
    is_savepoint: restored.isSavepoint,
    external_path: restored.externalPath,
  };
}

function checkpointAnswer(
  record: CheckpointRecord,
  statistics: CheckpointStatistics,
  tasks: object,
): object {
  const sizes = checkpointSizes(record);
  const common = {
    id: record.checkpointId,
    status: record.status,
    is_savepoint: record.kind !== "CHECKPOINT",
    savepointFormat: record.savepointFormat,
    trigger_timestamp: record.triggeredAtMs,
    latest_ack_timestamp: record.latestAcknowledgedAtMs ?? -1,
    checkpointed_size: sizes.checkpointedSizeBytes,
    state_size: sizes.stateSizeBytes,
    end_to_end_duration: endToEndDurationMs(record),
    alignment_buffered: 0,
    processed_data: sizes.processedBytes,
    persisted_data: sizes.persistedBytes,
    num_subtasks: record.subtaskCount,
    num_acknowledged_subtasks: record.acknowledgedSubtaskCount,
    checkpoint_type: checkpointType(record),
    tasks,
  };
  if (record.status === "COMPLETED") {
    return {
      className: "completed",
      ...common,
      external_path: record.externalPath ?? "",
      discarded: statistics.isDiscarded(record.checkpointId),
    };
  }
  if (record.status === "FAILED") {
    return {
      className: "failed",
      ...common,
      failure_timestamp: record.endedAtMs ?? -1,
      failure_message: failureMessage(record),
    };
  }
  return { className: "in_progress", ...common };
}

function checkpointType(record: CheckpointRecord): string {
  if (record.kind === "SAVEPOINT") return "SAVEPOINT";
  if (record.kind === "STOP_WITH_SAVEPOINT") return "SYNC_SAVEPOINT";
  const isUnaligned = record.vertices.some(({ subtasks }) =>
    subtasks.some((subtask) => subtask.isUnaligned === true),
  );
  return isUnaligned ? "UNALIGNED_CHECKPOINT" : "CHECKPOINT";
}

function failureMessage({ failure }: CheckpointRecord): string {
  if (failure === null) return "";
  const causes = failure.causes.map((cause) => `\nCaused by: ${cause}`);
  return `${failure.message}${causes.join("")}`;
}

function acknowledged({ subtasks }: VertexRecord): readonly SubtaskRecord[] {
  return subtasks.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== null);
}

function vertexLine(record: CheckpointRecord, vertex: VertexRecord): Record<string, unknown> {
  const sizes = checkpointSizes({ vertices: [vertex] });
  const inTime = vertex.subtasks.filter(({ status }) => status === "ACKNOWLEDGED");
  const times = inTime.flatMap(({ acknowledgedAtMs }) => acknowledgedAtMs ?? []);
  const latestMs = times.length === 0 ? -1 : Math.max(...times);
  const awaited = vertex.subtasks.filter(({ status }) => status !== "FINISHED_BEFORE").length;
  return {
    id: record.checkpointId,
    status: vertexStatus(record, inTime.length === awaited),
    latest_ack_timestamp: latestMs,
    checkpointed_size: sizes.checkpointedSizeBytes,
    state_size: sizes.stateSizeBytes,
    end_to_end_duration: latestMs === -1 ? -1 : Math.max(0, latestMs - record.triggeredAtMs),
    alignment_buffered: 0,
    processed_data: sizes.processedBytes,
    persisted_data: sizes.persistedBytes,
    num_subtasks: vertex.parallelism,
    num_acknowledged_subtasks: inTime.length,
  };
}

/** The checkpoint's own status, but for a vertex that is complete while the checkpoint goes on. */
function vertexStatus({ status }: CheckpointRecord, isComplete: boolean): string {
  return status === "IN_PROGRESS" && isComplete ? "COMPLETED" : status;
}

/** `/jobs/:jobid/checkpoints/details/:checkpointid/subtasks/:vertexid`. */
export function checkpointSubtasks(record: CheckpointRecord, vertex: VertexRecord): object {
  const known = acknowledged(vertex);
  const over = (of: (subtask: SubtaskRecord) => number | null): object =>
    summaryOf(known.map((subtask) => of(subtask) ?? 0));
  return {
    ...vertexLine(record, vertex),
    summary: {
      checkpointed_size: over((subtask) => subtask.checkpointedSizeBytes),
      state_size: over((subtask) => subtask.stateSizeBytes),
      end_to_end_duration: over((subtask) => sinceTrigger(record, subtask)),
      checkpoint_duration: {
        sync: over((subtask) => whole(subtask.syncDurationMs)),
        async: over((subtask) => whole(subtask.asyncDurationMs)),
      },
      alignment: {
        buffered: summaryOf([0]),
        processed: over((subtask) => subtask.alignmentProcessedBytes),
        persisted: over((subtask) => subtask.alignmentPersistedBytes),
        duration: over((subtask) => whole(subtask.alignmentDurationMs)),
      },
      start_delay: over((subtask) => whole(subtask.startDelayMs)),
    },
    subtasks: vertex.subtasks.map((subtask) => subtaskLine(record, subtask)),
  };
}

function subtaskLine(record: CheckpointRecord, subtask: SubtaskRecord): object {
  if (subtask.acknowledgedAtMs === null) {
    return {
      className: "pending",
      index: subtask.subtaskIndex,
      status: "pending_or_failed",
    };
  }
  return {
    className: "completed",
    index: subtask.subtaskIndex,
    ack_timestamp: subtask.acknowledgedAtMs,
    end_to_end_duration: sinceTrigger(record, subtask),
    checkpointed_size: subtask.checkpointedSizeBytes ?? 0,
    state_size: subtask.stateSizeBytes ?? 0,
    checkpoint: { sync: whole(subtask.syncDurationMs), async: whole(subtask.asyncDurationMs) },
    alignment: {
      buffered: 0,
      processed: subtask.alignmentProcessedBytes ?? 0,
      persisted: subtask.alignmentPersistedBytes ?? 0,
      duration: whole(subtask.alignmentDurationMs),
    },
    start_delay: whole(subtask.startDelayMs),
    unaligned_checkpoint: subtask.isUnaligned ?? false,
    aborted: false,
    status: "completed",
  };
}

function sinceTrigger(record: CheckpointRecord, { acknowledgedAtMs }: SubtaskRecord): number {
  return Math.max(0, (acknowledgedAtMs ?? record.triggeredAtMs) - record.triggeredAtMs);
}

function whole(durationMs: number | null): number {
  return Math.round(durationMs ?? 0);
}

/** `/jobs/:jobid/checkpoints/config`. Only asked for if checkpoints are taken. */
export function checkpointsConfig(options: CheckpointingOptions): Record<string, unknown> {
  const isInMemory = options.storage === "jobmanager" || options.directory === undefined;
  return {
    mode: options.mode.toLowerCase(),
    interval: options.intervalMs ?? 0,
    timeout: options.timeoutMs,
    min_pause: options.minPauseMs,
    max_concurrent: options.maxConcurrentCheckpoints,
    externalization: {
      enabled: options.retention !== "NO_EXTERNALIZED_CHECKPOINTS",
      delete_on_cancellation: options.retention !== "RETAIN_ON_CANCELLATION",
    },
    state_backend: "HashMapStateBackend",
    checkpoint_storage: isInMemory ? "JobManagerCheckpointStorage" : "FileSystemCheckpointStorage",
    unaligned_checkpoints: options.unalignedEnabled,
    tolerable_failed_checkpoints: options.tolerableFailedCheckpointCount,
    aligned_checkpoint_timeout: options.alignedTimeoutMs,
    checkpoints_after_tasks_finish: options.checkpointsAfterTasksFinish,
    state_changelog_enabled: false,
    changelog_periodic_materialization_interval: 600_000,
    changelog_storage: "memory",
  };
}
