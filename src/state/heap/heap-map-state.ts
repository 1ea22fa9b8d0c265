import { ByteWriter, type ByteReader } from "../../base/index.ts";
import { compareKeys, type KeyKind } from "../../serde/index.ts";
import type { MapState } from "../keyed-state.ts";
import { HeapState, type StateTables } from "./heap-states.ts";
import { KeyContext } from "./key-context.ts";
import { atPath } from "./heap-list-state.ts";
import {
  LARGE_PART_COUNT,
  type LargeValueWriting,
  type StoredValueFormat,
} from "./stored-value.ts";
import type { ElementFormat } from "../ttl/ttl-value.ts";

/** One entry of a map state. */
export interface MapEntry {
  readonly key: unknown;
  value: unknown;
  /** Of its last touch, as of a table's slot. */
  epoch: number;
  /** Ascending in the order of the cell's entries. */
  readonly sequence: number;
}

/** A snapshot's progress through one large map. */
interface CellWalk {
  readonly epoch: number;
  /** Sequence of the last entry written. */
  cursor: number;
  save(entry: MapEntry): void;
}

/** The map of one key and namespace. Entries change one by one, also under an open snapshot. */
export class MapCell {
  readonly entries: Map<unknown, MapEntry> = new Map();
  walks: readonly CellWalk[] = [];
  /** Keys changed since changes were last taken, by identity; only while changes are tracked. */
  changed: Map<unknown, unknown> | undefined = undefined;
  #nextSequence = 0;

  touch(entry: MapEntry, epoch: number): void {
    if (this.walks.length === 0 || entry.epoch === epoch) return;
    for (const walk of this.walks) {
      if (entry.epoch < walk.epoch && entry.sequence > walk.cursor) walk.save(entry);
    }
    entry.epoch = epoch;
  }

