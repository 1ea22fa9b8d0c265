import { MAX_LINE_BYTES } from "./byte-lines.ts";

/**
 * What a line must contain to matter in a large log. Each begins with a character that is rare in logs, since the search
 * for the first character is what costs.
 */
const NEEDLES: readonly Buffer[] = [
  "WARN",
  "ERROR",
  "FATAL",
  "Exception",
  "Error:",
  "kpoint",
  "vepoint",
  "witched from",
  "Loading conf",
  "Version: ",
  "Killed",
  "GTID",
  "TaskManager",
].map((text) => Buffer.from(text, "latin1"));

const NEWLINE = 10;
/** Lines kept after a hit as long as they continue its record. */
const MAX_CONTINUATION = 300;

/**
 * Picks the lines of a large log that can matter, and what continues them, without decoding the rest.
 *
 * @remarks
 * Searches each chunk for a few byte strings, so its speed hardly depends on the lines. Numbers of lines are exact.
 */
export class SelectiveSplitter {
  readonly #onLine: (text: string, line: number) => void;
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;
  #continues = 0;

  constructor(onLine: (text: string, line: number) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const whole = this.#rest.length === 0 ? view : Buffer.concat([this.#rest, view]);
    const end = whole.lastIndexOf(NEWLINE);
    if (end < 0) {
      // A line without end: its beginning is kept, the middle is passed over.
      this.#rest = Buffer.from(whole.subarray(0, MAX_LINE_BYTES));
      return;
    }
    this.#scan(whole.subarray(0, end + 1));
    this.#rest = Buffer.from(whole.subarray(end + 1));
  }

  finish(): void {
    if (this.#rest.length > 0) this.#scan(Buffer.concat([this.#rest, Buffer.from("\n")]));
    this.#rest = Buffer.alloc(0);
  }

  /** Scans whole lines. */
  #scan(block: Buffer): void {
    const next = NEEDLES.map((needle) => block.indexOf(needle));
    let position = 0;
    if (this.#continues > 0) position = this.#takeContinuation(block, 0);
    for (;;) {
      const hit = this.#nextHit(block, next, position);
      if (hit < 0) break;
      const start = block.lastIndexOf(NEWLINE, hit) + 1;
      this.#line += countNewlines(block, position, start);
      position = this.#takeLine(block, start);
      this.#continues = MAX_CONTINUATION;
      position = this.#takeContinuation(block, position);
    }
    this.#line += countNewlines(block, position, block.length);
  }

  /** The first position at or after `from` where any of the strings stands, or -1. */
  #nextHit(block: Buffer, next: number[], from: number): number {
    let first = -1;
    for (let index = 0; index < next.length; index++) {
      let at = next[index] ?? -1;
      if (at < 0) continue;
      if (at < from) {
        at = block.indexOf(NEEDLES[index] ?? "", from);
        next[index] = at;
        if (at < 0) continue;
      }
      if (first < 0 || at < first) first = at;
    }
    return first;
  }

  #takeLine(block: Buffer, start: number): number {
    const end = block.indexOf(NEWLINE, start);
    const last = end > start && block[end - 1] === 13 ? end - 1 : end;
    this.#onLine(block.toString("utf8", start, Math.min(last, start + MAX_LINE_BYTES)), this.#line);
    this.#line++;
    return end + 1;
  }

  /** Takes lines that begin no record of their own. */
  #takeContinuation(block: Buffer, from: number): number {
    let position = from;
    while (this.#continues > 0 && position < block.length) {
      if (!continuesRecord(block[position] ?? 0)) {
        this.#continues = 0;
        break;
      }
      position = this.#takeLine(block, position);
      this.#continues--;
    }
    return position;
  }
}

/** Records begin with a digit of a date, a bracket or a brace; what continues one does not. */
function continuesRecord(first: number): boolean {
  const isDigit = first >= 48 && first <= 57;
  return !isDigit && first !== 0x5b && first !== 0x7b;
}

function countNewlines(block: Buffer, from: number, to: number): number {
  let count = 0;
  let position = block.indexOf(NEWLINE, from);
  while (position >= 0 && position < to) {
    count++;
    position = block.indexOf(NEWLINE, position + 1);
  }
  return count;
}
