import { ByteWriter, StreamError } from "../../base/index.ts";
import { describeValue, propertyPath } from "../value-path.ts";
import type { KeyKind } from "../type-serializer.ts";

/**
 * The bytes that stand for a key: two keys are one key if and only if their bytes are equal.
 *
 * @remarks
 * One tag byte of the type, then the value, so that bytes of one type order as the values do: numbers numerically with
 * NaN last, strings by code point, false before true. Rules:
 *
 * - K1. `-0` is `0`, and there is one NaN.
 * - K2. Strings are UTF-8; an unpaired surrogate is three bytes of its own, so that no two strings become one.
 * - K3. The fields of an object are sorted by name; a field that is `undefined` is as good as absent.
 * - K4. Entries of maps and sets are sorted by their bytes: insertion order does not make another key.
 * - K5. `int`, `long` and `double` of one value are different keys, since their hashes differ. A number that no
 *   declaration makes an int or a long is a double.
 * - K6. `undefined`, `null`, functions, symbols and instances of classes are refused as a key; `null` is allowed inside.
 *
 * Source: Flink refuses null keys, too (`KeyGroupRangeAssignment`: "Assigned key must not be null!").
 */
export function canonicalKeyBytes(key: unknown, kind: KeyKind = "canonical"): Uint8Array {
  const out = new ByteWriter(64);
  writeCanonicalKey(key, kind, out);
  return out.toBytes();
}

/**
 * Appends the bytes of {@link canonicalKeyBytes}.
 *
 * @throws StreamError KEY_NOT_USABLE with the path to the part that cannot be in a key.
 */
export function writeCanonicalKey(key: unknown, kind: KeyKind, out: ByteWriter): void {
  if (key === undefined || key === null) throw keyNotUsable("", `it is ${String(key)}`);
  if (typeof kind !== "string") {
    writeTuple(key, kind.fields, "", out);
  } else if (typeof key === "string" && (kind === "string" || kind === "canonical")) {
    out.writeByte(KEY_TAG.string);
    writeUtf8(key, out); // to the end: no length, so that a prefix comes first
  } else {
    writeOfKind(key, kind, "", out);
  }
}

/** In the order in which keys of different types sort. */
export const KEY_TAG = {
  undefined: 0,
  null: 1,
  boolean: 2,
  int: 3,
  long: 4,
  double: 5,
  bigint: 6,
  string: 7,
  date: 8,
  bytes: 9,
  array: 10,
  set: 11,
  map: 12,
  object: 13,
} as const;

export function keyNotUsable(path: string, problem: string): StreamError<"KEY_NOT_USABLE"> {
  return new StreamError("KEY_NOT_USABLE", { path, problem });
}

function writeOfKind(value: unknown, kind: KeyKind, path: string, out: ByteWriter): void {
  if (typeof kind !== "string") return writeTuple(value, kind.fields, path, out);
  switch (kind) {
    case "int":
      if (typeof value !== "number" || (value | 0) !== value) break;
      out.writeByte(KEY_TAG.int);
      return out.writeInt(value ^ SIGN);
    case "long":
      if (
        typeof value === "bigint"
          ? BigInt.asIntN(64, value) !== value
          : !Number.isSafeInteger(value)
      )
        break;
      out.writeByte(KEY_TAG.long);
      return out.writeLong(BigInt(value as number | bigint) ^ LONG_SIGN);
    case "double":
      if (typeof value !== "number") break;
      return writeDouble(value, out);
    case "string":
      if (typeof value !== "string") break;
      return writeValue(value, path, undefined, out);
    case "boolean":
      if (typeof value !== "boolean") break;
      return writeValue(value, path, undefined, out);
    case "canonical":
      return writeValue(value, path, undefined, out);
  }
  throw keyNotUsable(path, `${describeValue(value)} is not of the declared type ${kind}`);
}

export const SIGN: number = 0x8000_0000 | 0;
export const LONG_SIGN: bigint = -(2n ** 63n);

function writeTuple(
  value: unknown,
  fields: readonly KeyKind[],
  path: string,
  out: ByteWriter,
): void {
  if (!Array.isArray(value) || value.length !== fields.length) {
    throw keyNotUsable(path, `${describeValue(value)} is not a tuple of ${fields.length} fields`);
  }
  out.writeByte(KEY_TAG.array);
  out.writeInt(fields.length);
  fields.forEach((kind, index) => writeOfKind(value[index], kind, `${path}[${index}]`, out));
}

function writeValue(
  value: unknown,
  path: string,
  outer: Holder | undefined,
  out: ByteWriter,
): void {
  switch (typeof value) {
    case "string":
      out.writeByte(KEY_TAG.string);
      return writeText(value, out);
    case "number":
      return writeDouble(value, out);
    case "boolean":
      out.writeByte(KEY_TAG.boolean);
      return out.writeBoolean(value);
    case "bigint":
      return writeBigint(value, out);
    case "undefined":
      return out.writeByte(KEY_TAG.undefined);
    case "function":
    case "symbol":
      throw keyNotUsable(path, `it is a ${typeof value}`);
    case "object":
      if (value === null) return out.writeByte(KEY_TAG.null);
      if (holds(outer, value)) throw keyNotUsable(path, "it refers back to a value that holds it");
      return writeObject(value, path, { value, outer }, out);
  }
}

