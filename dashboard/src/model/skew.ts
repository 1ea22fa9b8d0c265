export interface Skew {
  /** The greatest value divided by the mean: 1 is even, the number of subtasks is all at one. */
  readonly ratio: number;
  readonly greatestIndex: number;
}

/** A vertex whose greatest subtask exceeds the mean by this factor is shown as skewed. */
export const NOTABLE_SKEW = 1.5;

/** How unevenly something is spread; undefined of fewer than two values or if there is nothing to spread. */
export function skewOf(values: readonly number[]): Skew | undefined {
  const sum = values.reduce((total, value) => total + value, 0);
  if (values.length < 2 || sum <= 0) return undefined;
  const greatest = Math.max(...values);
  return { ratio: (greatest * values.length) / sum, greatestIndex: values.indexOf(greatest) };
}

/** Reduces a list to at most so many bars, each the greatest of its share, so that no peak is lost. */
export function binned(values: readonly number[], limit: number): readonly number[] {
  if (values.length <= limit) return values;
  return Array.from({ length: limit }, (_, bin) => {
    const from = Math.floor((bin * values.length) / limit);
    const to = Math.floor(((bin + 1) * values.length) / limit);
    return Math.max(...values.slice(from, to));
  });
}
