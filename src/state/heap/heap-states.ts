import type { AggregateFunction } from "../descriptor.ts";
import type {
  Mergeable,
  NamespaceCursor,
  Namespaced,
  NamespaceTables,
  ReducingState,
  RollingState,
  ValueState,
} from "../keyed-state.ts";
import type { KeyContext } from "./key-context.ts";
import type { RowCodec } from "./row-codec.ts";

/**
 * What runs for each record: the tables of keyed state, and value, reducing and aggregating state on them.
 *
 * @remarks
 * This file alone is imported once per operator (`importModuleInstance`), so that V8 keeps type feedback apart. Nothing
 * belongs here that does not run per record; whatever here is imported is shared by all operators.
 *
 * A table is an index (open addressing, linear probing, deletion by shifting back; hash beside slot, so that a probe
 * touches an entry only where the hash agrees) and slots in chunks, which never move: growth copies the index alone.
 */

/** Where this module comes from: what an operator imports an instance of. */
export const HEAP_STATES_URL: string = import.meta.url;

const CHUNK_BITS = 13;
const CHUNK_SLOTS: number = 1 << CHUNK_BITS;
const CHUNK_MASK: number = CHUNK_SLOTS - 1;
const FIRST_CHUNK_SLOTS = 16;
const GOLDEN = 0x9e3779b1 | 0;
const FREE_EPOCH = -1;
const NO_WALKS: readonly TableWalk[] = [];

/** How the entries of one state lie in memory. */
export interface TableShape {
  /** The key is its own hash, and is not held. */
  readonly hashIsKey: boolean;
  /** Namespaces are a part of the key; else all entries of a table are of one namespace. */
  readonly spaced: boolean;
  /** Set if values lie in rows of doubles; else they are objects. */
  readonly codec: RowCodec | undefined;
}

/** A snapshot's progress through one table. */
export interface TableWalk {
  readonly epoch: number;
  /** Slots before it are written. */
  cursor: number;
  /** Slots from here on are younger than the snapshot. */
  readonly limit: number;
  /** Writes an entry that is about to change. */
  save(table: SlotTable, slot: number): void;
}

export class SlotTable {
  readonly context: KeyContext;
  readonly codec: RowCodec | undefined;
  readonly shape: TableShape;
  /** In doubles: one for hash and epoch, then the row. */
  readonly stride: number;
  /** Live entries. */
  size = 0;
  /** Slots ever used; each is live or free. */
  limit = 0;
  /** Grows when the table is emptied for another namespace. */
  generation = 0;
  walks: readonly TableWalk[] = NO_WALKS;
  /** Only while changes are tracked: which slots have changed, by a flag per slot and as a list. */
  dirty: Uint8Array[] = [];
  dirtySlots: number[] = [];
  /** Identities of the keys; undefined if the hash is the key. */
  readonly ids: unknown[][] | undefined;
  /** Keys that differ from their identity. */
  originals: unknown[][] | undefined = undefined;
  spaces: unknown[][] = [];
  spaceIds: unknown[][] = [];
  values: unknown[][] = [];
  ints: Int32Array[] = [];
  doubles: Float64Array[] = [];
  /** Whether anybody must be told before an entry changes: a snapshot, or the tracking of changes. */
  watched: boolean;
  /** Pairs of slot + 1 (0 is empty) and hash. */
  #index: Int32Array = new Int32Array(2 * 2 * FIRST_CHUNK_SLOTS);
  #mask: number = 2 * FIRST_CHUNK_SLOTS - 1;
  #shift: number = Math.clz32(2 * FIRST_CHUNK_SLOTS) + 1;
  #growAt: number = FIRST_CHUNK_SLOTS;
  #capacity = 0;
  #freeHead = -1;

  constructor(context: KeyContext, shape: TableShape) {
    this.context = context;
    this.shape = shape;
    this.codec = shape.codec;
    this.ids = shape.hashIsKey ? undefined : [];
    this.stride = 1 + (shape.codec?.width ?? 0);
    this.watched = context.tracking;
  }

