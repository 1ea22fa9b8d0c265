import type { StructField, TypeShape } from "../../serde/index.ts";
import { isoText } from "./iso-text.ts";

/** Makes what `JSON.stringify` can write out of a value of a declared type; the inverse of `jsonReader`. */
export type JsonWriter = (value: unknown) => unknown;

/** The writer for a type. Moments become ISO-8601 text. */
export function jsonWriter(shape: TypeShape): JsonWriter {
  switch (shape.kind) {
    case "double":
      return (value) => (Number.isFinite(value) ? value : String(value));
    case "timestamp":
      return (value) => isoText(value as number);
    case "date":
      return (value) => (value as Date).toISOString();
    case "bigint":
      return (value) => String(value);
    case "bytes":
      return (value) => Buffer.from(value as Uint8Array).toString("base64");
    case "optional":
    case "nullable": {
      const write = jsonWriter(shape.of);
      return (value) => (value === undefined || value === null ? value : write(value));
    }
    case "array":
    case "set": {
      const write = jsonWriter(shape.element);
      return (value) => Array.from(value as Iterable<unknown>, write);
    }
    case "map":
      return mapWriter(shape.key, shape.value);
    case "tuple": {
      const writers = shape.fields.map(jsonWriter);
      return (value) => writers.map((write, index) => write((value as readonly unknown[])[index]));
    }
    case "struct":
      return structWriter(shape.fields);
    case "union":
      return unionWriter(shape);
    case "any":
      return undeclared;
    default:
      return (value) => value;
  }
}

function mapWriter(key: TypeShape, value: TypeShape): JsonWriter {
  const writeKey = jsonWriter(key);
  const writeValue = jsonWriter(value);
  const asObject = key.kind === "string" || key.kind === "enumeration";
  return (map) => {
    const pairs = Array.from(
      map as Map<unknown, unknown>,
      ([k, v]) => [writeKey(k), writeValue(v)] as const,
    );
    return asObject ? Object.fromEntries(pairs as readonly (readonly [string, unknown])[]) : pairs;
  };
}

function structWriter(fields: readonly StructField[]): JsonWriter {
  const writers = fields.map((field) => ({ name: field.name, write: jsonWriter(field.shape) }));
  return (value) => {
    const source = value as Readonly<Record<string, unknown>>;
    const json: Record<string, unknown> = {};
    for (const { name, write } of writers) json[name] = write(source[name]);
    return json;
  };
}

function unionWriter(shape: Extract<TypeShape, { readonly kind: "union" }>): JsonWriter {
  const { discriminator } = shape;
  if (discriminator === undefined) return undeclared;
  const writers = new Map(shape.alternatives.map(({ tag, shape: of }) => [tag, jsonWriter(of)]));
  return (value) => {
    const tag = (value as Readonly<Record<string, unknown>>)[discriminator];
    return { [discriminator]: tag, ...(writers.get(String(tag))?.(value) as object) };
  };
}

/** Values without a declared type: what JSON lacks is written as in the declared types. */
function undeclared(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Map) return Array.from(value, ([k, v]) => [undeclared(k), undeclared(v)]);
  if (value instanceof Set) return Array.from(value, undeclared);
  if (Array.isArray(value)) return value.map(undeclared);
  if (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  ) {
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, undeclared(part)]),
    );
  }
  return value;
}