/** The objects around a value, innermost first. */
interface Holder {
  readonly value: object;
  readonly outer: Holder | undefined;
}

function holds(holder: Holder | undefined, value: object): boolean {
  for (let current = holder; current !== undefined; current = current.outer) {
    if (current.value === value) return true;
  }
  return false;
}

function writeObject(
  value: object,
  path: string,
  outer: Holder | undefined,
  out: ByteWriter,
): void {
  if (Array.isArray(value)) {
    out.writeByte(KEY_TAG.array);
    out.writeInt(value.length);
    for (let index = 0; index < value.length; index++) {
      writeValue(value[index], `${path}[${index}]`, outer, out);
    }
  } else if (value instanceof Date) {
    out.writeByte(KEY_TAG.date);
    writeOrderedDouble(value.getTime(), out);
  } else if (value instanceof Uint8Array) {
    out.writeByte(KEY_TAG.bytes);
    out.writeInt(value.length);
    out.writeBytes(value);
  } else if (value instanceof Set) {
    writeSorted(KEY_TAG.set, [...value], out, (element, to) =>
      writeValue(element, `${path}<element>`, outer, to),
    );
  } else if (value instanceof Map) {
    writeSorted(KEY_TAG.map, [...value], out, ([key, held], to) => {
      writeValue(key, `${path}<key>`, outer, to);
      writeValue(held, `${path}<value>`, outer, to);
    });
  } else {
    writePlainObject(value, path, outer, out);
  }
}

function writePlainObject(
  value: object,
  path: string,
  outer: Holder | undefined,
  out: ByteWriter,
): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw keyNotUsable(path, `it is ${describeValue(value)}`);
  }
  const held = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(value);
  if (!isSorted(names)) names.sort(); // by code unit
  out.writeByte(KEY_TAG.object);
  const at = out.length;
  out.writeInt(0);
  let count = 0;
  for (const name of names) {
    const one = held[name];
    if (one === undefined) continue;
    count++;
    writeText(name, out);
    writeValue(one, needsPath(one) ? propertyPath(path, name) : path, outer, out);
  }
  out.setInt(at, count);
}

/** Whether something in the value may be refused; a path costs more than a scalar's bytes. */
function needsPath(value: unknown): boolean {
  return typeof value === "object" || typeof value === "function" || typeof value === "symbol";
}

function isSorted(names: readonly string[]): boolean {
  for (let index = 1; index < names.length; index++) {
    if ((names[index - 1] ?? "") > (names[index] ?? "")) return false;
  }
  return true;
}

function writeSorted<T>(
  tag: number,
  entries: readonly T[],
  out: ByteWriter,
  write: (entry: T, to: ByteWriter) => void,
): void {
  const parts = entries.map((entry) => {
    const part = new ByteWriter(32);
    write(entry, part);
    return part.view();
  });
  parts.sort(compareBytes);
  out.writeByte(tag);
  out.writeInt(parts.length);
  for (const part of parts) out.writeBytes(part);
}

/** Orders bytes as unsigned numbers; a prefix comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Text with its count of bytes before it. */
function writeText(text: string, out: ByteWriter): void {
  const at = out.length;
  out.writeInt(0);
  writeUtf8(text, out);
  out.setInt(at, out.length - at - 4);
}

function writeDouble(value: number, out: ByteWriter): void {
  out.writeByte(KEY_TAG.double);
  writeOrderedDouble(value, out);
}

/** The bits of the double, turned so that their unsigned order is the numbers' own. */
function writeOrderedDouble(value: number, out: ByteWriter): void {
  const at = out.length;
  out.writeDouble(value === 0 ? 0 : value);
  const bytes = out.view();
  const first = bytes[at] ?? 0;
  if (first < 0x80) {
    bytes[at] = first | 0x80;
  } else {
    for (let index = at; index < at + 8; index++) bytes[index] = ~(bytes[index] ?? 0);
  }
}

/** Sign, count of bytes, magnitude; the latter two inverted for negative numbers, so that bytes order as numbers do. */
function writeBigint(value: bigint, out: ByteWriter): void {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  const count = hex.length / 2;
  out.writeByte(KEY_TAG.bigint);
  out.writeByte(negative ? 0 : 1);
  out.writeInt((negative ? ~count : count) ^ (negative ? SIGN : 0));
  for (let index = 0; index < hex.length; index += 2) {
    const byte = Number.parseInt(hex.slice(index, index + 2), 16);
    out.writeByte(negative ? 0xff - byte : byte);
  }
}

function writeUtf8(text: string, out: ByteWriter): void {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      out.writeByte(unit);
      continue;
    }
    const point = text.codePointAt(index) ?? 0;
    if (point < 0x800) {
      out.writeByte(0xc0 | (point >> 6));
      out.writeByte(0x80 | (point & 0x3f));
    } else if (point < 0x1_0000) {
      out.writeByte(0xe0 | (point >> 12));
      out.writeByte(0x80 | ((point >> 6) & 0x3f));
      out.writeByte(0x80 | (point & 0x3f));
    } else {
      index++;
      out.writeByte(0xf0 | (point >> 18));
      out.writeByte(0x80 | ((point >> 12) & 0x3f));
      out.writeByte(0x80 | ((point >> 6) & 0x3f));
      out.writeByte(0x80 | (point & 0x3f));
    }
  }
}
