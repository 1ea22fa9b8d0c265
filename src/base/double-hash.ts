const SCRATCH_FLOAT = new Float64Array(1);
const SCRATCH_WORDS = new Uint32Array(SCRATCH_FLOAT.buffer);
const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
const HIGH = LITTLE_ENDIAN ? 1 : 0;
const LOW = 1 - HIGH;

/** The two 32-bit halves of a double, folded as Java's `Double.hashCode` does; one NaN, -0 as 0. */
export function doubleHash(value: number): number {
  SCRATCH_FLOAT[0] = value === 0 ? 0 : value;
  const high = SCRATCH_WORDS[HIGH] ?? 0;
  const low = SCRATCH_WORDS[LOW] ?? 0;
  return Number.isNaN(value) ? 0x7ff80000 | 0 : (high ^ low) | 0;
}