  /** The slot of a key, or -1. */
  find(hash: number, identity: unknown): number {
    const index = this.#index;
    let at = homeOf(hash, this.#shift);
    for (;;) {
      const held = index[2 * at] as number;
      if (held === 0) return -1;
      if (index[2 * at + 1] === hash) {
        const slot = held - 1;
        const ids = this.ids;
        if (
          ids === undefined ||
          (ids[slot >>> CHUNK_BITS] as unknown[])[slot & CHUNK_MASK] === identity
        ) {
          return slot;
        }
      }
      at = (at + 1) & this.#mask;
    }
  }

  /** The slot of a key and namespace, or -1. */
  findSpaced(hash: number, identity: unknown, spaceHash: number, spaceId: unknown): number {
    const index = this.#index;
    const mixed = mixHashes(hash, spaceHash);
    let at = homeOf(mixed, this.#shift);
    for (;;) {
      const held = index[2 * at] as number;
      if (held === 0) return -1;
      if (index[2 * at + 1] === mixed) {
        const slot = held - 1;
        const chunk = slot >>> CHUNK_BITS;
        const inChunk = slot & CHUNK_MASK;
        if (
          (this.spaceIds[chunk] as unknown[])[inChunk] === spaceId &&
          this.#isKey(chunk, inChunk, hash, identity)
        ) {
          return slot;
        }
      }
      at = (at + 1) & this.#mask;
    }
  }

  #isKey(chunk: number, inChunk: number, hash: number, identity: unknown): boolean {
    const ids = this.ids;
    if (ids === undefined)
      return (this.ints[chunk] as Int32Array)[inChunk * 2 * this.stride] === hash;
    return (ids[chunk] as unknown[])[inChunk] === identity;
  }

  /** Adds an entry for a key that is not there. Its value must be set next. */
  insert(key: unknown, hash: number, identity: unknown): number {
    const slot = this.#take(key, hash, identity);
    this.#enter(hash, slot + 1);
    return slot;
  }

  insertSpaced(
    key: unknown,
    hash: number,
    identity: unknown,
    space: unknown,
    spaceHash: number,
    spaceId: unknown,
  ): number {
    const slot = this.#take(key, hash, identity);
    (this.spaces[slot >>> CHUNK_BITS] as unknown[])[slot & CHUNK_MASK] = space;
    (this.spaceIds[slot >>> CHUNK_BITS] as unknown[])[slot & CHUNK_MASK] = spaceId;
    this.#enter(mixHashes(hash, spaceHash), slot + 1);
    return slot;
  }

  #take(key: unknown, hash: number, identity: unknown): number {
    let slot = this.#freeHead;
    if (slot < 0) {
      slot = this.limit;
      if (slot === this.#capacity) this.#addSlots();
      this.limit = slot + 1;
    }
    const chunk = slot >>> CHUNK_BITS;
    const inChunk = slot & CHUNK_MASK;
    const ints = this.ints[chunk] as Int32Array;
    const at = inChunk * 2 * this.stride;
    if (slot === this.#freeHead) this.#freeHead = ints[at] as number;
    ints[at] = hash;
    ints[at + 1] = this.context.epoch;
    if (this.ids !== undefined) {
      (this.ids[chunk] as unknown[])[inChunk] = identity;
      if (identity !== key) this.#keepOriginal(chunk, inChunk, key);
    }
    this.size++;
    if (this.size > this.#growAt) this.#growIndex();
    return slot;
  }

  #keepOriginal(chunk: number, inChunk: number, key: unknown): void {
    this.originals ??= [];
    (this.originals[chunk] ??= [])[inChunk] = key;
  }

  #enter(hash: number, held: number): void {
    const index = this.#index;
    let at = homeOf(hash, this.#shift);
    while (index[2 * at] !== 0) at = (at + 1) & this.#mask;
    index[2 * at] = held;
    index[2 * at + 1] = hash;
  }

  #growIndex(): void {
    const old = this.#index;
    const capacity = old.length;
    this.#index = new Int32Array(capacity * 2);
    this.#mask = capacity - 1;
    this.#shift = Math.clz32(capacity) + 1;
    this.#growAt = Math.floor(capacity * 0.7);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] !== 0) this.#enter(old[at + 1] as number, old[at] as number);
    }
  }

