/**
 * Numbers as text. Units are the symbols of the SI and of computing, which are the same in every language; words come
 * from the catalogue.
 */

const NOTHING = "–";

/** A length of time in the two units that matter: `326 ms`, `8.05 s`, `2 min 5 s`, `3 h 20 min`, `4 d 2 h`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return NOTHING;
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 1) return ms === 0 ? "0 ms" : "<1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${trim((ms / 1_000).toFixed(2))} s`;
  if (ms < 60_000) return `${trim((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return pair(seconds, 60, "min", "s");
  if (seconds < 86_400) return pair(Math.round(seconds / 60), 60, "h", "min");
  return pair(Math.round(seconds / 3_600), 24, "d", "h");
}

function pair(total: number, size: number, large: string, small: string): string {
  const rest = total % size;
  const whole = `${Math.floor(total / size)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

/** A change of a length of time, with its sign. */
export function durationChange(ms: number | undefined): string {
  if (ms === undefined) return NOTHING;
  return ms > 0 ? `+${duration(ms)}` : duration(ms);
}

const SIZES = ["B", "KB", "MB", "GB", "TB", "PB"];

/** A size; 1 KB is 1024 B, as in Flink. */
export function bytes(size: number | undefined): string {
  if (size === undefined) return NOTHING;
  if (size < 0) return `−${bytes(-size)}`;
  let value = size;
  let unit = 0;
  while (value >= 1_000 && unit < SIZES.length - 1) {
    value /= 1_024;
    unit++;
  }
  return `${significant(value)} ${SIZES[unit]}`;
}

export function bytesChange(size: number): string {
  return size > 0 ? `+${bytes(size)}` : bytes(size);
}

const COUNTS = ["", "k", "M", "G", "T"];

/** A count or rate in short: `950`, `12.3 k`, `4.5 M`. */
export function count(value: number | undefined): string {
  if (value === undefined) return NOTHING;
  let rest = value;
  let unit = 0;
  while (Math.abs(rest) >= 1_000 && unit < COUNTS.length - 1) {
    rest /= 1_000;
    unit++;
  }
  const suffix = COUNTS[unit];
  return suffix === "" ? significant(rest) : `${significant(rest)} ${suffix}`;
}

/** A ratio between 0 and 1 as per cent. */
export function percent(ratio: number | undefined): string {
  return ratio === undefined ? NOTHING : `${Math.round(ratio * 100)} %`;
}

/** A factor such as a skew: `3.7×`. */
export function factor(value: number): string {
  return `${trim(value.toFixed(1))}×`;
}

/** Three significant digits. */
function significant(value: number): string {
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return trim(value.toFixed(Math.abs(value) >= 10 ? 1 : 2));
}

function trim(digits: string): string {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

/** Beyond this a date has no calendar; the watermark after the end of all input is one. */
const LAST_DATE_MS = 8.64e15;

/** The time of day, to the second, in the reader's zone. */
export function timeOfDay(atMs: number | undefined): string {
  if (atMs === undefined || atMs <= 0) return NOTHING;
  if (atMs > LAST_DATE_MS) return "∞";
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

/** Day and time, in the reader's zone, as ISO 8601 orders them. */
export function dayAndTime(atMs: number | undefined): string {
  if (atMs === undefined || atMs <= 0) return NOTHING;
  if (atMs > LAST_DATE_MS) return "∞";
  const date = new Date(atMs);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join(
    "-",
  );
  return `${day} ${timeOfDay(atMs)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** The name of a subtask as Flink writes it: `totals (1/4)`. */
export function subtaskName(name: string, subtaskIndex: number, parallelism: number): string {
  return `${name} (${subtaskIndex + 1}/${parallelism})`;
}
