import {
  type GaugeValue,
  type HistogramStatistics,
  type MetricPlace,
  QUANTILES,
} from "../../operators/index.ts";

/** Whose metric it is, as Flink's scopes have it. */
export type MetricScope =
  | "jobmanager"
  | "jobmanager_job"
  | "taskmanager"
  | "taskmanager_job_task"
  | "taskmanager_job_task_operator";

/** A metric of one value at one moment, under Flink's name: `Status.JVM.CPU.Load`, `numRecordsIn`. */
export interface ValueMetric {
  readonly name: string;
  readonly value: GaugeValue;
  /** Where it stands if that is not its name: among groups with variables. */
  readonly place?: MetricPlace | undefined;
}

/** A histogram at one moment. */
export interface HistogramMetric {
  readonly name: string;
  readonly histogram: HistogramStatistics;
  readonly place?: MetricPlace | undefined;
}

export type Metric = ValueMetric | HistogramMetric;

/** Metrics that belong to one thing, and what tells it from others of its kind. */
export interface MetricGroup {
  readonly scope: MetricScope;
  /** Names are Flink's variables: `job_id`, `subtask_index`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly metrics: readonly Metric[];
}

/** How Flink's REST calls the quantiles of a histogram, in their order. */
const QUANTILE_NAMES: { readonly [Q in (typeof QUANTILES)[number]]: string } = {
  0.5: "median",
  0.75: "p75",
  0.9: "p90",
  0.95: "p95",
  0.98: "p98",
  0.99: "p99",
  0.999: "p999",
};

/** As REST has them: of a histogram one metric for each figure. Source: Flink `MetricStore`. */
export function singleValues(metrics: readonly Metric[]): readonly ValueMetric[] {
  return metrics.flatMap((metric) => {
    if (!("histogram" in metric)) return [metric];
    const { min, max, mean, stddev, quantiles } = metric.histogram;
    const figures = [
      ["min", min],
      ["max", max],
      ["mean", mean],
      ["stddev", stddev],
      ...QUANTILES.map((quantile, index) => [QUANTILE_NAMES[quantile], quantiles[index]] as const),
    ] as const;
    return figures.map(([figure, value]) => ({
      name: `${metric.name}_${figure}`,
      value: value ?? Number.NaN,
    }));
  });
}

/** A metric's value as Flink's REST writes it. */
export function metricText(value: GaugeValue): string {
  if (typeof value !== "number") return String(value);
  if (value === Number.POSITIVE_INFINITY) return "Infinity";
  if (value === Number.NEGATIVE_INFINITY) return "-Infinity";
  return String(value);
}

/** A name as it stands in front of an operator's metrics in REST. Source: Flink `MetricQueryService`. */
export function queryName(name: string): string {
  return name.replaceAll(/[ .:,]/g, "_");
}
