const STEPS_MS: readonly number[] = [1, 2, 5]
  .flatMap((factor) => [factor, factor * 10, factor * 100])
  .concat([1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000))
  .concat([1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000))
  .concat([1, 2, 4, 8, 12, 24].map((hours) => hours * 3_600_000))
  .toSorted((left, right) => left - right);

/** Round moments from 0 to a length of time, at most so many besides 0. */
export function ticksUpTo(lengthMs: number, limit: number): readonly number[] {
  const most = Math.max(1, limit);
  const stepMs =
    STEPS_MS.find((step) => Math.floor(lengthMs / step) <= most) ??
    Math.ceil(lengthMs / most / 86_400_000) * 86_400_000;
  const count = Math.floor(lengthMs / stepMs);
  return Array.from({ length: count + 1 }, (_, index) => index * stepMs);
}
