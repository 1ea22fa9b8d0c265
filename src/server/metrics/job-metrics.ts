import type { CheckpointStatistics } from "../../checkpoint/index.ts";
import { checkpointSizes, endToEndDurationMs } from "../../checkpoint/index.ts";
import type { JobRecord, JobStatus } from "../../runtime/index.ts";
import type { ValueMetric } from "./metric.ts";

/** What the metrics of a job are made of. */
export interface JobMetricsParts {
  readonly status: JobStatus;
  readonly record: JobRecord;
  readonly statistics: CheckpointStatistics;
  readonly restartCount: number;
  readonly nowMs: number;
}

/** A job's metrics, under Flink's names. */
export function jobMetrics(parts: JobMetricsParts): readonly ValueMetric[] {
  const { statistics, restartCount } = parts;
  const { counts, latestCompleted, latestSavepoint, latestRestored } = statistics;
  const latest = [latestCompleted, latestSavepoint]
    .filter((record) => record !== undefined)
    .toSorted((a, b) => b.checkpointId - a.checkpointId)[0];
  const sizes = latest && checkpointSizes(latest);
  return [
    ...timeMetrics(parts),
    { name: "numRestarts", value: restartCount },
    { name: "fullRestarts", value: restartCount },
    { name: "numRescales", value: 0 },
    { name: "totalNumberOfCheckpoints", value: counts.total },
    { name: "numberOfInProgressCheckpoints", value: counts.inProgress },
    { name: "numberOfCompletedCheckpoints", value: counts.completed },
    { name: "numberOfFailedCheckpoints", value: counts.failed },
    { name: "lastCompletedCheckpointId", value: latest?.checkpointId ?? -1 },
    {
      name: "lastCheckpointDuration",
      value: latest === undefined ? -1 : endToEndDurationMs(latest),
    },
    { name: "lastCheckpointSize", value: sizes?.checkpointedSizeBytes ?? -1 },
    { name: "lastCheckpointFullSize", value: sizes?.stateSizeBytes ?? -1 },
    { name: "lastCheckpointProcessedData", value: sizes?.processedBytes ?? -1 },
    { name: "lastCheckpointPersistedData", value: sizes?.persistedBytes ?? -1 },
    { name: "lastCheckpointExternalPath", value: latest?.externalPath ?? "n/a" },
    { name: "lastCheckpointCompletedTimestamp", value: latest?.endedAtMs ?? -1 },
    { name: "lastCheckpointRestoreTimestamp", value: latestRestored?.restoredAtMs ?? -1 },
  ];
}

function timeMetrics({ status, record, nowMs }: JobMetricsParts): readonly ValueMetric[] {
  const since = (wanted: JobStatus): number =>
    status === wanted ? nowMs - (record.enteredAtMs.get(wanted) ?? nowMs) : 0;
  const tasks = record.timelines;
  const areAllRunning =
    tasks.length > 0 &&
    tasks.every(({ status: task }) => task === "RUNNING" || task === "FINISHED");
  const allSinceMs = Math.max(
    0,
    ...tasks.map(({ enteredAtMs }) => enteredAtMs.get("RUNNING") ?? 0),
  );
  const isDown = status === "RESTARTING" || status === "FAILING";
  return [
    { name: "uptime", value: status === "RUNNING" ? since("RUNNING") : isDown ? 0 : -1 },
    { name: "downtime", value: isDown ? since(status) : status === "RUNNING" ? 0 : -1 },
    { name: "runningTime", value: since("RUNNING") },
    { name: "restartingTime", value: since("RESTARTING") },
    { name: "cancellingTime", value: since("CANCELLING") },
    { name: "failingTime", value: since("FAILING") },
    { name: "createdTime", value: since("CREATED") },
    { name: "initializingTime", value: 0 },
    {
      name: "deployingTime",
      value: status === "RUNNING" && !areAllRunning ? since("RUNNING") : 0,
    },
    {
      name: "allSubTasksRunningOrFinishedTime",
      value: status === "RUNNING" && areAllRunning ? nowMs - allSinceMs : 0,
    },
  ];
}
