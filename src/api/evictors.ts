import type { Duration } from "../base/index.ts";
import { countEvictor, deltaEvictor, type Evictor, timeEvictor } from "../operators/index.ts";

/** Keeps the newest records of a window by order of arrival. */
export const CountEvictor: {
  /**
   * @param maxCount - How many records stay.
   * @param doEvictAfter - Removes after the window function instead of before.
   */
  readonly of: <T>(maxCount: number, doEvictAfter?: boolean) => Evictor<T, unknown>;
} = { of: countEvictor };

/** Keeps the records of a window that are younger than a time before the youngest. */
export const TimeEvictor: {
  /**
   * @param keep - Text such as `"1 min"`, or milliseconds.
   * @param doEvictAfter - Removes after the window function instead of before.
   * @throws StreamError PARAMETER_INVALID if it is no time.
   */
  readonly of: <T>(keep: Duration, doEvictAfter?: boolean) => Evictor<T, unknown>;
} = { of: timeEvictor };

/** Keeps the records of a window that are less than a threshold away from the last one. */
export const DeltaEvictor: {
  /**
   * @param delta - How far a record is from the last one.
   * @param doEvictAfter - Removes after the window function instead of before.
   */
  readonly of: <T>(
    threshold: number,
    delta: (element: T, last: T) => number,
    doEvictAfter?: boolean,
  ) => Evictor<T, unknown>;
} = { of: deltaEvictor };
