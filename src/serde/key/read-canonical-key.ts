import { ByteReader, latin1Text, MalformedBytesError } from "../../base/index.ts";
import type { KeyKind } from "../type-serializer.ts";
import { KEY_TAG, LONG_SIGN, SIGN } from "./canonical-key-bytes.ts";

/**
 * The key that canonical bytes stand for.
 *
 * @remarks
 * Equal to the key that they were made of, as keys are equal: what makes no other key does not come back (`-0`, fields that are
 * `undefined`, the order of fields, of sets and of maps, a `bigint` where a long is small enough for a number).
 *
 * @throws MalformedBytesError if the bytes are not what `canonicalKeyBytes` makes for keys of this kind.
 */
export function readCanonicalKey(bytes: Uint8Array, kind: KeyKind = "canonical"): unknown {
  const input = new ByteReader(bytes);
  const isText = bytes[0] === KEY_TAG.string && (kind === "string" || kind === "canonical");
  if (isText) return readUtf8(bytes.subarray(1));
  const key = readOfKind(input, kind);
  if (input.remaining > 0)
    throw new MalformedBytesError(`${input.remaining} bytes after a key`, input.position);
  return key;
}

const SCALAR_TAGS = {
  int: KEY_TAG.int,
  long: KEY_TAG.long,
  double: KEY_TAG.double,
  string: KEY_TAG.string,
  boolean: KEY_TAG.boolean,
} as const;

function readOfKind(input: ByteReader, kind: KeyKind): unknown {
  const at = input.position;
  const tag = input.readUnsignedByte();
  const wanted =
    typeof kind !== "string" ? KEY_TAG.array : kind === "canonical" ? undefined : SCALAR_TAGS[kind];
  if (wanted !== undefined && tag !== wanted)
    throw new MalformedBytesError(`A key of type ${wanted} expected, found ${tag}`, at);
  if (typeof kind === "string") return readTagged(input, tag);
  const count = input.readInt();
  if (count !== kind.fields.length)
    throw new MalformedBytesError(`A tuple of ${count} fields`, input.position - 4);
  return kind.fields.map((field) => readOfKind(input, field));
}

function readTagged(input: ByteReader, tag: number): unknown {
  switch (tag) {
    case KEY_TAG.undefined:
      return undefined;
    case KEY_TAG.null:
      return null;
    case KEY_TAG.boolean:
      return input.readBoolean();
    case KEY_TAG.int:
      return input.readInt() ^ SIGN;
    case KEY_TAG.long:
      return readLong(input);
    case KEY_TAG.double:
      return readOrderedDouble(input);
    case KEY_TAG.bigint:
      return readBigint(input);
    case KEY_TAG.string:
      return readText(input);
    case KEY_TAG.date:
      return new Date(readOrderedDouble(input));
    case KEY_TAG.bytes:
      return readCounted(input).slice();
    case KEY_TAG.array:
      return readMany(input);
    case KEY_TAG.set:
      return new Set(readMany(input));
    case KEY_TAG.map:
      return new Map(repeat(input, () => [readAny(input), readAny(input)] as const));
    case KEY_TAG.object:
      return Object.fromEntries(repeat(input, () => [readText(input), readAny(input)] as const));
    default:
      throw new MalformedBytesError(`A key of unknown type ${tag}`, input.position - 1);
  }
}

function readAny(input: ByteReader): unknown {
  return readTagged(input, input.readUnsignedByte());
}

function readMany(input: ByteReader): unknown[] {
  return repeat(input, () => readAny(input));
}

function repeat<T>(input: ByteReader, read: () => T): T[] {
  const at = input.position;
  const count = input.readInt();
  if (count < 0 || count > input.remaining)
    throw new MalformedBytesError(`${count} parts of a key`, at);
  return Array.from({ length: count }, read);
}

function readCounted(input: ByteReader): Uint8Array {
  return input.readBytes(input.readInt());
}

function readLong(input: ByteReader): number | bigint {
  const value = BigInt.asIntN(64, input.readLong() ^ LONG_SIGN);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function readOrderedDouble(input: ByteReader): number {
  const bytes = input.readBytes(8).slice();
  const first = bytes[0] ?? 0;
  if (first >= 0x80) bytes[0] = first & 0x7f;
  else for (let index = 0; index < 8; index++) bytes[index] = ~(bytes[index] ?? 0);
  return new ByteReader(bytes).readDouble();
}

function readBigint(input: ByteReader): bigint {
  const negative = input.readUnsignedByte() === 0;
  const held = input.readInt();
  const count = negative ? ~(held ^ SIGN) : held;
  let value = 0n;
  for (const byte of input.readBytes(count))
    value = value * 256n + BigInt(negative ? 0xff - byte : byte);
  return negative ? -value : value;
}

function readText(input: ByteReader): string {
  return readUtf8(readCounted(input));
}

/** UTF-8 in which an unpaired surrogate is three bytes of its own. */
function readUtf8(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte < 0x80)) return latin1Text(bytes);
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (at + length > bytes.length)
      throw new MalformedBytesError("A key's text ends too early", at);
    let point = length === 1 ? first : first & (0x7f >> length);
    for (let next = 1; next < length; next++)
      point = (point << 6) | ((bytes[at + next] ?? 0) & 0x3f);
    text += String.fromCodePoint(point);
    at += length;
  }
  return text;
}