  /** The first chunk grows by doubling, so that small tables stay small; then whole chunks are added. */
  #addSlots(): void {
    const chunk = this.#capacity >>> CHUNK_BITS;
    const slots =
      this.#capacity >= CHUNK_SLOTS ? CHUNK_SLOTS : Math.max(FIRST_CHUNK_SLOTS, this.#capacity * 2);
    const buffer = new ArrayBuffer(slots * 8 * this.stride);
    const ints = new Int32Array(buffer);
    if (this.#capacity < CHUNK_SLOTS && this.#capacity > 0) ints.set(this.ints[0] as Int32Array);
    this.ints[chunk] = ints;
    if (this.codec === undefined) this.values[chunk] ??= [];
    else this.doubles[chunk] = new Float64Array(buffer);
    if (this.ids !== undefined) this.ids[chunk] ??= [];
    if (this.shape.spaced) {
      this.spaces[chunk] ??= [];
      this.spaceIds[chunk] ??= [];
    }
    this.#capacity = this.#capacity >= CHUNK_SLOTS ? this.#capacity + CHUNK_SLOTS : slots;
  }

  /** Whether it was made for far more entries than it got: emptying it would cost more than making another. */
  isSparse(): boolean {
    return this.limit * 8 < this.#capacity;
  }

  /** Empties the table at once, keeping its memory. Only if no snapshot walks it. */
  reset(): void {
    this.generation++;
    for (let chunk = 0; chunk <= (this.limit - 1) >>> CHUNK_BITS && this.limit > 0; chunk++) {
      this.ids?.[chunk]?.fill(undefined);
      this.values[chunk]?.fill(undefined);
      this.spaces[chunk]?.fill(undefined);
      this.spaceIds[chunk]?.fill(undefined);
    }
    this.originals = undefined;
    this.dirty = [];
    this.dirtySlots = [];
    this.watched = this.context.tracking;
    this.#index.fill(0);
    this.#freeHead = -1;
    this.size = 0;
    this.limit = 0;
  }

  /** Takes an entry away. */
  remove(slot: number): void {
    this.touch(slot);
    const chunk = slot >>> CHUNK_BITS;
    const inChunk = slot & CHUNK_MASK;
    const ints = this.ints[chunk] as Int32Array;
    const at = inChunk * 2 * this.stride;
    let hash = ints[at] as number;
    if (this.shape.spaced) {
      hash = mixHashes(hash, namespaceHash((this.spaceIds[chunk] as unknown[])[inChunk]));
      (this.spaces[chunk] as unknown[])[inChunk] = undefined;
      (this.spaceIds[chunk] as unknown[])[inChunk] = undefined;
    }
    this.#leave(hash, slot + 1);
    ints[at] = this.#freeHead;
    ints[at + 1] = FREE_EPOCH;
    this.#freeHead = slot;
    if (this.ids !== undefined) (this.ids[chunk] as unknown[])[inChunk] = undefined;
    const original = this.originals?.[chunk];
    if (original !== undefined) original[inChunk] = undefined;
    if (this.codec === undefined) (this.values[chunk] as unknown[])[inChunk] = undefined;
    this.size--;
  }

