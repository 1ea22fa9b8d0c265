/** Methods of `Buffer` that work on any `Uint8Array` and that its types leave out. */
export const NATIVE_TEXT = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, start: number, end: number): string;
  utf8Write(this: Uint8Array, text: string, start: number, maxBytes: number): number;
};

/** Text of one character for each byte. */
export function latin1Text(bytes: Uint8Array): string {
  return NATIVE_TEXT.latin1Slice.call(bytes, 0, bytes.length);
}

/** Text of bytes that are known to be ASCII. */
export function asciiText(bytes: Uint8Array, start: number, length: number): string {
  return length <= 4
    ? shortAscii(bytes, start, length)
    : NATIVE_TEXT.latin1Slice.call(bytes, start, start + length);
}

function shortAscii(bytes: Uint8Array, start: number, length: number): string {
  const a = bytes[start] ?? 0;
  const b = bytes[start + 1] ?? 0;
  const c = bytes[start + 2] ?? 0;
  switch (length) {
    case 0:
      return "";
    case 1:
      return String.fromCharCode(a);
    case 2:
      return String.fromCharCode(a, b);
    case 3:
      return String.fromCharCode(a, b, c);
    default:
      return String.fromCharCode(a, b, c, bytes[start + 3] ?? 0);
  }
}
