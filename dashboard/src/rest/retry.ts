/** The longest wait between two tries, in milliseconds. */
const LONGEST_MS = 30_000;

/**
 * How long to wait until the next call.
 *
 * @param failedCount - How many calls in a row have failed; the wait doubles with each.
 */
export function nextCallAfterMs(intervalMs: number, failedCount: number): number {
  if (failedCount === 0) return intervalMs;
  return Math.min(LONGEST_MS, 1_000 * 2 ** (failedCount - 1));
}
