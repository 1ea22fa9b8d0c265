import { isAscii, isUtf8 } from "node:buffer";

import {
  assert,
  AssertionError,
  errorText,
  isStreamError,
  type OpenFile,
  StreamError,
} from "../../base/index.ts";
import type {
  ReaderOutput,
  ReaderStatus,
  SourceReader,
  SourceReaderContext,
} from "../../operators/index.ts";
import type { BadRecordPolicy } from "./bad-record.ts";
import { BadRecordError, type RecordDecoder, type RecordFormat } from "../format/record-format.ts";
import type { FileSplit } from "./file-split.ts";
import { RateLimiter } from "../rate-limiter.ts";
import { invalidUtf8At } from "./invalid-utf8.ts";
import { RecordBuffer } from "./record-buffer.ts";

export interface FileReaderOptions {
  readonly onBadRecord: BadRecordPolicy;
  readonly maxRecordBytes: number;
  /** Undefined: a file ends where it ends. Otherwise look again this often for what was added. */
  readonly tailIntervalMs: number | undefined;
  readonly recordsPerSecond: number | undefined;
}

const CHUNK_BYTES = 256 * 1024;
const EXCERPT_CHARACTERS = 80;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const UTF8_BOM = [0xef, 0xbb, 0xbf];

/**
 * Reads files record by record.
 *
 * Invariants:
 *
 * - R1. `#position` and `#lineCount` always stand behind the last record that was emitted or dropped.
 * - R2. At most one read is in flight; its bytes belong at `#position + #droppedBytes + #buffer.length`.
 */
