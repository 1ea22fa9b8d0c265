/** Whose metric it is, as Flink's scopes have it. */
export type MetricScope =
  | "jobmanager"
  | "jobmanager_job"
  | "taskmanager"
  | "taskmanager_job_task"
  | "taskmanager_job_task_operator";

/** One metric at one moment, under Flink's name: `Status.JVM.CPU.Load`, `numRecordsIn`. */
export interface Metric {
  readonly name: string;
  readonly value: number | string | boolean;
}

/** Metrics that belong to one thing, and what tells it from others of its kind. */
export interface MetricGroup {
  readonly scope: MetricScope;
  /** Names are Flink's variables: `job_id`, `subtask_index`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly metrics: readonly Metric[];
}

/** A metric's value as Flink's REST writes it. */
export function metricText(value: Metric["value"]): string {
  if (typeof value !== "number") return String(value);
  if (value === Number.POSITIVE_INFINITY) return "Infinity";
  if (value === Number.NEGATIVE_INFINITY) return "-Infinity";
  return String(value);
}

/** A name as it stands in front of an operator's metrics in REST. Source: Flink `MetricQueryService`. */
export function queryName(name: string): string {
  return name.replaceAll(/[ .:,]/g, "_");
}
