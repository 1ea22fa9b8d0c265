import {
  type ByteWriter,
  MAX_UTF_BYTES,
  modifiedUtf8Length,
  StreamError,
  writeUtf,
} from "../../base/index.ts";

/**
 * Writes text with a 16-bit length before it.
 *
 * @throws StreamError METADATA_TEXT_TOO_LONG if it is longer than that length can say.
 */
export function writeText(text: string, out: ByteWriter): void {
  // A code unit takes three bytes at most.
  if (text.length * 3 > MAX_UTF_BYTES) {
    const sizeBytes = modifiedUtf8Length(text);
    if (sizeBytes > MAX_UTF_BYTES) {
      throw new StreamError("METADATA_TEXT_TOO_LONG", {
        start: text.slice(0, 80),
        sizeBytes,
        limitBytes: MAX_UTF_BYTES,
      });
    }
  }
  writeUtf(text, out);
}
