import { ByteWriter, doubleHash } from "../../base/index.ts";
import { keyNotUsable, writeCanonicalKey } from "./canonical-key-bytes.ts";
import type { KeyKind } from "../type-serializer.ts";
import { describeValue } from "../value-path.ts";

/**
 * The hash of a key, as a signed 32-bit number; it decides the key group.
 *
 * @remarks
 * Java's `hashCode` for strings, booleans, ints, longs, doubles and tuples of these, so that a key has the same key group
 * here and in Flink. Any other key is hashed over its canonical bytes: `h = 31 h + b` over signed bytes, from 1.
 * A `long` may be a number or a bigint.
 *
 * @throws StreamError KEY_NOT_USABLE if the key is undefined, null, or not of the declared kind, or holds what no key can hold.
 */
export function keyHash(key: unknown, kind: KeyKind): number {
  if (typeof key === "string" && (kind === "string" || kind === "canonical"))
    return stringHash(key);
  if (typeof kind !== "string") return tupleHash(key, kind.fields);
  switch (kind) {
    case "int":
      if (typeof key === "number" && (key | 0) === key) return key | 0;
      break;
    case "long":
      if (typeof key === "number" && Number.isSafeInteger(key)) return longHash(key);
      if (typeof key === "bigint" && BigInt.asIntN(64, key) === key)
        return Number(BigInt.asIntN(32, key ^ (key >> 32n)));
      break;
    case "double":
      if (typeof key === "number") return doubleHash(key);
      break;
    case "boolean":
      if (typeof key === "boolean") return booleanHash(key);
      break;
    case "string":
      break;
    case "canonical":
      return valueHash(key);
  }
  if (key === undefined || key === null) throw keyNotUsable("", `it is ${String(key)}`);
  throw keyNotUsable("", `${describeValue(key)} is not of the declared type ${kind}`);
}

function valueHash(key: unknown): number {
  if (typeof key === "number") return doubleHash(key);
  if (typeof key === "boolean") return booleanHash(key);
  SCRATCH.reset();
  writeCanonicalKey(key, "canonical", SCRATCH);
  return bytesHash(SCRATCH.view());
}

const SCRATCH = new ByteWriter(256);

/** `Arrays.hashCode(byte[])` of Java. */
export function bytesHash(bytes: Uint8Array): number {
  let hash = 1;
  for (let index = 0; index < bytes.length; index++) {
    hash = (Math.imul(31, hash) + (((bytes[index] ?? 0) << 24) >> 24)) | 0;
  }
  return hash;
}

function tupleHash(key: unknown, fields: readonly KeyKind[]): number {
  if (!Array.isArray(key) || key.length !== fields.length) {
    throw keyNotUsable("", `${describeValue(key)} is not a tuple of ${fields.length} fields`);
  }
  let hash = 0;
  for (let index = 0; index < fields.length; index++) {
    hash = (Math.imul(31, hash) + keyHash(key[index], fields[index] ?? "canonical")) | 0;
  }
  return hash;
}

/** `String.hashCode` of Java. */
export function stringHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++)
    hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0;
  return hash;
}

function booleanHash(value: boolean): number {
  return value ? 1231 : 1237;
}

function longHash(value: number): number {
  if ((value | 0) === value) return value < 0 ? ~value : value | 0;
  const high = Math.floor(value / 0x1_0000_0000);
  return (high ^ (value - high * 0x1_0000_0000)) | 0;
}
