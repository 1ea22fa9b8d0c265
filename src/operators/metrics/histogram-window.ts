import { assert } from "../../base/index.ts";
import type { Histogram } from "./metric-group.ts";

/** The quantiles that Flink shows of a histogram, in REST or to Prometheus. */
export const QUANTILES = [0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999] as const;

/** A histogram at one moment, as plain values. Of one without values all but the count are NaN. */
export interface HistogramStatistics {
  /** All values ever. */
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** Of a sample: divided by one less than there are values. */
  readonly stddev: number;
  /** In the order of {@link QUANTILES}. */
  readonly quantiles: readonly number[];
}

/**
 * The latest values, so many of them. A value costs a store; the statistics are made when they are asked for.
 *
 * Source: Flink `DescriptiveStatisticsHistogram`.
 */
export class HistogramWindow implements Histogram {
  readonly #values: Float64Array;
  #count = 0;
  #next = 0;

  constructor(windowSize: number) {
    assert(
      Number.isInteger(windowSize) && windowSize >= 1,
      "a histogram's window holds at least one value",
    );
    this.#values = new Float64Array(windowSize);
  }

  get count(): number {
    return this.#count;
  }

  update(value: number): void {
    const at = this.#next;
    this.#values[at] = value;
    this.#next = at + 1 === this.#values.length ? 0 : at + 1;
    this.#count++;
  }

  statistics(): HistogramStatistics {
    const sorted = this.#values.slice(0, Math.min(this.#count, this.#values.length)).toSorted();
    const { length } = sorted;
    const mean = sorted.reduce((sum, value) => sum + value, 0) / length;
    const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return {
      count: this.#count,
      min: sorted[0] ?? Number.NaN,
      max: sorted[length - 1] ?? Number.NaN,
      mean,
      stddev: length === 1 ? 0 : Math.sqrt(squares / (length - 1)),
      quantiles: QUANTILES.map((quantile) => quantileOf(sorted, quantile)),
    };
  }
}

/**
 * Between the two values around `quantile * (n + 1)`, counted from 1, in proportion.
 *
 * Source: Apache Commons Math `Percentile` with its estimation type LEGACY, which Flink's histogram uses.
 */
function quantileOf(sorted: Float64Array, quantile: number): number {
  const { length } = sorted;
  const position = quantile * (length + 1);
  const below = Math.floor(position);
  if (below < 1) return sorted[0] ?? Number.NaN;
  if (below >= length) return sorted[length - 1] ?? Number.NaN;
  const low = sorted[below - 1] ?? Number.NaN;
  const high = sorted[below] ?? Number.NaN;
  return low + (position - below) * (high - low);
}
