import { type ByteReader, type ByteWriter, MalformedBytesError } from "../../base/index.ts";
import {
  ANY_TAG,
  isPlainObject,
  MAX_DEPTH,
  TYPED_ARRAY_KINDS,
  typedArrayKindOf,
} from "./any-format.ts";
import { readBigintBytes, writeBigintBytes } from "./bigint-bytes.ts";
import { refuse } from "./codec.ts";
import { readFields, writeFields } from "./object-form.ts";

/** Appends any plain value in the form of {@link ANY_TAG}. */
export function writeAny(value: unknown, out: ByteWriter): void {
  write(value, out, 0);
}

function write(value: unknown, out: ByteWriter, depth: number): void {
  switch (typeof value) {
    case "string":
      out.writeByte(ANY_TAG.string);
      return out.writeString(value);
    case "number":
      return writeNumber(value, out);
    case "boolean":
      return out.writeByte(value ? ANY_TAG.true : ANY_TAG.false);
    case "undefined":
      return out.writeByte(ANY_TAG.undefined);
    case "bigint":
      out.writeByte(ANY_TAG.bigint);
      return writeBigintBytes(value, out, 0);
    case "object":
      return value === null ? out.writeByte(ANY_TAG.null) : writeObject(value, out, depth);
    case "function":
    case "symbol":
      return refuse();
  }
}

function writeNumber(value: number, out: ByteWriter): void {
  if ((value << 1) >> 1 === value && !Object.is(value, -0)) {
    out.writeByte(ANY_TAG.int);
    out.writeVarint(((value << 1) ^ (value >> 31)) >>> 0);
  } else {
    out.writeByte(ANY_TAG.double);
    out.writeDouble(value);
  }
}

function writeObject(value: object, out: ByteWriter, depth: number): void {
  if (depth > MAX_DEPTH) refuse();
  if (Array.isArray(value)) return writeArray(value, out, depth);
  if (isPlainObject(value)) return writePlainObject(value, out, depth);
  if (value instanceof Date) {
    out.writeByte(ANY_TAG.date);
    out.writeDouble(value.getTime());
  } else if (value instanceof Map) {
    out.writeByte(ANY_TAG.map);
    out.writeVarint(value.size);
    for (const [key, held] of value) {
      write(key, out, depth + 1);
      write(held, out, depth + 1);
    }
  } else if (value instanceof Set) {
    out.writeByte(ANY_TAG.set);
    out.writeVarint(value.size);
    for (const element of value) write(element, out, depth + 1);
  } else if (value instanceof RegExp) {
    out.writeByte(ANY_TAG.regExp);
    out.writeString(value.source);
    out.writeString(value.flags);
    out.writeVarint(value.lastIndex);
  } else {
    writeTypedArray(value, out);
  }
}

function writeArray(value: readonly unknown[], out: ByteWriter, depth: number): void {
  out.writeByte(ANY_TAG.array);
  out.writeVarint(value.length);
  for (let index = 0; index < value.length; index++) {
    const element = value[index];
    if (element === undefined && !(index in value)) index = writeHoles(value, index, out);
    else write(element, out, depth + 1);
  }
}

/** Appends the run of holes that begins at `start`; returns the index of its last one. */
function writeHoles(value: readonly unknown[], start: number, out: ByteWriter): number {
  let end = start + 1;
  while (end < value.length && !(end in value)) end++;
  out.writeByte(ANY_TAG.holes);
  out.writeVarint(end - start);
  return end - 1;
}

function writePlainObject(value: object, out: ByteWriter, depth: number): void {
  out.writeByte(Object.getPrototypeOf(value) === null ? ANY_TAG.bareObject : ANY_TAG.object);
  writeFields(value, out, write, depth + 1);
}

function writeTypedArray(value: object, out: ByteWriter): void {
  const kind = typedArrayKindOf(value);
  if (kind === undefined) return refuse();
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value as ArrayBuffer);
  out.writeByte(ANY_TAG.typedArray);
  out.writeByte(kind);
  out.writeVarint(bytes.length);
  out.writeBytes(lowByteFirst(bytes, kind));
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The bytes as they are, or each element turned around where the machine has the high byte first. */
function lowByteFirst(bytes: Uint8Array, kind: number): Uint8Array {
  const size = TYPED_ARRAY_KINDS[kind]?.elementBytes ?? 1;
  if (IS_LITTLE_ENDIAN || size === 1) return bytes;
  const turned = bytes.slice();
  for (let at = 0; at < turned.length; at += size) turned.subarray(at, at + size).reverse();
  return turned;
}

