import type { ByteWriter } from "../../base/index.ts";
import type { TypeSerializer } from "../../serde/index.ts";
import type { PartWalk, SnapshotPart, StateSections } from "./heap-snapshot.ts";
import type { SlotTable, TableWalk } from "../heap/heap-states.ts";
import type { RegisteredState } from "../heap/registered-state.ts";
import type { LargeValueWriting } from "../heap/stored-value.ts";

/** A declared state in a snapshot. */
export function statePart(state: RegisteredState, keyType: TypeSerializer<unknown>): SnapshotPart {
  return {
    meta: state.meta,
    open: (sections, epoch) => {
      const { tables } = state;
      if (tables.bySpace === undefined) {
        return tables.current === undefined
          ? []
          : [new OpenTableWalk(state, keyType, tables.current, null, sections, epoch)];
      }
      return [...tables.bySpace.values()].map(
        ({ space, table }) => new OpenTableWalk(state, keyType, table, space, sections, epoch),
      );
    },
  };
}

/**
 * Walks the slots of one table. What has been touched since the snapshot began was saved by the touch and is passed over.
 */
class OpenTableWalk implements TableWalk, PartWalk {
  readonly epoch: number;
  cursor = 0;
  readonly limit: number;
  readonly #state: RegisteredState;
  readonly #keyType: TypeSerializer<unknown>;
  readonly #table: SlotTable;
  readonly #space: unknown;
  readonly #sections: StateSections;
  /** Values too large for one step: head of the entry and its writing. */
  readonly #large: {
    readonly head: Uint8Array;
    readonly hash: number;
    readonly writing: LargeValueWriting;
  }[] = [];

  constructor(
    state: RegisteredState,
    keyType: TypeSerializer<unknown>,
    table: SlotTable,
    space: unknown,
    sections: StateSections,
    epoch: number,
  ) {
    this.#state = state;
    this.#keyType = keyType;
    this.#table = table;
    this.#space = space;
    this.#sections = sections;
    this.epoch = epoch;
    this.limit = table.limit;
    table.openWalk(this);
  }

  advance(budget: number): number {
    const large = this.#large[0];
    if (large !== undefined) return this.#advanceLarge(large, budget);
    if (this.cursor >= this.limit) return -1;
    const end = Math.min(this.limit, this.cursor + budget);
    const start = this.cursor;
    const table = this.#table;
    while (this.cursor < end && this.#large.length === 0) {
      const slot = this.cursor;
      const epoch = table.epochAt(slot);
      if (epoch >= 0 && epoch < this.epoch) this.save(table, slot);
      this.cursor = slot + 1;
    }
    return this.cursor - start;
  }

  #advanceLarge(
    large: {
      readonly head: Uint8Array;
      readonly hash: number;
      readonly writing: LargeValueWriting;
    },
    budget: number,
  ): number {
    try {
      if (!large.writing.advance(budget)) return budget;
    } catch (error) {
      this.#sections.failure ??= error;
      return budget;
    }
    const out = this.#sections.begin(large.hash);
    out.writeBytes(large.head);
    out.writeBytes(large.writing.bytes.view());
    this.#sections.end(large.hash);
    this.#large.shift();
    return budget;
  }

  /** Writes an entry, now. A failure is kept for the snapshot: the caller may be a user's function that only reads. */
  save(table: SlotTable, slot: number): void {
    const hash = table.hashAt(slot);
    const out = this.#sections.begin(hash);
    const start = out.length;
    try {
      if (this.#write(table, slot, hash, out, start)) this.#sections.end(hash);
    } catch (error) {
      out.truncate(start);
      this.#sections.failure ??= error;
    }
  }

  #write(table: SlotTable, slot: number, hash: number, out: ByteWriter, start: number): boolean {
    const { format, filter, namespaceType } = this.#state;
    const held = table.get(slot);
    const stored = filter === undefined ? held : filter(held);
    if (stored === undefined && filter !== undefined) return false;
    namespaceType.write(table.shape.spaced ? table.spaceAt(slot) : this.#space, out);
    this.#keyType.write(table.keyAt(slot), out);
    const writing = format.begin(stored, this.epoch);
    if (writing === undefined) {
      format.write(stored, out);
      return true;
    }
    this.#large.push({ head: out.view().slice(start), hash, writing });
    out.truncate(start);
    return false;
  }

  close(): void {
    this.#table.closeWalk(this);
    for (const { writing } of this.#large) writing.cancel();
    this.#large.length = 0;
  }
}
