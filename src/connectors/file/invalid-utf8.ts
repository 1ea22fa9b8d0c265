import { isUtf8 } from "node:buffer";

/** Index of the first byte at which the text stops being UTF-8. */
export function invalidUtf8At(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isPrefixOfUtf8(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** True if the bytes are UTF-8 but for a character cut off at their end. */
function isPrefixOfUtf8(bytes: Buffer): boolean {
  for (let cut = 0; cut <= 3 && cut <= bytes.length; cut++) {
    const head = bytes.subarray(0, bytes.length - cut);
    if (!isUtf8(head)) continue;
    if (cut === 0) return true;
    const lead = bytes[bytes.length - cut] ?? 0;
    const length =
      lead >> 5 === 0b110 ? 2 : lead >> 4 === 0b1110 ? 3 : lead >> 3 === 0b11110 ? 4 : 0;
    return (
      length > cut && bytes.subarray(bytes.length - cut + 1).every((byte) => byte >> 6 === 0b10)
    );
  }
  return false;
}
