import type { StructField, TypeShape } from "../../serde/index.ts";
import {
  integerInRange,
  type Parsed,
  parseBase64,
  parseBigint,
  parseTimestamp,
  shorten,
} from "./from-text.ts";

/** Makes a value of a declared type out of what `JSON.parse` returned. */
export type JsonReader = (json: unknown) => unknown;

/** Thrown by a {@link JsonReader}: the path within the record and what is wrong there. */
export class JsonMisfit extends Error {
  override readonly name = "JsonMisfit";
  /** Path within the record, built from the inside out: `orders[3].customer`. */
  path = "";

  /** Puts a step before the path. */
  within(step: string): this {
    this.path =
      this.path === "" || this.path.startsWith("[")
        ? `${step}${this.path}`
        : `${step}.${this.path}`;
    return this;
  }
}

/**
 * The reader for a type. Numbers, text, booleans, arrays and objects are themselves; `timestamp` and `date` are numbers or
 * ISO-8601 text; `bigint` is a number or digits; `bytes` is base64; a map is an object or an array of pairs.
 */
export function jsonReader(shape: TypeShape): JsonReader {
  switch (shape.kind) {
    case "struct":
      return structReader(shape.fields);
    case "optional":
      return optionalReader(shape.of, undefined);
    case "nullable":
      return optionalReader(shape.of, null);
    case "array":
      return elementsReader(jsonReader(shape.element), (values) => values);
    case "set":
      return elementsReader(jsonReader(shape.element), (values) => new Set(values));
    case "map":
      return mapReader(shape.key, shape.value);
    case "tuple":
      return tupleReader(shape.fields);
    case "union":
      return unionReader(shape);
    case "custom":
      return (json) => json;
    default:
      return leafReader(shape);
  }
}

function misfit(json: unknown, expected: string): JsonMisfit {
  const found = json === undefined ? "nothing" : shorten(JSON.stringify(json));
  return new JsonMisfit(`${expected} expected, found ${found}`);
}

function taken(parsed: Parsed): unknown {
  if ("problem" in parsed) throw new JsonMisfit(parsed.problem);
  return parsed.value;
}

type Leaf = Extract<
  TypeShape,
  { readonly kind: string; readonly fields?: never; readonly element?: never }
>;

function leafReader(shape: Leaf): JsonReader {
  switch (shape.kind) {
    case "string":
      return (json) => (typeof json === "string" ? json : fail(json, "text"));
    case "boolean":
      return (json) => (typeof json === "boolean" ? json : fail(json, "true or false"));
    case "int":
    case "long": {
      const { kind } = shape;
      return (json) =>
        Number.isInteger(json)
          ? taken(integerInRange(json as number, kind))
          : fail(json, "a whole number");
    }
    case "double":
      return (json) => (typeof json === "number" ? json : doubleWord(json));
    case "timestamp":
      return moment;
    case "date":
      return (json) => new Date(moment(json));
    case "bigint":
      return (json) =>
        Number.isSafeInteger(json)
          ? BigInt(json as number)
          : taken(parseBigint(asText(json, "a whole number")));
    case "bytes":
      return (json) => taken(parseBase64(asText(json, "base64 text")));
    case "enumeration": {
      const { values } = shape;
      return (json) =>
        values.includes(json as string) ? json : fail(json, `one of ${values.join(", ")}`);
    }
    default:
      return (json) => json;
  }
}

function fail(json: unknown, expected: string): never {
  throw misfit(json, expected);
}

function asText(json: unknown, expected: string): string {
  return typeof json === "string" ? json : fail(json, expected);
}

/** JSON has no NaN and no infinities; they are written as words. */
function doubleWord(json: unknown): number {
  if (json === "NaN" || json === "Infinity" || json === "-Infinity") return Number(json);
  return fail(json, "a number");
}

function moment(json: unknown): number {
  if (typeof json === "number") {
    return Number.isSafeInteger(json)
      ? json
      : fail(json, "a moment in whole milliseconds or ISO-8601 text");
  }
  return taken(parseTimestamp(asText(json, "a moment in milliseconds or ISO-8601 text"))) as number;
}

function optionalReader(of: TypeShape, absent: undefined | null): JsonReader {
  const read = jsonReader(of);
  return (json) => (json === undefined || json === null ? absent : read(json));
}

function structReader(fields: readonly StructField[]): JsonReader {
  const readers = fields.map((field) => ({
    name: field.name,
    read: jsonReader(field.shape),
    isOptional: field.shape.kind === "optional",
    makeDefault: field.makeDefault,
  }));
  return (json) => {
    if (typeof json !== "object" || json === null || Array.isArray(json))
      throw misfit(json, "an object");
    const source = json as Readonly<Record<string, unknown>>;
    const value: Record<string, unknown> = {};
    for (const field of readers) {
      const found = Object.hasOwn(source, field.name) ? source[field.name] : undefined;
      if (found === undefined && field.makeDefault !== undefined)
        value[field.name] = field.makeDefault();
      else if (found !== undefined || !field.isOptional)
        value[field.name] = readPart(field.read, found, field.name);
    }
    return value;
  };
}

function readPart(read: JsonReader, json: unknown, step: string): unknown {
  try {
    return read(json);
  } catch (error) {
    throw error instanceof JsonMisfit ? error.within(step) : error;
  }
}

function elementsReader(read: JsonReader, collect: (values: unknown[]) => unknown): JsonReader {
  return (json) => {
    if (!Array.isArray(json)) throw misfit(json, "an array");
    return collect(json.map((element, index) => readPart(read, element, `[${index}]`)));
  };
}

function mapReader(key: TypeShape, value: TypeShape): JsonReader {
  const readKey = jsonReader(key);
  const readValue = jsonReader(value);
  return (json) => {
    const pairs = Array.isArray(json)
      ? json
      : typeof json === "object" && json !== null
        ? Object.entries(json)
        : fail(json, "an object or an array of pairs");
    return new Map(
      pairs.map((pair: unknown, index) => {
        if (!Array.isArray(pair) || pair.length !== 2)
          throw misfit(pair, "a pair").within(`[${index}]`);
        return [
          readPart(readKey, pair[0], `[${index}]`),
          readPart(readValue, pair[1], `[${String(pair[0])}]`),
        ];
      }),
    );
  };
}

function tupleReader(fields: readonly TypeShape[]): JsonReader {
  const readers = fields.map(jsonReader);
  return (json) => {
    if (!Array.isArray(json) || json.length !== readers.length)
      throw misfit(json, `an array of ${readers.length}`);
    return readers.map((read, index) => readPart(read, json[index], `[${index}]`));
  };
}

function unionReader(shape: Extract<TypeShape, { readonly kind: "union" }>): JsonReader {
  const { discriminator } = shape;
  const readers = shape.alternatives.map(({ tag, shape: of }) => ({ tag, read: jsonReader(of) }));
  if (discriminator === undefined) {
    return (json) => {
      for (const { read } of readers) {
        try {
          return read(json);
        } catch (error) {
          if (!(error instanceof JsonMisfit)) throw error;
        }
      }
      throw misfit(json, "one of the union's types");
    };
  }
  return (json) => {
    if (typeof json !== "object" || json === null) throw misfit(json, "an object");
    const tag = (json as Readonly<Record<string, unknown>>)[discriminator];
    const alternative = readers.find((candidate) => candidate.tag === tag);
    if (alternative === undefined) {
      throw misfit(tag, `one of ${readers.map((candidate) => candidate.tag).join(", ")}`).within(
        discriminator,
      );
    }
    return { [discriminator]: tag, ...(alternative.read(json) as object) };
  };
}
