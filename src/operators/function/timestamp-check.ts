/** False for what is no moment in whole milliseconds: NaN, fractions, text. The infinities are moments. */
export function isTimestamp(value: number): boolean {
  return Math.floor(value) === value;
}

/** What to throw for the time of a timer that is none: the caller's failure names its place. */
export function noTimestamp(value: unknown): RangeError {
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  return new RangeError(`${shown} is no timestamp in whole milliseconds`);
}
