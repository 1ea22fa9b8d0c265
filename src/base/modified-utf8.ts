import { MalformedBytesError, type ByteReader, type ByteWriter } from "./bytes.ts";

/**
 * Java's modified UTF-8: each UTF-16 code unit by itself, NUL as two bytes, surrogates as three bytes each.
 *
 * @remarks
 * So unpaired surrogates survive. Source: `java.io.DataOutputStream.writeUTF`.
 */
export function writeModifiedUtf8(text: string, out: ByteWriter): void {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x01 && unit <= 0x7f) {
      out.writeByte(unit);
    } else if (unit <= 0x7ff) {
      out.writeByte(0xc0 | (unit >> 6));
      out.writeByte(0x80 | (unit & 0x3f));
    } else {
      out.writeByte(0xe0 | (unit >> 12));
      out.writeByte(0x80 | ((unit >> 6) & 0x3f));
      out.writeByte(0x80 | (unit & 0x3f));
    }
  }
}

/** How many bytes {@link writeModifiedUtf8} writes. */
export function modifiedUtf8Length(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    length += unit >= 0x01 && unit <= 0x7f ? 1 : unit <= 0x7ff ? 2 : 3;
  }
  return length;
}

/** Longest encoded text that `writeUTF` can hold, in bytes. */
export const MAX_UTF_BYTES = 65_535;

/** Text with an unsigned 16-bit byte length before it, as `DataOutputStream.writeUTF`. The caller keeps it within {@link MAX_UTF_BYTES}. */
export function writeUtf(text: string, out: ByteWriter): void {
  const length = modifiedUtf8Length(text);
  if (length > MAX_UTF_BYTES)
    throw new RangeError(`Text of ${length} encoded bytes; writeUTF holds ${MAX_UTF_BYTES}`);
  out.writeShort(length);
  writeModifiedUtf8(text, out);
}

/** Reads what {@link writeUtf} wrote. */
export function readUtf(input: ByteReader): string {
  return decodeModifiedUtf8(input.readBytes(input.readUnsignedShort()), input.position);
}

/** Text of the encoded bytes. `positionBytes` is where they end, for the error. */
export function decodeModifiedUtf8(bytes: Uint8Array, positionBytes = 0): string {
  const units: number[] = [];
  let text = "";
  let index = 0;
  while (index < bytes.length) {
    const first = bytes[index++] ?? 0;
    if (first < 0x80) {
      units.push(first);
    } else if (first >> 5 === 0b110 && isContinuation(bytes[index])) {
      units.push(((first & 0x1f) << 6) | ((bytes[index++] ?? 0) & 0x3f));
    } else if (
      first >> 4 === 0b1110 &&
      isContinuation(bytes[index]) &&
      isContinuation(bytes[index + 1])
    ) {
      const second = bytes[index++] ?? 0;
      const third = bytes[index++] ?? 0;
      units.push(((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f));
    } else {
      throw new MalformedBytesError(
        "Malformed modified UTF-8",
        positionBytes - bytes.length + index,
      );
    }
    if (units.length >= 4096) {
      text += String.fromCharCode(...units);
      units.length = 0;
    }
  }
  return text + String.fromCharCode(...units);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >> 6 === 0b10;
}
