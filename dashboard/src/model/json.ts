/**
 * Reads of JSON that this page did not write. Answers differ between versions of Flink: a field that is missing or
 * of another type reads as the fallback, and the page shows less instead of failing.
 */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** A finite number, also from text such as the values of metrics; undefined for anything else, `"NaN"` included. */
export function numberIn(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  const number = typeof found === "string" && found !== "" ? Number(found) : found;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** A number in which -1 stands for "not yet". */
export function knownNumberIn(value: unknown, name: string): number | undefined {
  const number = numberIn(value, name);
  return number === undefined || number < 0 ? undefined : number;
}

export function textIn(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === "string" ? found : undefined;
}

export function booleanIn(value: unknown, name: string): boolean {
  return field(value, name) === true;
}

export function listIn(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}

export function entriesIn(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  const found = field(value, name);
  return typeof found === "object" && found !== null && !Array.isArray(found)
    ? Object.entries(found)
    : [];
}
