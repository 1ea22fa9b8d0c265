/** Lines longer than this come in pieces with the same number, so that memory stays bounded. */
export const MAX_LINE_BYTES: number = 512 * 1024;

/** Pieces of one line that are handed on; what is longer is passed over. */
const MAX_PIECES = 64;

/** Cuts a stream of bytes into lines. */
export class LineSplitter {
  readonly #onLine: (text: string, line: number) => void;
  #rest: Uint8Array = new Uint8Array(0);
  #line = 1;
  #pieces = 0;

  constructor(onLine: (text: string, line: number) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    for (;;) {
      const end = buffer.indexOf(10, start);
      if (end < 0) break;
      this.#emit(buffer, start, end);
      this.#line++;
      this.#pieces = 0;
      start = end + 1;
    }
    while (buffer.length - start > MAX_LINE_BYTES) {
      this.#emit(buffer, start, start + MAX_LINE_BYTES);
      start += MAX_LINE_BYTES;
    }
    this.#rest = Uint8Array.from(buffer.subarray(start));
  }

  finish(): void {
    if (this.#rest.length === 0) return;
    const buffer = Buffer.from(this.#rest);
    this.#emit(buffer, 0, buffer.length);
    this.#rest = new Uint8Array(0);
  }

  #emit(buffer: Buffer, start: number, end: number): void {
    if (++this.#pieces > MAX_PIECES) return;
    let from = start;
    while (end - from > MAX_LINE_BYTES) {
      this.#onLine(buffer.toString("utf8", from, from + MAX_LINE_BYTES), this.#line);
      from += MAX_LINE_BYTES;
    }
    const last = end > from && buffer[end - 1] === 13 ? end - 1 : end;
    this.#onLine(buffer.toString("utf8", from, last), this.#line);
  }
}
