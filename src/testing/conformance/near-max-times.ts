import { isObject } from "./scenario.ts";
import type { TimeShift } from "./operator-scenario.ts";

const LONG_MAX = 2n ** 63n - 1n;
const LONG_MIN = -(2n ** 63n);
/** Where the session of a record without a timestamp starts; in Flink at the least 64-bit number. */
export const EARLIEST_SESSION_START: number = Number.MIN_SAFE_INTEGER;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A scenario's times that are near the 64-bit limits but not at them, moved toward zero by a multiple of the window length.
 *
 * @remarks
 * Time is a double here, exact up to 2^53 ms (the year 287,000). What such scenarios are about (windows, firing, lateness that
 * reaches the limit) does not change by whole windows.
 *
 * @param steps - All steps of the scenario. @param unitsMs - Lengths by whose multiples times may be moved.
 * @returns Undefined if all times are exact as they are.
 */
export function shiftOfNearMaxTimes(
  steps: unknown,
  unitsMs: readonly number[],
): TimeShift | undefined {
  const far = farTimes(steps);
  const [first] = far;
  if (first === undefined) return undefined;
  const unit = unitsMs.map(BigInt).reduce(leastCommonMultiple, 1n);
  // Without windows of fixed places, times near the least one keep their distance to it: there the engine has its earliest session.
  const isNearLeast = first < 0n && unit === 1n;
  const shift = isNearLeast ? LONG_MIN - BigInt(EARLIEST_SESSION_START) : (first / unit) * unit;
  const fromScenario = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fromScenario);
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, fromScenario(part)]),
      );
    }
    const time = farTime(value);
    return time === undefined ? value : Number(time - shift);
  };
  return { fromScenario };
}

function farTimes(value: unknown): readonly bigint[] {
  if (Array.isArray(value)) return value.flatMap(farTimes);
  if (isObject(value)) return Object.values(value).flatMap(farTimes);
  const time = farTime(value);
  return time === undefined ? [] : [time];
}

function farTime(value: unknown): bigint | undefined {
  if (typeof value !== "string" || !/^-?\d{16,19}$/.test(value)) return undefined;
  const time = BigInt(value);
  if (time === LONG_MAX || time === LONG_MIN || (time <= SAFE && time >= -SAFE)) return undefined;
  return time;
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? a : (a / x) * b;
}
