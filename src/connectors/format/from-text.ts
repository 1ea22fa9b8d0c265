import type { TypeShape } from "../../serde/index.ts";

/** A value, or why there is none. */
export type Parsed = { readonly value: unknown } | { readonly problem: string };

const WHOLE_NUMBER = /^[-+]?\d+$/;
const INT_MIN = -2_147_483_648;
const INT_MAX = 2_147_483_647;

/** Text of a number. Beside decimal notation the words `NaN`, `Infinity` and `-Infinity`. */
export function parseDouble(text: string): Parsed {
  const trimmed = text.trim();
  const value = trimmed === "" ? Number.NaN : Number(trimmed);
  if (Number.isNaN(value) && trimmed !== "NaN") return { problem: `${quote(text)} is no number` };
  return { value };
}

export function parseInteger(text: string, kind: "int" | "long"): Parsed {
  const value = WHOLE_NUMBER.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) return { problem: `${quote(text)} is no whole number` };
  return integerInRange(value, kind);
}

export function integerInRange(value: number, kind: "int" | "long"): Parsed {
  const fits = kind === "int" ? value >= INT_MIN && value <= INT_MAX : Number.isSafeInteger(value);
  return fits ? { value } : { problem: `${value} is outside the range of ${kind}` };
}

/** A moment: milliseconds since the epoch, or ISO-8601 text; a time without zone is UTC. */
export function parseTimestamp(text: string): Parsed {
  const trimmed = text.trim();
  if (WHOLE_NUMBER.test(trimmed)) return integerInRange(Number(trimmed), "long");
  if (trimmed === "Infinity" || trimmed === "-Infinity") return { value: Number(trimmed) };
  const iso =
    /^(?:\d{4}|[-+]\d{6})-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?)?(Z|[-+]\d{2}:?\d{2})?$/.exec(
      trimmed,
    );
  const zoned =
    iso === null ? "" : iso[1] !== undefined && iso[4] === undefined ? `${trimmed}Z` : trimmed;
  const value = iso === null ? Number.NaN : Date.parse(zoned.replace(" ", "T").replace(",", "."));
  return Number.isNaN(value)
    ? { problem: `${quote(text)} is no moment (milliseconds or ISO-8601)` }
    : { value };
}

export function parseBigint(text: string): Parsed {
  return WHOLE_NUMBER.test(text.trim())
    ? { value: BigInt(text.trim()) }
    : { problem: `${quote(text)} is no whole number` };
}

export function parseBase64(text: string): Parsed {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? { value: new Uint8Array(Buffer.from(text, "base64")) }
    : { problem: `${quote(text)} is no base64` };
}

/** The value of one field of a table of text, by its declared type. Empty text is absent where the type allows it. */
export function parseField(text: string, shape: TypeShape): Parsed {
  switch (shape.kind) {
    case "string":
    case "any":
      return { value: text };
    case "boolean":
      return text === "true" || text === "false"
        ? { value: text === "true" }
        : { problem: `${quote(text)} is neither true nor false` };
    case "int":
    case "long":
      return parseInteger(text, shape.kind);
    case "double":
      return parseDouble(text);
    case "timestamp":
      return parseTimestamp(text);
    case "date": {
      const moment = parseTimestamp(text);
      return "problem" in moment ? moment : { value: new Date(moment.value as number) };
    }
    case "bigint":
      return parseBigint(text);
    case "bytes":
      return parseBase64(text);
    case "enumeration":
      return shape.values.includes(text)
        ? { value: text }
        : { problem: `${quote(text)} is none of ${shape.values.join(", ")}` };
    case "optional":
      return text === "" ? { value: undefined } : parseField(text, shape.of);
    case "nullable":
      return text === "" ? { value: null } : parseField(text, shape.of);
    default:
      return { problem: `a ${shape.kind} cannot stand in one field of text` };
  }
}

/** The text for a message: quoted, at most 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

/** The beginning of a text that is long. */
export function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