export class FileReader<T> implements SourceReader<T, FileSplit> {
  readonly #context: SourceReaderContext;
  readonly #format: RecordFormat<T>;
  readonly #options: FileReaderOptions;
  readonly #limiter: RateLimiter | undefined;
  readonly #buffer = new RecordBuffer(2 * CHUNK_BYTES);
  readonly #waiting: FileSplit[] = [];
  /** Files that were read to their end and are looked at again later. Only with a tail interval. */
  readonly #tailing: FileSplit[] = [];
  /** Files that are ahead of those that they are to wait for. */
  readonly #paused = new Set<string>();
  #split: FileSplit | undefined;
  #decoder: RecordDecoder<T>;
  #file: OpenFile | undefined;
  #position = 0;
  #lineCount = 0;
  #header: string | undefined;
  #isReading = false;
  #isEndOfFile = false;
  /** What has been dropped of a record that is too long: it is told of at its end, so that a restore in between drops and tells of it once. */
  #droppedBytes = 0;
  /** The beginning of that record. */
  #droppedText = "";
  #isAsciiBuffer = true;
  #hasRequested = false;
  #hasNoMoreSplits = false;
  #isClosed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(context: SourceReaderContext, format: RecordFormat<T>, options: FileReaderOptions) {
    this.#context = context;
    this.#format = format;
    this.#options = options;
    this.#decoder = format.createDecoder();
    const rate = options.recordsPerSecond;
    this.#limiter = rate === undefined ? undefined : new RateLimiter(rate, context.platform);
  }

  start(): void {}

  addSplits(splits: readonly FileSplit[]): void {
    this.#waiting.push(...splits);
    this.#hasRequested = false;
    this.#context.available();
  }

  notifyNoMoreSplits(): void {
    this.#hasNoMoreSplits = true;
    this.#context.available();
  }

  pauseOrResumeSplits(pause: readonly string[], resume: readonly string[]): void {
    for (const file of pause) this.#paused.add(file);
    for (const file of resume) this.#paused.delete(file);
    this.#context.available();
  }

  pollNext(output: ReaderOutput<T>, maxRecords: number): ReaderStatus {
    if (this.#isPaused(this.#split) && !this.#putAside()) return this.#awaitTail();
    if (this.#split === undefined && !this.#nextSplit()) return this.#withoutSplit();
    const split = this.#split;
    assert(split !== undefined, "there is a split to read");
    const limit = this.#limiter === undefined ? maxRecords : this.#limiter.allowance(maxRecords);
    if (limit === 0) return this.#wait(this.#limiter?.delayMs() ?? 0);
    const emitted = this.#emit(output.outputForSplit(split.splitId), limit);
    this.#limiter?.spend(emitted);
    if (emitted === limit) return "MORE";
    if (this.#isEndOfFile) return this.#endOfFile(output, split);
    this.#read();
    return "NOTHING";
  }

  snapshotState(): readonly FileSplit[] {
    const current = this.#split === undefined ? [] : [this.#progress(this.#split)];
    return [...current, ...this.#waiting, ...this.#tailing];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    await this.#file?.close();
    this.#file = undefined;
  }

  #progress(split: FileSplit): FileSplit {
    return {
      splitId: split.splitId,
      positionBytes: this.#position,
      lineCount: this.#lineCount,
      header: this.#header,
    };
  }

  #nextSplit(): boolean {
    const index = this.#waiting.findIndex((waiting) => !this.#isPaused(waiting));
    const [split] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (split === undefined) return false;
    this.#split = split;
    this.#position = split.positionBytes;
    this.#lineCount = split.lineCount;
    this.#header = split.header;
    this.#decoder = this.#format.createDecoder();
    this.#buffer.clear();
    this.#isEndOfFile = false;
    this.#droppedBytes = 0;
    if (split.header !== undefined) this.#decoder.readHeader(split.header);
    return true;
  }

  #isPaused(split: FileSplit | undefined): boolean {
    return split !== undefined && this.#paused.has(split.splitId);
  }

  /** Leaves a file that is ahead of others. @returns False if there is no other to read now. */
  #putAside(): boolean {
    const hasOther = this.#waiting.some((waiting) => !this.#isPaused(waiting));
    if (this.#split === undefined || this.#isReading || !hasOther) return false;
    this.#waiting.push(this.#progress(this.#split));
    this.#closeFile();
    return true;
  }

  #withoutSplit(): ReaderStatus {
    const hasPaused = this.#waiting.length > 0;
    if (this.#hasNoMoreSplits && this.#tailing.length === 0 && !hasPaused) return "END";
    if (!this.#hasRequested && !this.#hasNoMoreSplits && !hasPaused) {
      this.#hasRequested = true;
      this.#context.sendSplitRequest();
    }
    return this.#awaitTail();
  }

  #awaitTail(): ReaderStatus {
    if (this.#tailing.length > 0) this.#wait(this.#options.tailIntervalMs ?? 0);
    return "NOTHING";
  }

  #endOfFile(output: ReaderOutput<T>, split: FileSplit): ReaderStatus {
    if (this.#droppedBytes > 0 && this.#isLastRecord()) {
      this.#rejectTooLong(output.outputForSplit(split.splitId), this.#droppedText);
      this.#advance(this.#buffer.bytes, 0, 0);
    }
    if (this.#options.tailIntervalMs === undefined) output.releaseOutputForSplit(split.splitId);
    else this.#tailing.push(this.#progress(split));
    this.#closeFile();
    return "MORE";
  }

  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined;
    this.#split = undefined;
    file?.close().catch((error: unknown) => this.#context.fail(error));
  }

  #wait(delayMs: number): ReaderStatus {
    this.#cancelTimer ??= this.#context.platform.after(delayMs, () => {
      this.#cancelTimer = undefined;
      this.#waiting.push(...this.#tailing.splice(0));
      this.#context.available();
    });
    return "NOTHING";
  }

  /** Emits what the buffer holds; the number of records emitted. */
  #emit(output: ReaderOutput<T>, maxRecords: number): number {
    const { bytes, end } = this.#buffer;
    let emitted = 0;
    while (emitted < maxRecords && this.#buffer.length > 0) {
      const start = this.#buffer.start;
      const breakAt = this.#format.endOfRecord(bytes, start, end);
      if (breakAt < 0 && !this.#isLastRecord()) {
        if (this.#buffer.length > this.#options.maxRecordBytes) this.#dropTooLong(output);
        break;
      }
      const stop = breakAt < 0 ? end : breakAt;
      const taken = (breakAt < 0 ? stop : stop + 1) - start;
      if (this.#droppedBytes > 0) this.#rejectTooLong(output, this.#droppedText);
      else if (stop - start > this.#options.maxRecordBytes)
        this.#rejectTooLong(output, this.#beginning(start, stop));
      else if (this.#emitRecord(output, bytes, start, stop)) emitted++;
      this.#advance(bytes, start, taken);
    }
    return emitted;
  }

  /** True if what lies in the buffer without a line break is the last record of the file. */
  #isLastRecord(): boolean {
    return this.#isEndOfFile && this.#options.tailIntervalMs === undefined;
  }

  #advance(bytes: Uint8Array, start: number, count: number): void {
    this.#buffer.take(count);
    this.#position += count + this.#droppedBytes;
    this.#droppedBytes = 0;
    this.#lineCount++;
    if (this.#format.name === "csv")
      this.#lineCount += innerLineBreaks(bytes, start, start + count - 1);
  }

  #emitRecord(output: ReaderOutput<T>, bytes: Uint8Array, start: number, stop: number): boolean {
    const from =
      this.#position === 0 && UTF8_BOM.every((byte, index) => bytes[start + index] === byte)
        ? start + 3
        : start;
    const to = stop > from && bytes[stop - 1] === CARRIAGE_RETURN ? stop - 1 : stop;
    const slice = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
    if (!this.#isAsciiBuffer && !isUtf8(slice)) {
      this.#reject(
        output,
        `invalid UTF-8 at byte ${invalidUtf8At(slice) + 1} of the record`,
        slice.toString("latin1"),
        undefined,
      );
      return false;
    }
    const text = this.#isAsciiBuffer ? slice.toString("latin1") : slice.toString("utf8");
    if (this.#format.ignoresBlankLines && text.trim() === "") return false;
    try {
      if (this.#format.hasHeader && this.#header === undefined) {
        this.#decoder.readHeader(text);
        this.#header = text;
        return false;
      }
      output.collect(this.#decoder.decode(text));
      return true;
    } catch (error) {
      if (!(error instanceof BadRecordError)) throw error;
      this.#reject(output, error.message, text, error.column);
      return false;
    }
  }

  #dropTooLong(output: ReaderOutput<T>): void {
    if (this.#droppedBytes === 0) {
      this.#droppedText = this.#beginning(this.#buffer.start, this.#buffer.end);
      if (this.#options.onBadRecord === "fail") this.#rejectTooLong(output, this.#droppedText);
    }
    this.#droppedBytes += this.#buffer.length;
    this.#buffer.clear();
  }

  #beginning(start: number, stop: number): string {
    const { buffer, byteOffset } = this.#buffer.bytes;
    return Buffer.from(buffer, byteOffset + start, Math.min(1000, stop - start)).toString("utf8");
  }

  #rejectTooLong(output: ReaderOutput<T>, text: string): void {
    this.#reject(
      output,
      `a record of more than ${this.#options.maxRecordBytes} bytes`,
      text,
      undefined,
    );
  }

  #reject(
    output: ReaderOutput<T>,
    problem: string,
    text: string,
    column: number | undefined,
  ): void {
    const file = this.#split?.splitId ?? "";
    const line = this.#lineCount + 1;
    const policy = this.#options.onBadRecord;
    if (policy === "fail") {
      const excerpt = JSON.stringify(text.slice(0, EXCERPT_CHARACTERS));
      throw new StreamError("RECORD_MALFORMED", { file, line, column, problem, excerpt });
    }
    this.#context.metrics.counter("numBadRecords").count++;
    if (policy === "skip") return;
    output.collectSide(policy.sideOutput, { file, line, problem, text: text.slice(0, 1000) });
  }

  #read(): void {
    if (this.#isReading || this.#isClosed) return;
    this.#isReading = true;
    this.#fill()
      .catch((error: unknown) => this.#fileChanged(error))
      .catch((error: unknown) => this.#context.fail(error))
      .finally(() => {
        this.#isReading = false;
        if (!this.#isClosed) this.#context.available();
      });
  }

  async #fill(): Promise<void> {
    const split = this.#split;
    assert(split !== undefined, "there is a split to read");
    const file = this.#file ?? (await this.#open(split));
    if (this.#isClosed) return;
    const at = this.#position + this.#droppedBytes + this.#buffer.length;
    const target = this.#buffer.room(CHUNK_BYTES);
    const count = await file.read(target, at);
    if (this.#isClosed) return;
    if (count > 0) {
      const rest = this.#buffer.length === 0 || this.#isAsciiBuffer;
      this.#isAsciiBuffer = rest && isAscii(target.subarray(0, count));
      this.#buffer.filled(count);
      return;
    }
    this.#isEndOfFile = true;
    const { sizeBytes } = await file.status();
    if (sizeBytes < at)
      throw new FileChangedError(`it shrank to ${sizeBytes} bytes, of which ${at} had been read`);
  }

  /** Opens the file. Where its reading goes on, a record must have ended: else it is not the file that was read. */
  async #open(split: FileSplit): Promise<OpenFile> {
    const file = await this.#context.files.open(split.splitId, "read");
    if (this.#isClosed) {
      await file.close();
      return file;
    }
    this.#file = file;
    const before = new Uint8Array(1);
    const at = this.#position;
    if (at === 0 || (await file.read(before, at - 1)) === 0 || before[0] === LINE_FEED) return file;
    const { sizeBytes } = await file.status();
    if (sizeBytes === at) return file;
    throw new FileChangedError(
      `it was replaced or rewritten, since at byte ${at}, up to which it had been read, no record ends`,
    );
  }

  /** A file that is gone or has shrunk: a failure, or its rest is dropped if the user chose so. */
  #fileChanged(error: unknown): void {
    const file = this.#split?.splitId ?? "";
    const line = this.#lineCount + 1;
    const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isGone && !(error instanceof FileChangedError)) {
      throw isStreamError(error) || error instanceof AssertionError
        ? error
        : new StreamError("SOURCE_UNREADABLE", { path: file }, error);
    }
    const problem = isGone ? "the file is gone" : errorText(error);
    if (this.#options.onBadRecord === "fail") {
      const details = { file, line, positionBytes: this.#position, problem };
      throw new StreamError("SOURCE_FILE_CHANGED", details, error);
    }
    this.#context.metrics.counter("numBadRecords").count++;
    this.#context.log.log("WARN", `Dropping the rest of ${file} from line ${line} on: ${problem}.`);
    this.#buffer.clear();
    this.#isEndOfFile = true;
  }
}

class FileChangedError extends Error {}

function innerLineBreaks(bytes: Uint8Array, start: number, stop: number): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a, start); at >= 0 && at < stop; at = bytes.indexOf(0x0a, at + 1))
    count++;
  return count;
}
