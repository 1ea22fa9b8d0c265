import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { HistogramWindow, QUANTILES } from "./histogram-window.ts";

function windowOf(values: readonly number[], size = 1_000): HistogramWindow {
  const histogram = new HistogramWindow(size);
  for (const value of values) histogram.update(value);
  return histogram;
}

describe("HistogramWindow", () => {
  test("has the statistics that Flink shows of the same values", () => {
    // Percentiles and deviation as Commons Math has them for 1 to 10.
    const { quantiles, ...others } = windowOf([7, 1, 10, 3, 5, 2, 8, 4, 6, 9]).statistics();
    expect(others.count).toBe(10);
    expect([others.min, others.max, others.mean]).toEqual([1, 10, 5.5]);
    expect(others.stddev).toBeCloseTo(3.0276503540974917, 12);
    expect(quantiles).toEqual([5.5, 8.25, 9.9, 10, 10, 10, 10]);
  });

  test("shows NaN of no value, and that value of one", () => {
    expect(windowOf([]).statistics()).toMatchObject({ count: 0, min: NaN, mean: NaN });
    expect(windowOf([]).statistics().quantiles).toEqual(QUANTILES.map(() => NaN));
    const { stddev, quantiles } = windowOf([4]).statistics();
    expect([stddev, ...quantiles]).toEqual([0, ...QUANTILES.map(() => 4)]);
  });

  test("knows the latest values only, but counts all", () => {
    const { count, min, max } = windowOf([1, 2, 3, 4, 5], 3).statistics();
    expect([count, min, max]).toEqual([5, 3, 5]);
  });

  test("has quantiles that rise from the least value to the greatest", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 1, max: 20 }),
        (values, size) => {
          const { min, max, quantiles } = windowOf(values, size).statistics();
          const latest = values.slice(-size);
          expect([min, max]).toEqual([Math.min(...latest), Math.max(...latest)]);
          const rising = [min, ...quantiles, max];
          for (const [index, value] of rising.entries())
            expect(value).toBeGreaterThanOrEqual((rising[index - 1] ?? value) - 1e-9);
        },
      ),
    );
  });
});
