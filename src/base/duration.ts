/**
 * Lengths of time as Flink's configuration writes them: `10 s`, `5min`, `PT1M30S`.
 *
 * Source: Flink `TimeUtils`.
 */

/** A unit of time: labels, the one used for printing first. */
interface TimeUnit {
  readonly nanoseconds: bigint;
  readonly labels: readonly string[];
}

/** Smallest first. */
const TIME_UNITS: readonly TimeUnit[] = [
  { nanoseconds: 1n, labels: ["ns", "nano", "nanos", "nanosecond", "nanoseconds"] },
  { nanoseconds: 1_000n, labels: ["µs", "micro", "micros", "microsecond", "microseconds"] },
  { nanoseconds: 1_000_000n, labels: ["ms", "milli", "millis", "millisecond", "milliseconds"] },
  { nanoseconds: 1_000_000_000n, labels: ["s", "sec", "secs", "second", "seconds"] },
  { nanoseconds: 60_000_000_000n, labels: ["min", "m", "minute", "minutes"] },
  { nanoseconds: 3_600_000_000_000n, labels: ["h", "hour", "hours"] },
  { nanoseconds: 86_400_000_000_000n, labels: ["d", "day", "days"] },
];

const NANOSECONDS_PER_MS = 1_000_000n;

/** Java's longest duration: 2^63 - 1 seconds and 999,999,999 ns. */
const MAX_NANOSECONDS = (2n ** 63n - 1n) * 1_000_000_000n + 999_999_999n;

const ISO_8601 =
  /^([-+]?)p(?:([-+]?\d+)d)?(t(?:([-+]?\d+)h)?(?:([-+]?\d+)m)?(?:([-+]?\d+)(?:[.,](\d{0,9}))?s)?)?$/i;

/** The forms that {@link parseDurationNs} takes, for error messages. */
export const DURATION_FORMS: string =
  'a whole number with a unit (ns, µs, ms, s, min, h, d; none is ms), such as "10 s", or ISO-8601, such as "PT10S"';

/** The length in nanoseconds, or undefined if the text is none. */
export function parseDurationNs(text: string): bigint | undefined {
  const trimmed = trimAsJava(text);
  const match = /^([0-9]+)(.*)$/s.exec(trimmed);
  const nanoseconds =
    match === null ? isoNanoseconds(trimmed) : labelledNanoseconds(match[1] ?? "", match[2] ?? "");
  return nanoseconds !== undefined && nanoseconds <= MAX_NANOSECONDS ? nanoseconds : undefined;
}

/**
 * The length in milliseconds; parts of a millisecond are dropped.
 *
 * @returns Undefined if the text is no duration; the caller says which option or argument it was.
 */
export function parseDurationMs(text: string): number | undefined {
  const nanoseconds = parseDurationNs(text);
  return nanoseconds === undefined ? undefined : Number(nanoseconds / NANOSECONDS_PER_MS);
}

/** Written with the largest unit that divides it: `90 s`, `1 min`, `0 ms`. */
export function formatDurationNs(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0 ms";
  const unit =
    TIME_UNITS.findLast((candidate) => nanoseconds % candidate.nanoseconds === 0n) ?? TIME_UNITS[0];
  return unit === undefined ? "" : `${nanoseconds / unit.nanoseconds} ${unit.labels[0]}`;
}

/** {@link formatDurationNs} of whole milliseconds. */
export function formatDurationMs(durationMs: number): string {
  return formatDurationNs(BigInt(Math.trunc(durationMs)) * NANOSECONDS_PER_MS);
}

/** Java's `String.trim`: code units up to the blank. */
export function trimAsJava(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
}

function labelledNanoseconds(digits: string, rest: string): bigint | undefined {
  const label = trimAsJava(rest).toLowerCase();
  const unit = TIME_UNITS.find(({ labels }) => labels.includes(label === "" ? "ms" : label));
  return unit === undefined ? undefined : BigInt(digits) * unit.nanoseconds;
}

/** Source: `java.time.Duration.parse`. Negative lengths are none. */
function isoNanoseconds(text: string): bigint | undefined {
  const match = ISO_8601.exec(text);
  if (match === null) return undefined;
  const [, sign, days, time, hours, minutes, seconds, fraction] = match;
  if (days === undefined && (time === undefined || time.length === 1)) return undefined;
  if (time !== undefined && time.length === 1) return undefined;
  const whole =
    BigInt(days ?? 0) * 86_400n +
    BigInt(hours ?? 0) * 3_600n +
    BigInt(minutes ?? 0) * 60n +
    BigInt(seconds ?? 0);
  const part = BigInt((fraction ?? "").padEnd(9, "0"));
  const magnitude = whole * 1_000_000_000n + (seconds?.startsWith("-") === true ? -part : part);
  const signed = sign === "-" ? -magnitude : magnitude;
  return signed < 0n ? undefined : signed;
}
