import type { StateDescriptor } from "../descriptor.ts";
import type { MapCell } from "../heap/heap-map-state.ts";
import type { SlotTable, StateTables } from "../heap/heap-states.ts";
import type { Ttl } from "./ttl.ts";
import type { TtlValue } from "./ttl-value.ts";

/**
 * Cleans up expired entries on the way: each access to the state looks at the next few entries of other keys.
 *
 * Source: Flink `TtlIncrementalCleanup`.
 */
export class TtlCleaner {
  readonly #kind: StateDescriptor["kind"];
  readonly #tables: StateTables;
  readonly #ttl: Ttl;
  #round: { readonly space: unknown; readonly spaceId: unknown; readonly table: SlotTable }[] = [];
  #slot = 0;

  constructor(kind: StateDescriptor["kind"], tables: StateTables, ttl: Ttl) {
    this.#kind = kind;
    this.#tables = tables;
    this.#ttl = ttl;
  }

  step(): void {
    for (let count = this.#ttl.config.cleanupEntriesPerAccess; count > 0; count--)
      this.#visitNext();
  }

  #visitNext(): void {
    const place = this.#round.at(-1);
    if (place === undefined) {
      this.#startRound();
      return;
    }
    if (this.#slot >= place.table.limit) {
      this.#round.pop();
      this.#slot = 0;
      return;
    }
    const slot = this.#slot++;
    if (place.table.isLive(slot)) this.#clean(place, slot);
  }

  #startRound(): void {
    this.#slot = 0;
    const { bySpace, current } = this.#tables;
    if (bySpace !== undefined) {
      this.#round = [...bySpace].map(([spaceId, { space, table }]) => ({ space, spaceId, table }));
    } else if (current !== undefined) {
      this.#round = [{ space: undefined, spaceId: undefined, table: current }];
    }
  }

  #clean(
    {
      space,
      spaceId,
      table,
    }: { readonly space: unknown; readonly spaceId: unknown; readonly table: SlotTable },
    slot: number,
  ): void {
    const held = table.get(slot);
    const left = this.#left(held, table, slot);
    if (left === held) return;
    if (left !== undefined) {
      table.touch(slot);
      table.set(slot, left);
      return;
    }
    const tables = this.#tables;
    const { space: ownSpace, spaceId: ownId } = tables;
    if (tables.bySpace !== undefined) tables.select(space, spaceId);
    tables.removeSlot(slot);
    tables.select(ownSpace, ownId);
  }

  /** What is left of a held value: itself if nothing has expired, undefined if all has. */
  #left(held: unknown, table: SlotTable, slot: number): unknown {
    const ttl = this.#ttl;
    if (this.#kind === "list") {
      const list = held as readonly TtlValue[];
      const left = list.filter((element) => !ttl.isExpired(element));
      return left.length === list.length ? held : left.length === 0 ? undefined : left;
    }
    if (this.#kind !== "map") return ttl.isExpired(held as TtlValue) ? undefined : held;
    const cell = held as MapCell;
    const expired = [...cell.entries].filter(([, entry]) => ttl.isExpired(entry.value as TtlValue));
    if (expired.length === 0) return held;
    if (expired.length === cell.entries.size) return undefined;
    table.touch(slot);
    for (const [id, entry] of expired) {
      cell.delete(id, this.#tables.context.epoch);
      cell.noteChange(id, entry.key, this.#tables.context.tracking);
    }
    table.set(slot, cell);
    return held;
  }
}
