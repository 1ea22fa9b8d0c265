/** What a summary says of some numbers. Percentiles are `"NaN"` where there are none, as in Flink. */
export interface StatisticsSummary {
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  readonly p50: number | "NaN";
  readonly p90: number | "NaN";
  readonly p95: number | "NaN";
  readonly p99: number | "NaN";
  readonly p999: number | "NaN";
}

/** Sums numbers up. */
export function summaryOf(values: readonly number[]): StatisticsSummary {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
    avg: count === 0 ? 0 : Math.trunc(sum / count),
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    p999: percentile(sorted, 0.999),
  };
}

/** What a summary says over the subtasks of a vertex. */
export interface SubtaskSummary {
  readonly min: number;
  readonly avg: number;
  readonly median: number;
  readonly p25: number;
  readonly p75: number;
  readonly p95: number;
  readonly max: number;
  readonly sum: number;
}

export function subtaskSummaryOf(values: readonly number[]): SubtaskSummary {
  const sorted = values.toSorted((a, b) => a - b);
  const sum = sorted.reduce((total, value) => total + value, 0);
  const at = (quantile: number): number => {
    const value = percentile(sorted, quantile);
    return value === "NaN" ? 0 : Math.trunc(value);
  };
  return {
    min: sorted[0] ?? 0,
    avg: sorted.length === 0 ? 0 : Math.trunc(sum / sorted.length),
    median: at(0.5),
    p25: at(0.25),
    p75: at(0.75),
    p95: at(0.95),
    max: sorted.at(-1) ?? 0,
    sum,
  };
}

/**
 * Between the two nearest values, by the rule that Flink's histograms use: position `quantile * (count + 1)`.
 *
 * Source: Flink `DescriptiveStatisticsHistogramStatistics`.
 */
function percentile(sorted: readonly number[], quantile: number): number | "NaN" {
  if (sorted.length === 0) return "NaN";
  const position = quantile * (sorted.length + 1);
  const lower = Math.floor(position);
  const below = sorted[Math.min(Math.max(lower, 1), sorted.length) - 1] ?? 0;
  const above = sorted[Math.min(Math.max(lower + 1, 1), sorted.length) - 1] ?? 0;
  return below + (position - lower) * (above - below);
}
