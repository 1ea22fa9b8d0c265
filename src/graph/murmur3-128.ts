const C1 = 0x87c37b91114253d5n;
const C2 = 0x4cf5ad432745937fn;
const MASK = 0xffff_ffff_ffff_ffffn;
const BLOCK_BYTES = 16;

/**
 * MurmurHash3 x64 128 with seed 0: the hash from which Flink makes operator ids.
 *
 * @remarks
 * Written for few short inputs (names, not records), so it works on bigints.
 *
 * Source: Austin Appleby, MurmurHash3_x64_128; the digest's bytes are both halves in little-endian order.
 */
export function murmur3Hash128(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let h1 = 0n;
  let h2 = 0n;
  const blockEnd = bytes.length - (bytes.length % BLOCK_BYTES);
  for (let at = 0; at < blockEnd; at += BLOCK_BYTES) {
    h1 ^= mixFirst(view.getBigUint64(at, true));
    h1 = (rotateLeft(h1, 27n) + h2) & MASK;
    h1 = (h1 * 5n + 0x52dce729n) & MASK;
    h2 ^= mixSecond(view.getBigUint64(at + 8, true));
    h2 = (rotateLeft(h2, 31n) + h1) & MASK;
    h2 = (h2 * 5n + 0x38495ab5n) & MASK;
  }
  const tail = new DataView(new ArrayBuffer(BLOCK_BYTES));
  for (let at = blockEnd; at < bytes.length; at++) tail.setUint8(at - blockEnd, bytes[at] ?? 0);
  h1 ^= mixFirst(tail.getBigUint64(0, true));
  h2 ^= mixSecond(tail.getBigUint64(8, true));

  const length = BigInt(bytes.length);
  h1 ^= length;
  h2 ^= length;
  h1 = (h1 + h2) & MASK;
  h2 = (h2 + h1) & MASK;
  h1 = finalMix(h1);
  h2 = finalMix(h2);
  h1 = (h1 + h2) & MASK;
  h2 = (h2 + h1) & MASK;
  const digest = new DataView(new ArrayBuffer(BLOCK_BYTES));
  digest.setBigUint64(0, h1, true);
  digest.setBigUint64(8, h2, true);
  return new Uint8Array(digest.buffer);
}

function mixFirst(k: bigint): bigint {
  return (rotateLeft((k * C1) & MASK, 31n) * C2) & MASK;
}

function mixSecond(k: bigint): bigint {
  return (rotateLeft((k * C2) & MASK, 33n) * C1) & MASK;
}

function rotateLeft(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & MASK;
}

function finalMix(value: bigint): bigint {
  let mixed = value;
  mixed ^= mixed >> 33n;
  mixed = (mixed * 0xff51afd7ed558ccdn) & MASK;
  mixed ^= mixed >> 33n;
  mixed = (mixed * 0xc4ceb9fe1a85ec53n) & MASK;
  return mixed ^ (mixed >> 33n);
}
