/** What is made of the values of one metric over several things. Source: Flink `AggregatedMetric`. */
export type Aggregation = "min" | "max" | "sum" | "avg" | "skew";

export const AGGREGATIONS: readonly Aggregation[] = ["min", "max", "avg", "sum", "skew"];

/** One metric over several things. */
export type AggregatedMetric = { readonly id: string } & {
  readonly [A in Aggregation]?: number;
};

/**
 * Aggregates numbers by name. A name without any number is left out.
 *
 * @param values - What each thing has under each name.
 */
export function aggregateMetrics(
  names: readonly string[],
  values: readonly ReadonlyMap<string, unknown>[],
  aggregations: readonly Aggregation[],
): readonly AggregatedMetric[] {
  return names.flatMap((id) => {
    const numbers = values
      .map((of) => of.get(id))
      .filter((value) => typeof value === "number" || typeof value === "string")
      .map(Number)
      .filter((value) => Number.isFinite(value));
    if (numbers.length === 0) return [];
    const all = AGGREGATIONS.filter((aggregation) => aggregations.includes(aggregation));
    return [
      {
        id,
        ...Object.fromEntries(all.map((aggregation) => [aggregation, OF[aggregation](numbers)])),
      },
    ];
  });
}

const OF: { readonly [A in Aggregation]: (numbers: readonly number[]) => number } = {
  min: (numbers) => Math.min(...numbers),
  max: (numbers) => Math.max(...numbers),
  sum: sumOf,
  avg: (numbers) => sumOf(numbers) / numbers.length,
  skew: skewOf,
};

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/**
 * How unevenly the values lie around their mean: their mean distance from it as a percentage of the mean, at most 100.
 *
 * Source: Flink `DoubleAccumulator.DoubleDataSkew`.
 */
function skewOf(numbers: readonly number[]): number {
  const mean = sumOf(numbers) / numbers.length;
  if (mean === 0 || numbers.length < 2) return 0;
  const distance = sumOf(numbers.map((number) => Math.abs(number - mean))) / numbers.length;
  return Math.min(100, (distance / Math.abs(mean)) * 100);
}
