import { ByteWriter, latin1Text } from "../../base/index.ts";
import { compareBytes, canonicalKeyBytes, writeCanonicalKey } from "./canonical-key-bytes.ts";
import type { KeyKind } from "../type-serializer.ts";

/** Whether two values are one key: NaN equals NaN, 0 equals -0, objects are equal if their canonical bytes are. */
export function keyEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === "object" && typeof b === "object" && a !== null && b !== null) {
    return compareBytes(canonicalKeyBytes(a), canonicalKeyBytes(b)) === 0;
  }
  return Number.isNaN(a) && Number.isNaN(b);
}

/**
 * Orders keys as their canonical bytes do: numbers numerically with NaN last, strings by code point, objects by bytes.
 *
 * @remarks
 * This is the order of ties (timers of one time, entries of a map state), since insertion order does not survive a restore.
 * It does not depend on the declared kind as long as both keys have the same.
 */
export function compareKeys(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "number" && typeof b === "number") return compareNumbers(a, b);
  if (typeof a === typeof b && (typeof a === "bigint" || typeof a === "boolean")) {
    return a === b ? 0 : (a as bigint) < (b as bigint) ? -1 : 1;
  }
  return compareBytes(canonicalKeyBytes(a), canonicalKeyBytes(b));
}

function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  return (Number.isNaN(a) ? 1 : 0) - (Number.isNaN(b) ? 1 : 0);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return compareUnits(a, b, index);
  }
  return a.length - b.length;
}

/** Orders by code point two texts that first differ at `index`. */
function compareUnits(a: string, b: string, index: number): number {
  const left = a.charCodeAt(index);
  const right = b.charCodeAt(index);
  if (left < 0xd800 && right < 0xd800) return left - right;
  const inPair = index > 0 && isHighSurrogate(a.charCodeAt(index - 1));
  if (inPair && isLowSurrogate(left) !== isLowSurrogate(right))
    return isLowSurrogate(left) ? 1 : -1;
  if (inPair && isLowSurrogate(left)) return left - right;
  return (a.codePointAt(index) ?? 0) - (b.codePointAt(index) ?? 0);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/**
 * A primitive that is equal (as a key of a JavaScript `Map`) exactly if the keys are: what state tables index by.
 *
 * @remarks
 * Strings, numbers, booleans and bigints stand for themselves. Any other key is a string of {@link COMPOSITE_PREFIX} and
 * one character for each canonical byte; a string key that happens to begin with the prefix takes that form, too, so
 * that nothing collides.
 *
 * @throws StreamError KEY_NOT_USABLE as {@link writeCanonicalKey} does.
 */
export function keyIdentity(
  key: unknown,
  kind: KeyKind = "canonical",
): string | number | boolean | bigint {
  if (typeof key === "number" || typeof key === "boolean" || typeof key === "bigint") return key;
  if (typeof key !== "string") return compositeIdentity(key, kind);
  const isAmbiguous = key.charCodeAt(0) === 0 && key.startsWith(COMPOSITE_PREFIX);
  return isAmbiguous ? compositeIdentity(key, kind) : key;
}

/** Two characters that text hardly begins with; both of one byte, so that an identity takes a byte for each character. */
export const COMPOSITE_PREFIX = "\0\x9e";

const SCRATCH = new ByteWriter(256);

function compositeIdentity(key: unknown, kind: KeyKind): string {
  SCRATCH.reset();
  SCRATCH.writeByte(COMPOSITE_PREFIX.charCodeAt(0));
  SCRATCH.writeByte(COMPOSITE_PREFIX.charCodeAt(1));
  writeCanonicalKey(key, kind, SCRATCH);
  return latin1Text(SCRATCH.view());
}
