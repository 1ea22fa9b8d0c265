import { ByteWriter } from "../../base/index.ts";
import { canonicalKeyBytes, type TypeSerializer } from "../../serde/index.ts";
import type { StateChange } from "../keyed-state-backend.ts";
import type { MapCell } from "./heap-map-state.ts";
import type { SlotTable } from "./heap-states.ts";
import type { HeapTimerService } from "../timers/heap-timer-service.ts";
import { tablesOf } from "./key-walk.ts";
import type { RegisteredState } from "./registered-state.ts";

/** An entry that was removed since changes were last taken; it may be back. */
interface Removal {
  readonly key: unknown;
  readonly keyHash: number;
  readonly space: unknown;
  readonly mapKeys: ReadonlyMap<unknown, unknown> | undefined;
}

/**
 * What has changed since changes were last taken, as last values.
 *
 * @remarks
 * Tables flag what is written; removals are kept here. A removal of what is back, or was never there at the last taking, is
 * still told where that is harmless.
 */
export class ChangeTracker {
  readonly #keyType: TypeSerializer<unknown>;
  readonly #watched: { readonly state: RegisteredState; removals: Removal[] }[] = [];
  readonly #timers: HeapTimerService<unknown>[] = [];
  readonly #scratch = new ByteWriter();

  constructor(keyType: TypeSerializer<unknown>) {
    this.#keyType = keyType;
  }

  watch(state: RegisteredState): void {
    const watched = { state, removals: [] as Removal[] };
    this.#watched.push(watched);
    for (const table of tablesOf(state.tables)) table.watched = true;
    state.tables.onRemove = (table, slot, space) => {
      const cell = state.kind === "map" ? (table.get(slot) as MapCell) : undefined;
      watched.removals.push({
        key: table.keyAt(slot),
        keyHash: table.hashAt(slot),
        space: table.shape.spaced ? table.spaceAt(slot) : space,
        mapKeys: cell === undefined ? undefined : mapKeysOf(cell),
      });
    };
  }

  /** Everything that is held counts as changed. */
  markAll(state: RegisteredState): void {
    for (const table of tablesOf(state.tables)) {
      for (let slot = 0; slot < table.limit; slot++) {
        if (!table.isLive(slot)) continue;
        const held = table.get(slot);
        if (state.kind === "map") {
          const cell = held as MapCell;
          for (const [id, { key }] of cell.entries) cell.noteChange(id, key, true);
        }
        table.set(slot, held);
      }
    }
  }

  watchTimers(service: HeapTimerService<unknown>): void {
    this.#timers.push(service);
    service.trackChanges();
  }

  take(): readonly StateChange[] {
    const changes: StateChange[] = [];
    // What was only written is told once. A removal may meet a write, and a timer be set and deleted again.
    let isToldTwice = false;
    for (const { state, removals } of this.#watched) {
      isToldTwice ||= removals.length > 0;
      // A key that is removed and written again is told as removed first: the last word counts.
      for (const removal of removals) this.#tellRemoval(state, removal, changes);
      removals.length = 0;
      this.#takeWrites(state, changes);
    }
    const timers = this.#timers.flatMap((service) => service.takeChanges());
    return [...(isToldTwice ? lastWords(changes) : changes), ...lastWords(timers)];
  }

  #takeWrites(state: RegisteredState, changes: StateChange[]): void {
    const { bySpace, current, shape } = state.tables;
    const tables =
      bySpace === undefined ? [{ space: null as unknown, table: current }] : [...bySpace.values()];
    for (const { space, table } of tables) {
      if (table === undefined) continue;
      for (const slot of table.dirtySlots) {
        if (!table.takeDirty(slot) || !table.isLive(slot)) continue;
        this.#tellWrite(state, table, slot, shape.spaced ? table.spaceAt(slot) : space, changes);
      }
      table.dirtySlots.length = 0;
    }
  }

  #tellWrite(
    state: RegisteredState,
    table: SlotTable,
    slot: number,
    space: unknown,
    changes: StateChange[],
  ): void {
    const base = this.#base(state, table.keyAt(slot), table.hashAt(slot), space);
    const held = table.get(slot);
    if (state.kind !== "map") {
      changes.push({
        ...base,
        mapKey: undefined,
        value: this.#bytes((out) => state.format.write(held, out)),
      });
      return;
    }
    const cell = held as MapCell;
    for (const [id, key] of cell.changed ?? []) {
      const entry = cell.entries.get(id);
      const value =
        entry === undefined
          ? undefined
          : this.#bytes((out) => state.writeMapValue?.(entry.value, out));
      changes.push({ ...base, mapKey: this.#mapKey(state, key), value });
    }
    cell.changed = undefined;
  }

  #tellRemoval(state: RegisteredState, removal: Removal, changes: StateChange[]): void {
    const base = this.#base(state, removal.key, removal.keyHash, removal.space);
    if (removal.mapKeys === undefined) {
      changes.push({ ...base, mapKey: undefined, value: undefined });
      return;
    }
    for (const key of removal.mapKeys.values()) {
      changes.push({ ...base, mapKey: this.#mapKey(state, key), value: undefined });
    }
  }

  #base(
    state: RegisteredState,
    key: unknown,
    keyHash: number,
    space: unknown,
  ): Pick<StateChange, "state" | "keyHash" | "key" | "namespace"> {
    const namespace =
      space === null ? undefined : this.#bytes((out) => state.namespaceType.write(space, out));
    return {
      state: state.name,
      keyHash,
      key: canonicalKeyBytes(key, this.#keyType.keyKind),
      namespace,
    };
  }

  #mapKey(state: RegisteredState, key: unknown): Uint8Array {
    return this.#bytes((out) => state.mapKeyType?.write(key, out));
  }

  #bytes(write: (out: ByteWriter) => void): Uint8Array {
    this.#scratch.reset();
    write(this.#scratch);
    return this.#scratch.toBytes();
  }
}

function mapKeysOf(cell: MapCell): ReadonlyMap<unknown, unknown> {
  const keys = new Map(cell.changed ?? []);
  for (const [id, entry] of cell.entries) keys.set(id, entry.key);
  return keys;
}

/** Of several changes of one cell only the last. */
function lastWords(changes: readonly StateChange[]): readonly StateChange[] {
  const last = new Map<string, StateChange>();
  for (const change of changes) {
    const name = [change.state, text(change.key), text(change.namespace), text(change.mapKey)].join(
      "\u0000/",
    );
    last.delete(name);
    last.set(name, change);
  }
  return [...last.values()];
}

function text(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "-" : `+${Buffer.from(bytes).toString("latin1")}`;
}
