import { DURATION_FORMS, parseDurationMs } from "./duration.ts";
import { StreamError } from "./errors.ts";

/**
 * A length of time as an argument: text as in Flink's configuration (`"10 s"`, `"5 min"`), or a number of milliseconds. Where
 * a time may be negative (`"-8 h"`), the sign stands first.
 */
export type Duration = number | string;

/**
 * An argument of the public API in milliseconds.
 *
 * @param what - Whose argument it is, for the error: `TumblingEventTimeWindows.of`.
 * @throws StreamError PARAMETER_INVALID if it is no length of time of at least `leastMs`.
 */
export function durationMs(duration: Duration, what: string, leastMs = 0): number {
  const valueMs = typeof duration === "number" ? duration : parseSigned(duration);
  if (valueMs === undefined || !Number.isFinite(valueMs)) {
    throw new StreamError("PARAMETER_INVALID", {
      what,
      problem: `${JSON.stringify(duration)} is neither a number of milliseconds nor ${DURATION_FORMS}`,
    });
  }
  if (valueMs < leastMs) {
    throw new StreamError("PARAMETER_INVALID", {
      what,
      problem: `${JSON.stringify(duration)} is not a time of at least ${leastMs} ms`,
    });
  }
  return valueMs;
}

function parseSigned(text: string): number | undefined {
  if (!text.startsWith("-")) return parseDurationMs(text);
  const magnitudeMs = parseDurationMs(text.slice(1));
  return magnitudeMs === undefined ? undefined : -magnitudeMs;
}
