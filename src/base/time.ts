/**
 * Event time. Timestamps and watermarks are milliseconds since the epoch, as plain numbers.
 *
 * @remarks
 * Flink's `Long.MIN_VALUE` and `Long.MAX_VALUE` are the two infinities here: arithmetic on them
 * saturates by itself, and every finite time stays exact up to 2^53. Bytes hold Flink's 64-bit
 * values; `timestampToLong` and `longToTimestamp` translate.
 */

/** The timestamp of a record that has none, and the watermark before the first one. */
export const MIN_TIMESTAMP: number = Number.NEGATIVE_INFINITY;

/** The watermark after the last record of a bounded input. */
export const MAX_TIMESTAMP: number = Number.POSITIVE_INFINITY;

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/** The 64-bit value that stands for this time in bytes. */
export function timestampToLong(timestamp: number): bigint {
  if (timestamp === MIN_TIMESTAMP) return LONG_MIN;
  if (timestamp === MAX_TIMESTAMP) return LONG_MAX;
  return BigInt(Math.trunc(timestamp));
}

/** The time for which this 64-bit value stands. */
export function longToTimestamp(value: bigint): number {
  if (value === LONG_MIN) return MIN_TIMESTAMP;
  if (value === LONG_MAX) return MAX_TIMESTAMP;
  return Number(value);
}
