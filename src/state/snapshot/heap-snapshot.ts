import { assert, ByteWriter } from "../../base/index.ts";
import type { TypeSerializer } from "../../serde/index.ts";
import { keyGroupOf } from "../key-group.ts";
import type { KeyedStateSnapshot } from "../keyed-state-backend.ts";
import { inState } from "../state-errors.ts";
import type { KeyGroupRange } from "../state-handle.ts";
import type { StateMetaInfo } from "../state-meta-info.ts";
import { writeKeyedHeader } from "./keyed-state-file.ts";
import { checksum, type TrailerGroup, writeTrailer } from "./keyed-state-trailer.ts";

/** What a snapshot needs to know of its backend. */
export interface SnapshotOwner {
  readonly keyType: TypeSerializer<unknown>;
  readonly maxParallelism: number;
  readonly keyGroupRange: KeyGroupRange;
  readonly ownerName: string;
}

/** One state as a snapshot sees it. */
export interface SnapshotPart {
  readonly meta: StateMetaInfo;
  /** Freezes the present state: one walk for each table. Takes time by tables, not by entries. */
  open(sections: StateSections, epoch: number): readonly PartWalk[];
}

/** Writes what one table held when the snapshot began. */
export interface PartWalk {
  /** Writes up to about `budget` entries; returns how many, or -1 when nothing is left. */
  advance(budget: number): number;
  /** Lets go of the table. */
  close(): void;
}

/** The bytes of one state, by key group. */
export class StateSections {
  readonly #writers: (ByteWriter | undefined)[];
  /** Full chunks of each group: bytes are set aside early, so that no buffer grows large. */
  readonly #chunks: Uint8Array[][];
  readonly #counts: Int32Array;
  readonly #range: KeyGroupRange;
  readonly #maxParallelism: number;
  /** What went wrong in a save, whose caller is not to suffer for it. */
  failure: unknown = undefined;

  constructor(owner: SnapshotOwner) {
    this.#range = owner.keyGroupRange;
    this.#maxParallelism = owner.maxParallelism;
    const groups = owner.keyGroupRange.last - owner.keyGroupRange.first + 1;
    this.#writers = Array.from({ length: groups });
    this.#chunks = Array.from({ length: groups });
    this.#counts = new Int32Array(groups);
  }

  /** Begins an entry of a key: write it to what is returned. */
  begin(keyHash: number): ByteWriter {
    return this.#writer(keyGroupOf(keyHash, this.#maxParallelism) - this.#range.first);
  }

