import { assert } from "../base/index.ts";
import type { KeyGroupRange } from "./state-handle.ts";

/**
 * Where a key lives: Flink's arithmetic on 32-bit integers, so that a key has the same key group and
 * the same subtask here and there.
 *
 * Source: Flink `KeyGroupRangeAssignment`, `MathUtils.murmurHash`.
 */

/** The largest maximum parallelism there is. */
export const MAX_MAX_PARALLELISM = 32_768;

const LOWEST_DEFAULT_MAX_PARALLELISM = 128;

/** Spreads a Java hash code; never negative. */
export function murmurHash(code: number): number {
  let hash = Math.imul(code, 0xcc9e2d51);
  hash = (hash << 15) | (hash >>> 17);
  hash = Math.imul(hash, 0x1b873593);
  hash = (hash << 13) | (hash >>> 19);
  hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  hash ^= 4;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  if (hash >= 0) return hash;
  return hash === -0x8000_0000 ? 0 : -hash;
}

/** The key group of a key whose `keyHash` this is. */
export function keyGroupOf(keyHash: number, maxParallelism: number): number {
  return murmurHash(keyHash) % maxParallelism;
}

/** The subtask that owns a key group. */
export function operatorIndexOf(
  keyGroup: number,
  maxParallelism: number,
  parallelism: number,
): number {
  return Math.floor((keyGroup * parallelism) / maxParallelism);
}

/** The key groups of one subtask. */
export function keyGroupRangeOf(
  subtaskIndex: number,
  maxParallelism: number,
  parallelism: number,
): KeyGroupRange {
  assert(parallelism <= maxParallelism, "parallelism is at most maxParallelism");
  assert(subtaskIndex >= 0 && subtaskIndex < parallelism, "the subtask exists");
  return {
    first: Math.floor((subtaskIndex * maxParallelism + parallelism - 1) / parallelism),
    last: Math.floor(((subtaskIndex + 1) * maxParallelism - 1) / parallelism),
  };
}

/** What an operator gets that sets no maximum parallelism. */
export function defaultMaxParallelism(parallelism: number): number {
  const generous = parallelism + Math.floor(parallelism / 2);
  const power = generous <= 1 ? 1 : 2 ** (32 - Math.clz32(generous - 1));
  return Math.min(Math.max(power, LOWEST_DEFAULT_MAX_PARALLELISM), MAX_MAX_PARALLELISM);
}

/** The key groups that two ranges share, or undefined. */
export function intersectRanges(a: KeyGroupRange, b: KeyGroupRange): KeyGroupRange | undefined {
  const first = Math.max(a.first, b.first);
  const last = Math.min(a.last, b.last);
  return first <= last ? { first, last } : undefined;
}
