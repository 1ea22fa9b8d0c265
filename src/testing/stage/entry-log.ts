import { assert, ByteReader, MIN_TIMESTAMP } from "../../base/index.ts";
import { type EncodedEntries, readEntry } from "../../stage/index.ts";

/** What a stage has seen last of what a restart must tell it again. */
export interface StageTime {
  readonly watermark: number;
  readonly isIdle: boolean;
  readonly nowMs: number;
}

/** The entries of one stage from the first that its durable copy does not cover. Positions count from the start of the stage. */
export class EntryLog {
  #entries: Uint8Array[] = [];
  #covered = 0;
  #time: StageTime;

  constructor(nowMs: number) {
    this.#time = { watermark: MIN_TIMESTAMP, isIdle: false, nowMs };
  }

  /** Entries before it are in the durable copy. */
  get covered(): number {
    return this.#covered;
  }

  get end(): number {
    return this.#covered + this.#entries.length;
  }

  /** As of the covered entries. */
  get time(): StageTime {
    return this.#time;
  }

  append(entry: Uint8Array): void {
    this.#entries.push(entry);
  }

  slice(from: number, to: number): EncodedEntries {
    assert(from >= this.#covered, "what is covered is gone");
    const entries = this.#entries.slice(from - this.#covered, to - this.#covered);
    return { count: entries.length, bytes: Buffer.concat(entries) };
  }

  /** Forgets what the copy holds now. */
  cover(to: number): void {
    assert(to >= this.#covered && to <= this.end, "only what was sent is covered");
    const covered = this.#entries.splice(0, to - this.#covered);
    this.#covered = to;
    for (const bytes of covered) {
      const entry = readEntry(new ByteReader(bytes));
      switch (entry.kind) {
        case "watermark":
          this.#time = { ...this.#time, watermark: entry.watermark };
          break;
        case "idle":
        case "active":
          this.#time = { ...this.#time, isIdle: entry.kind === "idle" };
          break;
        case "tick":
          this.#time = { ...this.#time, nowMs: entry.nowMs };
          break;
        case "record":
        case "end":
          break;
      }
    }
  }
}