  /** Shifts back what a probe would not find any more behind the gap. */
  #leave(hash: number, held: number): void {
    const index = this.#index;
    const mask = this.#mask;
    const shift = this.#shift;
    let gap = homeOf(hash, shift);
    while (index[2 * gap] !== held) gap = (gap + 1) & mask;
    let at = gap;
    for (;;) {
      at = (at + 1) & mask;
      if (index[2 * at] === 0) break;
      const home = homeOf(index[2 * at + 1] as number, shift);
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      index[2 * gap] = index[2 * at] as number;
      index[2 * gap + 1] = index[2 * at + 1] as number;
      gap = at;
    }
    index[2 * gap] = 0;
  }

  get(slot: number): unknown {
    const codec = this.codec;
    if (codec === undefined)
      return (this.values[slot >>> CHUNK_BITS] as unknown[])[slot & CHUNK_MASK];
    return codec.read(
      this.doubles[slot >>> CHUNK_BITS] as Float64Array,
      (slot & CHUNK_MASK) * this.stride + 1,
    );
  }

  /** Sets the value of a slot after `beforeChange`. */
  store(slot: number, value: unknown): void {
    const chunk = slot >>> CHUNK_BITS;
    const inChunk = slot & CHUNK_MASK;
    const codec = this.codec;
    if (codec === undefined) (this.values[chunk] as unknown[])[inChunk] = value;
    else codec.write(this.doubles[chunk] as Float64Array, inChunk * this.stride + 1, value);
  }

  /** Sets the value of a slot that was touched, or has just been inserted. */
  set(slot: number, value: unknown): void {
    this.store(slot, value);
    if (this.context.tracking) this.#markDirty(slot);
  }

  openWalk(walk: TableWalk): void {
    this.walks = [...this.walks, walk];
    this.watched = true;
  }

  closeWalk(walk: TableWalk): void {
    this.walks = this.walks.filter((other) => other !== walk);
    this.watched = this.walks.length > 0 || this.context.tracking;
  }

  /** Before an entry changes, or an object of it is handed out: whatever a snapshot still needs of it is saved. */
  touch(slot: number): void {
    if (this.walks.length === 0) return;
    const ints = this.ints[slot >>> CHUNK_BITS] as Int32Array;
    const at = (slot & CHUNK_MASK) * 2 * this.stride + 1;
    const epoch = ints[at] as number;
    if (epoch === this.context.epoch) return;
    this.#save(slot, epoch);
    ints[at] = this.context.epoch;
  }

  /** Before an entry changes, in a table that is watched. */
  beforeChange(slot: number): void {
    this.touch(slot);
    if (this.context.tracking) this.#markDirty(slot);
  }

  #save(slot: number, epoch: number): void {
    for (const walk of this.walks) {
      if (epoch < walk.epoch && slot >= walk.cursor && slot < walk.limit) walk.save(this, slot);
    }
  }

  #markDirty(slot: number): void {
    const flags = (this.dirty[slot >>> CHUNK_BITS] ??= new Uint8Array(CHUNK_SLOTS));
    if (flags[slot & CHUNK_MASK] === 1) return;
    flags[slot & CHUNK_MASK] = 1;
    this.dirtySlots.push(slot);
  }

  /** Whether the slot has changed since it was last asked; it forgets. */
  takeDirty(slot: number): boolean {
    const flags = this.dirty[slot >>> CHUNK_BITS];
    if (flags === undefined || flags[slot & CHUNK_MASK] !== 1) return false;
    flags[slot & CHUNK_MASK] = 0;
    return true;
  }

  /** The epoch of the entry's last touch; negative if the slot is free. */
  epochAt(slot: number): number {
    return (this.ints[slot >>> CHUNK_BITS] as Int32Array)[
      (slot & CHUNK_MASK) * 2 * this.stride + 1
    ] as number;
  }

  isLive(slot: number): boolean {
    return this.epochAt(slot) !== FREE_EPOCH;
  }

  hashAt(slot: number): number {
    return (this.ints[slot >>> CHUNK_BITS] as Int32Array)[
      (slot & CHUNK_MASK) * 2 * this.stride
    ] as number;
  }

  idAt(slot: number): unknown {
    const ids = this.ids;
    return ids === undefined
      ? this.hashAt(slot)
      : (ids[slot >>> CHUNK_BITS] as unknown[])[slot & CHUNK_MASK];
  }

  keyAt(slot: number): unknown {
    const original = this.originals?.[slot >>> CHUNK_BITS]?.[slot & CHUNK_MASK];
    return original === undefined ? this.idAt(slot) : original;
  }

  spaceIdAt(slot: number): unknown {
    return (this.spaceIds[slot >>> CHUNK_BITS] as unknown[])[slot & CHUNK_MASK];
  }

  spaceAt(slot: number): unknown {
    return (this.spaces[slot >>> CHUNK_BITS] as unknown[])[slot & CHUNK_MASK];
  }
}

/** Where the search for a hash begins. As a signed number: V8 would carry an unsigned one through the search as a double. */
function homeOf(hash: number, shift: number): number {
  return (Math.imul(hash, GOLDEN) >>> shift) | 0;
}

function mixHashes(hash: number, spaceHash: number): number {
  return (Math.imul(hash, 31) + Math.imul(spaceHash, 0x85ebca6b)) | 0;
}

/** A 32-bit hash of a namespace's identity. Never leaves memory. */
export function namespaceHash(identity: unknown): number {
  if (typeof identity === "number") {
    const low = identity | 0;
    return identity === low ? low : (low ^ Math.imul(Math.floor(identity / 0x1_0000_0000), 31)) | 0;
  }
  if (typeof identity !== "string") return 0;
  let hash = 7;
  for (let index = 0; index < identity.length; index++)
    hash = (Math.imul(hash, 31) + identity.charCodeAt(index)) | 0;
  return hash;
}