  set(id: unknown, key: unknown, value: unknown, epoch: number): void {
    const entry = this.entries.get(id);
    if (entry === undefined) {
      this.entries.set(id, { key, value, epoch, sequence: this.#nextSequence++ });
    } else {
      this.touch(entry, epoch);
      entry.value = value;
    }
  }

  noteChange(id: unknown, key: unknown, tracking: boolean): void {
    if (tracking) (this.changed ??= new Map()).set(id, key);
  }

  delete(id: unknown, epoch: number): boolean {
    const entry = this.entries.get(id);
    if (entry === undefined) return false;
    this.touch(entry, epoch);
    return this.entries.delete(id);
  }
}

/** A map per key. A read or iterated value may be changed by the caller and put back, so reading touches. */
export class HeapMapState<N, K, V> extends HeapState<N> implements MapState<K, V> {
  readonly #keys: KeyContext;

  constructor(tables: StateTables, identity: (namespace: N) => number | string, keyKind: KeyKind) {
    super(tables, identity);
    this.#keys = mapKeys(keyKind);
  }

  get(key: K): V | undefined {
    const cell = this.cell();
    const entry = cell?.entries.get(this.idOf(key));
    if (cell === undefined || entry === undefined) return undefined;
    cell.touch(entry, this.tables.context.epoch);
    return entry.value as V;
  }

  put(key: K, value: V): void {
    this.putRaw(key, value);
  }

  putAll(entries: Iterable<readonly [K, V]>): void {
    for (const [key, value] of entries) this.put(key, value);
  }

  remove(key: K): void {
    const { tables } = this;
    const slot = tables.locate();
    const table = tables.current;
    if (slot < 0 || table === undefined) return;
    const id = this.idOf(key);
    const cell = table.get(slot) as MapCell;
    if (!cell.entries.has(id)) return;
    if (cell.entries.size === 1) {
      tables.removeSlot(slot);
      return;
    }
    table.touch(slot);
    cell.delete(id, tables.context.epoch);
    cell.noteChange(id, key, this.tables.context.tracking);
    table.set(slot, cell);
  }

  contains(key: K): boolean {
    return this.cell()?.entries.has(this.idOf(key)) ?? false;
  }

  isEmpty(): boolean {
    return this.cell() === undefined;
  }

  entries(): Iterable<readonly [K, V]> {
    const cell = this.cell();
    return this.sorted().map((entry) => {
      cell?.touch(entry, this.tables.context.epoch);
      return [entry.key as K, entry.value as V] as const;
    });
  }

  keys(): Iterable<K> {
    return this.sorted().map((entry) => entry.key as K);
  }

  values(): Iterable<V> {
    return [...this.entries()].map(([, value]) => value);
  }

  /** The cell of the current key; read only, but for entries that were touched. */
  protected cell(): MapCell | undefined {
    const { tables } = this;
    const slot = tables.locate();
    if (slot < 0 || tables.current === undefined) return undefined;
    tables.current.touch(slot);
    return tables.current.get(slot) as MapCell;
  }

  protected idOf(key: K): unknown {
    return this.#keys.identityOf(key);
  }

  protected putRaw(key: K, value: unknown): void {
    const { tables } = this;
    const { epoch } = tables.context;
    const id = this.idOf(key);
    const slot = tables.locate();
    const table = tables.current;
    if (slot < 0 || table === undefined) {
      const cell = new MapCell();
      cell.set(id, key, value, epoch);
      cell.noteChange(id, key, this.tables.context.tracking);
      tables.add(cell);
      return;
    }
    table.touch(slot);
    const cell = table.get(slot) as MapCell;
    cell.set(id, key, value, epoch);
    cell.noteChange(id, key, this.tables.context.tracking);
    table.set(slot, cell);
  }

  /** The entries in the order of their canonical key bytes. */
  protected sorted(): MapEntry[] {
    const cell = this.cell();
    return cell === undefined
      ? []
      : [...cell.entries.values()].sort((a, b) => compareKeys(a.key, b.key));
  }

  protected override merge(): never {
    throw new TypeError("Map state cannot be merged");
  }
}

/** Identities of map keys. An int is no less a key of a map for being its own hash. */
export function mapKeys(keyKind: KeyKind): KeyContext {
  return new KeyContext(keyKind === "int" ? "double" : keyKind);
}

const PRESENT = 0;
const NULL = 1;
const UNDEFINED = 2;

/** Writes the byte that tells null and undefined, then the value. */
export function mapValueWriter(type: ElementFormat): (value: unknown, out: ByteWriter) => void {
  return (value, out) => {
    out.writeByte(value === undefined ? UNDEFINED : value === null ? NULL : PRESENT);
    if (value !== undefined && value !== null) type.write(value as never, out);
  };
}

/**
 * `i4` size, then for each entry key, one byte, value.
 *
 * @remarks
 * Flink writes the byte as a boolean "is null"; any byte but 0 reads as true, which leaves room to tell `undefined` (2) from
 * `null` (1).
 */
export class MapFormat implements StoredValueFormat {
  readonly #keyType: ElementFormat;
  readonly #valueType: ElementFormat;
  readonly #writeValue: (value: unknown, out: ByteWriter) => void;
  readonly #keys: KeyContext;

  constructor(keyKind: KeyKind, keyType: ElementFormat, valueType: ElementFormat) {
    this.#keyType = keyType;
    this.#valueType = valueType;
    this.#writeValue = mapValueWriter(valueType);
    this.#keys = mapKeys(keyKind);
  }

  write(stored: unknown, out: ByteWriter): void {
    const { entries } = stored as MapCell;
    out.writeInt(entries.size);
    for (const entry of entries.values()) this.#writeEntry(entry, out);
  }

  #writeEntry({ key, value }: MapEntry, out: ByteWriter): void {
    try {
      this.#keyType.write(key as never, out);
      this.#writeValue(value, out);
    } catch (error) {
      throw atPath(
        error,
        typeof key === "string" ? `[${JSON.stringify(key)}]` : `[${String(key)}]`,
      );
    }
  }

  read(input: ByteReader): unknown {
    const cell = new MapCell();
    const count = input.readInt();
    for (let index = 0; index < count; index++) {
      const key = this.#keyType.read(input);
      const flag = input.readUnsignedByte();
      const value =
        flag === PRESENT ? this.#valueType.read(input) : flag === NULL ? null : undefined;
      cell.set(this.#keys.identityOf(key), key, value, 0);
    }
    return cell;
  }

  begin(stored: unknown, epoch: number): LargeValueWriting | undefined {
    const cell = stored as MapCell;
    if (cell.entries.size <= LARGE_PART_COUNT) return undefined;
    const bytes = new ByteWriter(cell.entries.size * 16);
    bytes.writeInt(cell.entries.size);
    const walk: CellWalk = {
      epoch,
      cursor: -1,
      save: (entry) => {
        this.#writeEntry(entry, bytes);
      },
    };
    cell.walks = [...cell.walks, walk];
    const iterator = cell.entries.values();
    const cancel = (): void => {
      cell.walks = cell.walks.filter((other) => other !== walk);
    };
    const advance = (budget: number): boolean => {
      for (let count = 0; count < budget; count++) {
        const next = iterator.next();
        if (next.done === true) {
          cancel();
          return true;
        }
        const entry = next.value;
        if (entry.epoch < epoch) this.#writeEntry(entry, bytes);
        walk.cursor = entry.sequence;
      }
      return false;
    };
    return { bytes, advance, cancel };
  }
}
