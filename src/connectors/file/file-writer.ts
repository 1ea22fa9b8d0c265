import { assert, type OpenFile, randomId } from "../../base/index.ts";
import type { PreparedCommit, SinkContext, SinkWriter } from "../../operators/index.ts";
import type { RecordFormat } from "../format/record-format.ts";
import { type FileCommittable, type FileNames, inFolder, withFile } from "./file-committable.ts";

const FLUSH_BYTES = 64 * 1024;
const MAX_UNWRITTEN_BYTES = 4 * 1024 * 1024;

/** A file that is being written. Operations on it run one after the other. */
interface Part {
  readonly inProgress: string;
  readonly finished: string;
  sizeBytes: number;
  /** The last operation that was begun; rejects if any failed. */
  work: Promise<void>;
  file: OpenFile | undefined;
}

/**
 * Writes records into parts: in progress (hidden), pending from a checkpoint's cut on (hidden), finished once that checkpoint is
 * complete. A part never spans a checkpoint.
 */
export class FileWriter<IN> implements SinkWriter<IN, FileCommittable, never> {
  readonly #context: SinkContext;
  readonly #folder: string;
  readonly #format: RecordFormat<IN>;
  readonly #names: FileNames;
  readonly #maxPartBytes: number;
  readonly #writerId: string;
  #partCount = 0;
  #part: Part | undefined;
  /** Parts that reached their size since the last checkpoint. */
  #full: Part[] = [];
  #lines: string[] = [];
  #lineCharacters = 0;
  /** Settled when all parts that were handed over are closed, or could not be. */
  #closing: Promise<unknown> = Promise.resolve();
  #unwrittenBytes = 0;

  constructor(
    context: SinkContext,
    folder: string,
    format: RecordFormat<IN>,
    names: FileNames,
    maxPartBytes: number,
  ) {
    this.#context = context;
    this.#folder = folder;
    this.#format = format;
    this.#names = names;
    this.#maxPartBytes = maxPartBytes;
    this.#writerId = randomId(context.platform).slice(0, 8);
  }

  write(record: IN): void {
    const part = (this.#part ??= this.#openPart());
    const line = this.#format.encode(record);
    this.#lines.push(line);
    this.#lineCharacters += line.length + 1;
    if (this.#lineCharacters < FLUSH_BYTES) return;
    this.#flush(part);
    if (part.sizeBytes < this.#maxPartBytes) return;
    this.#full.push(part);
    this.#part = undefined;
  }

  isAvailable(): boolean {
    return this.#unwrittenBytes < MAX_UNWRITTEN_BYTES;
  }

  prepareCommit(checkpointId: number | undefined): PreparedCommit<FileCommittable> {
    const current = this.#part;
    if (current !== undefined) this.#flush(current);
    const parts = current === undefined ? this.#full : [...this.#full, current];
    this.#full = [];
    this.#part = undefined;
    if (parts.length === 0) return { committables: [], durable: undefined };
    const committables = parts.map(({ inProgress, finished }) => ({
      pending: this.#names.pendingOf(inProgress, checkpointId),
      finished,
    }));
    const durable = Promise.all(
      parts.map((part, index) =>
        this.#close(part, committables[index]?.pending ?? part.inProgress),
      ),
    ).then(() => this.#attempt("sync", ".", () => this.#context.files.syncDirectory(this.#folder)));
    this.#closing = Promise.allSettled([this.#closing, durable]);
    return { committables, durable };
  }

  async close(): Promise<void> {
    const parts = this.#part === undefined ? this.#full : [...this.#full, this.#part];
    this.#part = undefined;
    this.#full = [];
    // The next attempt looks for leftovers: nothing of this one may come after it.
    await this.#closing;
    for (const part of parts) {
      await part.work.catch(() => undefined); // The failure was reported when it happened.
      await part.file?.close();
      await this.#context.files.remove(inFolder(this.#folder, part.inProgress));
    }
  }

  #openPart(): Part {
    const number = this.#partCount++;
    const finished = this.#names.finished(this.#writerId, number);
    const inProgress = this.#names.inProgress(this.#writerId, number);
    const part: Part = {
      inProgress,
      finished,
      sizeBytes: 0,
      work: Promise.resolve(),
      file: undefined,
    };
    this.#then(part, "create", async () => {
      part.file = await this.#context.files.open(inFolder(this.#folder, inProgress), "create");
    });
    if (this.#format.header !== undefined) {
      this.#lines.push(this.#format.header);
      this.#lineCharacters += this.#format.header.length + 1;
    }
    return part;
  }

  #flush(part: Part): void {
    if (this.#lines.length === 0) return;
    const data = Buffer.from(`${this.#lines.join("\n")}\n`);
    this.#lines = [];
    this.#lineCharacters = 0;
    const position = part.sizeBytes;
    part.sizeBytes += data.length;
    this.#unwrittenBytes += data.length;
    this.#then(part, "write", async () => {
      assert(part.file !== undefined, "a part is open while it is written");
      await part.file.write(data, position);
      this.#unwrittenBytes -= data.length;
      this.#context.available();
    });
  }

  async #close(part: Part, pending: string): Promise<void> {
    await part.work;
    await this.#attempt("finish", part.inProgress, async () => {
      await part.file?.sync();
      await part.file?.close();
      part.file = undefined;
      await this.#context.files.rename(
        inFolder(this.#folder, part.inProgress),
        inFolder(this.#folder, pending),
      );
    });
  }

  /** Appends an operation to the part's own. Its failure fails the task: what was taken cannot be written again. */
  #then(part: Part, action: string, operation: () => Promise<void>): void {
    part.work = part.work.then(() => this.#attempt(action, part.inProgress, operation));
    part.work.catch((error: unknown) => this.#context.fail(error));
  }

  #attempt(action: string, name: string, operation: () => Promise<void>): Promise<void> {
    return withFile(inFolder(this.#folder, name), action, operation);
  }
}