  /** Counts the entry that was begun. */
  end(keyHash: number): void {
    const keyGroup = keyGroupOf(keyHash, this.#maxParallelism);
    this.addCount(keyGroup, 1);
    const index = keyGroup - this.#range.first;
    const writer = this.#writer(index);
    if (writer.length < CHUNK_BYTES) return;
    (this.#chunks[index] ??= []).push(writer.toBytes());
    writer.reset();
  }

  addCount(keyGroup: number, count: number): void {
    const index = keyGroup - this.#range.first;
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
  }

  /** Adds entries that are bytes already. */
  addBytes(keyGroup: number, count: number, bytes: Uint8Array): void {
    this.#writer(keyGroup - this.#range.first).writeBytes(bytes);
    this.addCount(keyGroup, count);
  }

  #writer(index: number): ByteWriter {
    assert(
      index >= 0 && index < this.#counts.length,
      "a key belongs to the key groups of its backend",
    );
    return (this.#writers[index] ??= new ByteWriter(64));
  }

  countAt(index: number): number {
    return this.#counts[index] ?? 0;
  }

  /** The bytes of a key group, in order. */
  bytesAt(index: number): readonly Uint8Array[] {
    const chunks = this.#chunks[index] ?? [];
    const writer = this.#writers[index];
    return writer === undefined || writer.length === 0 ? chunks : [...chunks, writer.view()];
  }
}

/** From this size on what is written is set aside. */
const CHUNK_BYTES = 16_384;

/** Pieces up to this size are copied together, so that a file is not thousands of them. */
const COPIED_BYTES = 4096;

/** How many bytes of a finished section count as one entry. */
const BYTES_PER_ENTRY = 256;

/** The asynchronous part of a snapshot of keyed state in the heap. */
export class HeapSnapshot implements KeyedStateSnapshot {
  readonly #owner: SnapshotOwner;
  readonly #parts: readonly SnapshotPart[];
  readonly #sections: readonly StateSections[];
  readonly #walks: PartWalk[];
  readonly #onClose: () => void;
  readonly #chunks: Uint8Array[] = [];
  readonly #offsets: number[] = [];
  readonly #groups: TrailerGroup[] = [];
  #sizeBytes = 0;
  #headerBytes = 0;
  #headerChecksum = 0;
  #nextWalk = 0;
  #state: "writing" | "whole" | "cancelled" = "writing";

  constructor(
    owner: SnapshotOwner,
    parts: readonly SnapshotPart[],
    epoch: number,
    onClose: () => void,
  ) {
    this.#owner = owner;
    this.#parts = parts;
    this.#sections = parts.map(() => new StateSections(owner));
    this.#walks = parts.flatMap((part, index) =>
      part.open(this.#sections[index] as StateSections, epoch),
    );
    this.#onClose = onClose;
  }

  advance(entryBudget: number): boolean {
    if (this.#state === "whole") return true;
    assert(this.#state === "writing", "a cancelled snapshot is not advanced");
    let budget = this.#advanceWalks(entryBudget);
    this.#throwFailure();
    if (this.#nextWalk < this.#walks.length) return false;
    if (this.#chunks.length === 0) this.#writeHeader();
    const groups = this.#owner.keyGroupRange.last - this.#owner.keyGroupRange.first + 1;
    while (budget > 0 && this.#groups.length < groups) {
      budget -= 1 + Math.ceil(this.#writeGroup(this.#groups.length) / BYTES_PER_ENTRY);
    }
    if (this.#groups.length < groups) return false;
    this.#writeTrailer();
    this.#state = "whole";
    this.#close();
    return true;
  }

  #advanceWalks(entryBudget: number): number {
    let budget = entryBudget;
    while (budget > 0 && this.#nextWalk < this.#walks.length) {
      const walk = this.#walks[this.#nextWalk] as PartWalk;
      const written = walk.advance(budget);
      if (written >= 0) {
        budget -= Math.max(1, written);
        continue;
      }
      walk.close();
      this.#nextWalk++;
      budget--;
    }
    return budget;
  }

  #throwFailure(): void {
    for (const [index, { failure }] of this.#sections.entries()) {
      if (failure !== undefined)
        throw inState(failure, this.#parts[index]?.meta.name ?? "", this.#owner.ownerName);
    }
  }

  #writeHeader(): void {
    const out = new ByteWriter(1024);
    writeKeyedHeader(
      {
        compressed: false,
        keySerializer: this.#owner.keyType.snapshot,
        states: this.#parts.map((part) => part.meta),
      },
      out,
    );
    this.#headerBytes = out.length;
    this.#headerChecksum = checksum(out.view());
    this.#add(out.toBytes());
  }

  /** Returns the number of bytes. */
  #writeGroup(index: number): number {
    const start = this.#sizeBytes;
    this.#offsets.push(start);
    let out = new ByteWriter(64);
    let sum = 0;
    const partBytes: number[] = [];
    const add = (bytes: Uint8Array): void => {
      sum = checksum(bytes, sum);
      this.#add(bytes);
    };
    const flush = (): void => {
      add(out.toBytes());
      out = new ByteWriter(64);
    };
    out.writeInt(this.#owner.keyGroupRange.first + index);
    for (const [state, sections] of this.#sections.entries()) {
      out.writeShort(state);
      out.writeInt(sections.countAt(index));
      let length = 2 + 4;
      for (const bytes of sections.bytesAt(index)) {
        length += bytes.length;
        if (bytes.length <= COPIED_BYTES) {
          out.writeBytes(bytes);
          continue;
        }
        flush();
        add(bytes);
      }
      partBytes.push(length);
    }
    flush();
    this.#groups.push({ checksum: sum, partBytes });
    return this.#sizeBytes - start;
  }

  #writeTrailer(): void {
    const out = new ByteWriter(256);
    writeTrailer(
      {
        headerBytes: this.#headerBytes,
        headerChecksum: this.#headerChecksum,
        groups: this.#groups,
      },
      out,
    );
    this.#add(out.toBytes());
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#sizeBytes += bytes.length;
  }

  result(): ReturnType<KeyedStateSnapshot["result"]> {
    assert(this.#state === "whole", "a snapshot has a result when it is whole");
    return {
      range: this.#owner.keyGroupRange,
      offsets: this.#offsets,
      chunks: this.#chunks,
      sizeBytes: this.#sizeBytes,
    };
  }

  cancel(): void {
    if (this.#state !== "writing") return;
    this.#state = "cancelled";
    this.#close();
  }

  #close(): void {
    for (const walk of this.#walks) walk.close();
    this.#walks.length = 0;
    this.#onClose();
  }
}