/**
 * Reads what {@link writeAny} wrote.
 *
 * @throws MalformedBytesError if the bytes are not of that form.
 */
export function readAny(input: ByteReader): unknown {
  const tag = input.readUnsignedByte();
  switch (tag) {
    case ANY_TAG.undefined:
      return undefined;
    case ANY_TAG.null:
      return null;
    case ANY_TAG.false:
      return false;
    case ANY_TAG.true:
      return true;
    case ANY_TAG.int: {
      const zigzag = input.readVarint();
      return (zigzag >>> 1) ^ -(zigzag & 1);
    }
    case ANY_TAG.double:
      return input.readDouble();
    case ANY_TAG.string:
      return input.readString();
    case ANY_TAG.bigint:
      return readBigintBytes(input, input.readVarint());
    case ANY_TAG.date:
      return new Date(input.readDouble());
    case ANY_TAG.array:
      return readArray(input);
    case ANY_TAG.object:
      return readFields(input, readAny);
    case ANY_TAG.bareObject:
      return Object.setPrototypeOf(readFields(input, readAny), null);
    default:
      return readRare(tag, input);
  }
}

function readRare(tag: number, input: ByteReader): unknown {
  switch (tag) {
    case ANY_TAG.map: {
      const map = new Map<unknown, unknown>();
      for (let count = readCount(input); count > 0; count--) {
        const key = readAny(input);
        map.set(key, readAny(input));
      }
      return map;
    }
    case ANY_TAG.set: {
      const set = new Set<unknown>();
      for (let count = readCount(input); count > 0; count--) set.add(readAny(input));
      return set;
    }
    case ANY_TAG.regExp:
      return readRegExp(input);
    case ANY_TAG.typedArray:
      return readTypedArray(input);
    default:
      throw new MalformedBytesError(
        `Unknown tag ${tag} of a self-describing value`,
        input.position - 1,
      );
  }
}

function readRegExp(input: ByteReader): RegExp {
  const at = input.position;
  const source = input.readString();
  const flags = input.readString();
  try {
    const expression = new RegExp(source, flags);
    expression.lastIndex = input.readVarint();
    return expression;
  } catch {
    // The only cause is a source that no RegExp writes.
    throw new MalformedBytesError("Malformed regular expression", at);
  }
}

function readTypedArray(input: ByteReader): object {
  const number = input.readUnsignedByte();
  const kind = TYPED_ARRAY_KINDS[number];
  const length = input.readVarint();
  if (kind === undefined || length % kind.elementBytes !== 0) {
    throw new MalformedBytesError(
      `Unknown kind ${number} of typed array, ${length} bytes long`,
      input.position,
    );
  }
  const bytes = lowByteFirst(input.readBytes(length), number);
  return kind.make(bytes.slice().buffer as ArrayBuffer);
}

/** A count of things of at least one byte each. */
function readCount(input: ByteReader): number {
  const count = input.readVarint();
  if (count > input.remaining) {
    throw new MalformedBytesError(
      `${count} elements expected, ${input.remaining} bytes left`,
      input.position,
    );
  }
  return count;
}

const MAX_ARRAY_LENGTH = 2 ** 32 - 1;

function readArray(input: ByteReader): unknown[] {
  const length = input.readVarint();
  if (length > MAX_ARRAY_LENGTH)
    throw new MalformedBytesError(`An array of ${length}`, input.position);
  const array: unknown[] = [];
  while (array.length < length) {
    const start = input.position;
    if (input.readUnsignedByte() === ANY_TAG.holes) {
      const end = array.length + input.readVarint();
      if (end > length)
        throw new MalformedBytesError("More holes than elements in an array", start);
      array.length = end;
    } else {
      input.seek(start);
      array.push(readAny(input));
    }
  }
  return array;
}
