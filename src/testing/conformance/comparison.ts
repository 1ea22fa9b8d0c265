import { MAX_TIMESTAMP, MIN_TIMESTAMP } from "../../base/index.ts";
import { isObject } from "./scenario.ts";

/**
 * One text for equal values: maps are compared by content, absent fields are as undefined ones, and a 64-bit number is one
 * whether it is written as a number or as text.
 */
export function canonicalText(value: unknown): string {
  if (value === MAX_TIMESTAMP) return "9223372036854775807";
  if (value === MIN_TIMESTAMP) return "-9223372036854775808";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") {
    return /^-?\d{16,19}$/.test(value) ? value : JSON.stringify(value);
  }
  if (value instanceof Map) return canonicalText(Object.fromEntries(value));
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (isObject(value)) {
    const fields = Object.keys(value)
      .filter((name) => value[name] !== undefined)
      .toSorted()
      .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`);
    return `{${fields.join(",")}}`;
  }
  return value === undefined ? "nothing" : JSON.stringify(value);
}

/** Compares exactly. Returns what differs, or undefined. */
export function compareExactly(expected: unknown, actual: unknown): string | undefined {
  const a = canonicalText(expected);
  const b = canonicalText(actual);
  return a === b ? undefined : `expected ${a}, got ${b}`;
}

/** Compares two lists without regard to order. */
export function compareUnordered(
  expected: readonly unknown[],
  actual: readonly unknown[],
): string | undefined {
  const a = expected.map(canonicalText).toSorted();
  const b = actual.map(canonicalText).toSorted();
  const same = a.length === b.length && a.every((text, index) => text === b[index]);
  return same ? undefined : `expected in any order [${a.join(",")}], got [${b.join(",")}]`;
}

/**
 * Compares the output of an operator: per subtask, watermarks and statuses at their places, records between two of them in any
 * order; each side output apart, in order per key.
 */
export function compareOperatorOutput(
  expected: readonly unknown[],
  actual: readonly unknown[],
): string | undefined {
  const wanted = outputParts(expected);
  const got = outputParts(actual);
  for (const name of new Set([...wanted.keys(), ...got.keys()])) {
    const a = (wanted.get(name) ?? []).flatMap((segment) => segment.toSorted());
    const b = (got.get(name) ?? []).flatMap((segment) => segment.toSorted());
    if (a.length !== b.length || a.some((text, index) => text !== b[index])) {
      return `${name}: expected ${a.join(" ") || "nothing"}, got ${b.join(" ") || "nothing"}`;
    }
  }
  return undefined;
}

/** Each stream of the output by name, as segments in whose midst order is free. */
function outputParts(entries: readonly unknown[]): Map<string, string[][]> {
  const parts = new Map<string, string[][]>();
  for (const entry of entries) {
    const name = streamName(entry);
    let segments = parts.get(name);
    if (segments === undefined) parts.set(name, (segments = [[]]));
    const text = canonicalText(entry);
    if (isObject(entry) && (entry["watermark"] !== undefined || entry["status"] !== undefined)) {
      segments.push([text], []);
    } else if (name.startsWith("side")) {
      segments.push([text]);
    } else {
      segments.at(-1)?.push(text);
    }
  }
  return parts;
}

function streamName(entry: unknown): string {
  if (!isObject(entry)) return "output";
  const subtask =
    entry["subtask"] === undefined ? "" : ` of subtask ${canonicalText(entry["subtask"])}`;
  if (entry["side"] !== undefined) {
    const element: unknown = entry["element"];
    const key: unknown = Array.isArray(element) ? element[0] : entry["key"];
    const ofKey = key === undefined ? "" : ` for key ${canonicalText(key)}`;
    return `side output ${canonicalText(entry["side"])}${ofKey}${subtask}`;
  }
  if (entry["late"] !== undefined) return `side output late${subtask}`;
  if (entry["timedOut"] !== undefined) return `side output timedOut${subtask}`;
  return `output${subtask}`;
}
