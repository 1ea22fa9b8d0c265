import type { TaskMetricsSnapshot } from "../../runtime/index.ts";
import { subtaskSummaryOf, type SubtaskSummary } from "./statistics-summary.ts";

/** What tasks have read, written and waited. */
export interface IoMetrics {
  readonly "read-bytes": number;
  readonly "read-bytes-complete": boolean;
  readonly "write-bytes": number;
  readonly "write-bytes-complete": boolean;
  readonly "read-records": number;
  readonly "read-records-complete": boolean;
  readonly "write-records": number;
  readonly "write-records-complete": boolean;
  readonly "accumulated-backpressured-time": number;
  readonly "accumulated-idle-time": number;
  readonly "accumulated-busy-time": number;
}

/** Adds up what tasks have counted; those that have not begun count nothing. */
export function ioMetrics(tasks: readonly (TaskMetricsSnapshot | undefined)[]): IoMetrics {
  const begun = tasks.filter((task) => task !== undefined);
  const isComplete = begun.length === tasks.length;
  const sum = (of: (task: TaskMetricsSnapshot) => number): number =>
    Math.round(begun.reduce((total, task) => total + of(task), 0));
  return {
    "read-bytes": sum(({ numBytesIn }) => numBytesIn),
    "read-bytes-complete": isComplete,
    "write-bytes": sum(({ numBytesOut }) => numBytesOut),
    "write-bytes-complete": isComplete,
    "read-records": sum(({ numRecordsIn }) => numRecordsIn),
    "read-records-complete": isComplete,
    "write-records": sum(({ numRecordsOut }) => numRecordsOut),
    "write-records-complete": isComplete,
    "accumulated-backpressured-time": sum(({ times }) => times.backPressuredMs),
    "accumulated-idle-time": sum(({ times }) => times.idleMs),
    "accumulated-busy-time": sum(({ times }) => times.busyMs),
  };
}

const SUMMED = [
  "read-bytes",
  "write-bytes",
  "read-records",
  "write-records",
  "accumulated-backpressured-time",
  "accumulated-idle-time",
  "accumulated-busy-time",
] as const;

/** Summaries over subtasks, by metric. */
export function summarizeIo(each: readonly IoMetrics[]): Readonly<Record<string, SubtaskSummary>> {
  return Object.fromEntries(
    SUMMED.map((name) => [name, subtaskSummaryOf(each.map((metrics) => metrics[name]))]),
  );
}
