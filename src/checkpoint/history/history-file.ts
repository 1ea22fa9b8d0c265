import { causeChain, type FileSystem, type Logger } from "../../base/index.ts";
import type { CheckpointRecord } from "../checkpoint-record.ts";
import type { CheckpointObserver } from "../coordinator/checkpoint-observer.ts";
import {
  type CheckpointHistory,
  decodeHistory,
  encodeRecord,
  HISTORY_FILE_NAME,
} from "./history-record.ts";

/** How many records a history file keeps at least; it is cut when it has twice as many. */
const KEPT_COUNT = 1_000;

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/**
 * Reads the history in a job's directory; empty if there is none.
 *
 * @throws what the file system throws, if it is there and cannot be read.
 */
export async function readHistory(
  directory: string,
  files: FileSystem,
): Promise<CheckpointHistory> {
  const path = `${directory}/${HISTORY_FILE_NAME}`;
  if ((await files.status(path)) === undefined) return { records: [], unreadableLines: [] };
  return decodeHistory(DECODER.decode(await files.read(path)));
}

/**
 * Writes a line for every checkpoint that ended.
 *
 * @remarks
 * It never fails and never delays a checkpoint: lines are written one after the other in the background, and trouble is logged once until a
 * write succeeds again. The lines are not forced to the device: after a loss of power the last ones may be missing.
 */
export class HistoryFile implements CheckpointObserver {
  readonly #files: FileSystem;
  readonly #log: Logger;
  readonly #directory: string;
  readonly #path: string;
  readonly #keptCount: number;
  #writing: Promise<void> = Promise.resolve();
  /** Undefined until the file has been looked at. */
  #lineCount: number | undefined;
  #sizeBytes = 0;
  #isTroubled = false;

  constructor(files: FileSystem, log: Logger, directory: string, keptCount: number = KEPT_COUNT) {
    this.#files = files;
    this.#log = log;
    this.#directory = directory;
    this.#path = `${directory}/${HISTORY_FILE_NAME}`;
    this.#keptCount = keptCount;
  }

  onEnded(record: CheckpointRecord): void {
    this.#write(record);
  }

  /** A second line about the same checkpoint: the reader takes the later one. */
  onLateAcknowledgement(record: CheckpointRecord): void {
    this.#write(record);
  }

  /** Resolves when all lines given so far are written or given up. */
  settle(): Promise<void> {
    return this.#writing;
  }

  #write(record: CheckpointRecord): void {
    const line = ENCODER.encode(encodeRecord(record));
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#append(line);
        this.#isTroubled = false;
      } catch (error) {
        // Where the file ends is not known any more: look again next time.
        this.#lineCount = undefined;
        if (!this.#isTroubled) {
          const message = `The checkpoint history ${this.#path} could not be written.`;
          this.#log.log("WARN", message, { causes: causeChain(error) });
        }
        this.#isTroubled = true;
      }
    });
  }

  async #append(line: Uint8Array): Promise<void> {
    if (this.#lineCount === undefined) await this.#look();
    if ((this.#lineCount ?? 0) >= 2 * this.#keptCount) await this.#cut();
    const file = await this.#files.open(this.#path, this.#sizeBytes === 0 ? "create" : "update");
    try {
      await file.write(line, this.#sizeBytes);
    } finally {
      await file.close();
    }
    this.#sizeBytes += line.length;
    this.#lineCount = (this.#lineCount ?? 0) + 1;
  }

  /** Finds where the next line goes: after the last whole one. */
  async #look(): Promise<void> {
    await this.#files.createDirectory(this.#directory);
    const bytes =
      (await this.#files.status(this.#path)) === undefined
        ? new Uint8Array(0)
        : await this.#files.read(this.#path);
    this.#sizeBytes = bytes.lastIndexOf(LINE_FEED) + 1;
    this.#lineCount = bytes.reduce((count, byte) => count + (byte === LINE_FEED ? 1 : 0), 0);
    if (this.#sizeBytes === 0) {
      await this.#files.remove(this.#path);
      return;
    }
    if (this.#sizeBytes === bytes.length) return;
    const file = await this.#files.open(this.#path, "update");
    try {
      await file.truncate(this.#sizeBytes);
    } finally {
      await file.close();
    }
  }

  /** Drops the oldest lines; the file is replaced at once. */
  async #cut(): Promise<void> {
    const lines = DECODER.decode(await this.#files.read(this.#path))
      .split("\n")
      .slice(0, -1);
    const kept = ENCODER.encode(
      lines
        .slice(-this.#keptCount)
        .map((line) => `${line}\n`)
        .join(""),
    );
    const temporaryPath = `${this.#path}.inprogress`;
    await this.#files.remove(temporaryPath);
    const file = await this.#files.open(temporaryPath, "create");
    try {
      await file.write(kept, 0);
    } finally {
      await file.close();
    }
    await this.#files.rename(temporaryPath, this.#path);
    this.#sizeBytes = kept.length;
    this.#lineCount = Math.min(lines.length, this.#keptCount);
  }
}

const LINE_FEED = 0x0a;