/** The tables of one state and the namespace that calls concern. */
export class StateTables {
  readonly context: KeyContext;
  readonly shape: TableShape;
  /** The one table, or that of the current namespace if it has any entry. */
  current: SlotTable | undefined;
  /** Namespace-major: a table for each namespace that has an entry. */
  readonly bySpace:
    | Map<unknown, { readonly space: unknown; readonly table: SlotTable }>
    | undefined;
  space: unknown = undefined;
  spaceId: unknown = undefined;
  spaceHash = 0;
  /** Called with each entry that goes, while changes are tracked. */
  onRemove: ((table: SlotTable, slot: number, space: unknown) => void) | undefined = undefined;
  readonly #spaced: boolean;
  #spare: SlotTable | undefined = undefined;

  constructor(context: KeyContext, shape: TableShape, spaceMajor: boolean) {
    this.context = context;
    this.shape = shape;
    this.#spaced = shape.spaced;
    this.bySpace = spaceMajor ? new Map() : undefined;
    this.current = spaceMajor ? undefined : new SlotTable(context, shape);
  }

  select(space: unknown, spaceId: unknown): void {
    this.space = space;
    if (spaceId === this.spaceId) return;
    this.spaceId = spaceId;
    if (this.#spaced) this.spaceHash = namespaceHash(spaceId);
    else if (this.bySpace !== undefined) this.current = this.bySpace.get(spaceId)?.table;
  }

  /** The slot of the current key and namespace in the current table, or -1. */
  locate(): number {
    const table = this.current;
    if (table === undefined) return -1;
    const context = this.context;
    if (this.#spaced)
      return table.findSpaced(context.hash, context.identity, this.spaceHash, this.spaceId);
    return table.find(context.hash, context.identity);
  }

  /** Adds the value of the current key and namespace, which have none. */
  add(value: unknown): void {
    const context = this.context;
    context.checkNew();
    const table = this.current ?? this.#addSpace();
    const slot = this.#spaced
      ? table.insertSpaced(
          context.key,
          context.hash,
          context.identity,
          this.space,
          this.spaceHash,
          this.spaceId,
        )
      : table.insert(context.key, context.hash, context.identity);
    try {
      table.set(slot, value);
    } catch (error) {
      this.removeSlot(slot);
      throw error;
    }
  }

  #addSpace(): SlotTable {
    const table = this.#spare ?? new SlotTable(this.context, this.shape);
    this.#spare = undefined;
    table.watched = this.context.tracking;
    this.current = table;
    this.bySpace?.set(this.spaceId, { space: this.space, table });
    return table;
  }

  removeSlot(slot: number): void {
    const table = this.current as SlotTable;
    if (this.onRemove !== undefined) this.onRemove(table, slot, this.space);
    table.remove(slot);
    if (table.size === 0 && this.bySpace !== undefined) this.#retire(table);
  }

  /** Removes the entries of all keys in the current namespace. */
  dropSpace(): void {
    const table = this.current;
    if (table === undefined) return;
    const whole = this.bySpace !== undefined;
    if (!whole || this.onRemove !== undefined) {
      for (let slot = 0; slot < table.limit; slot++) {
        if (!table.isLive(slot) || (!whole && table.spaceIdAt(slot) !== this.spaceId)) continue;
        if (this.onRemove !== undefined) this.onRemove(table, slot, this.space);
        if (!whole) table.remove(slot);
      }
    }
    if (this.bySpace !== undefined) this.#retire(table);
  }

  /** Takes the current namespace's table away. One such table is kept, so that the next namespace need not grow one. */
  #retire(table: SlotTable): void {
    this.bySpace?.delete(this.spaceId);
    this.current = undefined;
    if (table.walks.length > 0 || table.isSparse()) {
      table.limit = 0;
      table.generation++;
    } else {
      table.reset();
      this.#spare = table;
    }
  }

  entryCount(): number {
    if (this.bySpace === undefined) return this.current?.size ?? 0;
    let count = 0;
    for (const { table } of this.bySpace.values()) count += table.size;
    return count;
  }

  clear(): void {
    const slot = this.locate();
    if (slot >= 0) this.removeSlot(slot);
  }

  /** Sets the value of the current key and namespace. */
  put(value: unknown): void {
    const slot = this.locate();
    if (slot < 0) {
      this.add(value);
      return;
    }
    const table = this.current as SlotTable;
    if (table.watched) table.beforeChange(slot);
    table.store(slot, value);
  }

  /** The value of the current key and namespace, or undefined. Whoever gets an object may change it and put it back. */
  read(): unknown {
    const slot = this.locate();
    if (slot < 0) return undefined;
    const table = this.current as SlotTable;
    if (table.watched && table.codec === undefined) table.touch(slot);
    return table.get(slot);
  }
}

/** What states with a namespace have in common; of plain keyed state nobody calls it. */
export abstract class HeapState<N>
  implements Namespaced<N>, Mergeable<N>, NamespaceTables<N, unknown>
{
  readonly tables: StateTables;
  readonly #identity: (namespace: N) => number | string;

  constructor(tables: StateTables, identity: (namespace: N) => number | string) {
    this.tables = tables;
    this.#identity = identity;
  }

  setCurrentNamespace(namespace: N): void {
    this.tables.select(namespace, this.#identity(namespace));
  }

  clear(): void {
    this.tables.clear();
  }

  mergeNamespaces(target: N, sources: readonly N[]): void {
    const tables = this.tables;
    let merged: unknown = undefined;
    for (const source of sources) {
      this.setCurrentNamespace(source);
      const value = tables.read();
      if (value === undefined) continue;
      merged = merged === undefined ? value : this.merge(merged, value);
      tables.clear();
    }
    this.setCurrentNamespace(target);
    if (merged === undefined) return;
    const value = tables.read();
    tables.put(value === undefined ? merged : this.merge(value, merged));
  }

  namespaces(): readonly N[] {
    const { tables } = this;
    const { bySpace, current } = tables;
    if (bySpace !== undefined) return [...bySpace.values()].map(({ space }) => space as N);
    const found = new Map<unknown, unknown>();
    if (current !== undefined && tables.shape.spaced) {
      for (let slot = 0; slot < current.limit; slot++) {
        if (current.isLive(slot)) found.set(current.spaceIdAt(slot), current.spaceAt(slot));
      }
    }
    return [...found.values()] as N[];
  }

  cursor(namespace: N): NamespaceCursor<unknown> {
    this.setCurrentNamespace(namespace);
    return new SpaceCursor(this.tables, (held) => this.answer(held));
  }

  clearNamespace(namespace: N): void {
    this.setCurrentNamespace(namespace);
    this.tables.dropSpace();
  }

  /** What `get` answers for what is held. */
  protected answer(held: unknown): unknown {
    return held;
  }

  /** Folds the second value into the first; either may be changed. */
  protected abstract merge(a: unknown, b: unknown): unknown;
}

class SpaceCursor implements NamespaceCursor<unknown> {
  readonly #tables: StateTables;
  readonly #table: SlotTable | undefined;
  readonly #space: unknown;
  readonly #spaceId: unknown;
  readonly #filtered: boolean;
  readonly #answer: (held: unknown) => unknown;
  readonly #generation: number;
  #slot = -1;

  constructor(tables: StateTables, answer: (held: unknown) => unknown) {
    this.#tables = tables;
    this.#table = tables.current;
    this.#space = tables.space;
    this.#spaceId = tables.spaceId;
    this.#filtered = tables.shape.spaced;
    this.#answer = answer;
    this.#generation = tables.current?.generation ?? 0;
  }

  advance(): boolean {
    const table = this.#table;
    if (table === undefined || table.generation !== this.#generation) return false;
    for (let slot = this.#slot + 1; slot < table.limit; slot++) {
      if (!table.isLive(slot) || (this.#filtered && table.spaceIdAt(slot) !== this.#spaceId))
        continue;
      this.#slot = slot;
      this.#tables.context.setKnown(table.keyAt(slot), table.hashAt(slot), table.idAt(slot));
      this.#tables.select(this.#space, this.#spaceId);
      return true;
    }
    this.#slot = table.limit;
    return false;
  }

  value(): unknown {
    const table = this.#table as SlotTable;
    if (table.watched && table.codec === undefined) table.touch(this.#slot);
    return this.#answer(table.get(this.#slot));
  }
}

export class HeapValueState<N, T> extends HeapState<N> implements ValueState<T> {
  value(): T | undefined {
    return this.tables.read() as T | undefined;
  }

  update(value: T | undefined): void {
    if (value === undefined) this.tables.clear();
    else this.tables.put(value);
  }

  protected override merge(): never {
    throw new TypeError("Value state cannot be merged");
  }
}

export class HeapReducingState<N, T> extends HeapState<N> implements ReducingState<T> {
  readonly #reduce: (accumulated: T, value: T) => T;

  constructor(
    tables: StateTables,
    identity: (namespace: N) => number | string,
    reduce: (accumulated: T, value: T) => T,
  ) {
    super(tables, identity);
    this.#reduce = reduce;
  }

  get(): T | undefined {
    return this.tables.read() as T | undefined;
  }

  add(value: T): void {
    const tables = this.tables;
    const slot = tables.locate();
    if (slot < 0) {
      tables.add(value);
      return;
    }
    const table = tables.current as SlotTable;
    if (table.watched) table.beforeChange(slot);
    const chunk = slot >>> CHUNK_BITS;
    const inChunk = slot & CHUNK_MASK;
    const codec = table.codec;
    if (codec === undefined) {
      const values = table.values[chunk] as T[];
      values[inChunk] = this.#reduce(values[inChunk] as T, value);
    } else {
      codec.reduce(
        table.doubles[chunk] as Float64Array,
        inChunk * table.stride + 1,
        this.#reduce,
        value,
      );
    }
  }

  protected override merge(a: unknown, b: unknown): unknown {
    return this.#reduce(a as T, b as T);
  }
}

export class HeapAggregatingState<N, IN, ACC, OUT>
  extends HeapState<N>
  implements RollingState<IN, OUT>
{
  readonly #aggregate: AggregateFunction<IN, ACC, OUT>;

  constructor(
    tables: StateTables,
    identity: (namespace: N) => number | string,
    aggregate: AggregateFunction<IN, ACC, OUT>,
  ) {
    super(tables, identity);
    this.#aggregate = aggregate;
  }

  get(): OUT | undefined {
    const accumulator = this.tables.read();
    return accumulator === undefined ? undefined : this.#aggregate.getResult(accumulator as ACC);
  }

  add(value: IN): void {
    const tables = this.tables;
    const slot = tables.locate();
    if (slot < 0) {
      tables.add(this.#aggregate.add(value, this.#aggregate.createAccumulator()));
      return;
    }
    const table = tables.current as SlotTable;
    if (table.watched) table.beforeChange(slot);
    const chunk = slot >>> CHUNK_BITS;
    const inChunk = slot & CHUNK_MASK;
    const codec = table.codec;
    if (codec === undefined) {
      const values = table.values[chunk] as ACC[];
      values[inChunk] = this.#aggregate.add(value, values[inChunk] as ACC);
    } else {
      codec.add(
        table.doubles[chunk] as Float64Array,
        inChunk * table.stride + 1,
        this.#aggregate,
        value,
      );
    }
  }

  addAndGet(value: IN): OUT {
    const tables = this.tables;
    const aggregate = this.#aggregate;
    const slot = tables.locate();
    if (slot < 0) {
      const first = aggregate.add(value, aggregate.createAccumulator());
      tables.add(first);
      return aggregate.getResult(first);
    }
    const table = tables.current as SlotTable;
    if (table.watched) table.beforeChange(slot);
    const chunk = slot >>> CHUNK_BITS;
    const inChunk = slot & CHUNK_MASK;
    const codec = table.codec;
    if (codec !== undefined) {
      const row = table.doubles[chunk] as Float64Array;
      return codec.addAndGet(row, inChunk * table.stride + 1, aggregate, value) as OUT;
    }
    const values = table.values[chunk] as ACC[];
    const next = aggregate.add(value, values[inChunk] as ACC);
    values[inChunk] = next;
    return aggregate.getResult(next);
  }

  protected override answer(held: unknown): unknown {
    return this.#aggregate.getResult(held as ACC);
  }

  protected override merge(a: unknown, b: unknown): unknown {
    return this.#aggregate.merge(a as ACC, b as ACC);
  }
}
