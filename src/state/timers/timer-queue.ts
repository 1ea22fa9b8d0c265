import { namespaceHash } from "../heap/heap-states.ts";
import type { KeyContext } from "../heap/key-context.ts";
import { TimerCalendar } from "./timer-calendar.ts";

/** A snapshot's progress through the timers of one queue. */
export interface TimerWalk {
  readonly epoch: number;
  cursor: number;
  readonly limit: number;
  save(slot: number): void;
}

/** Orders two timers of one time, by key bytes, then namespace bytes. */
export type TimerTies = (queue: TimerQueue, a: number, b: number) => number;

const FREE_EPOCH = -1;
const FIRST_SLOTS = 16;
const GOLDEN = 0x9e3779b1 | 0;

/**
 * The timers of one service and time domain: a slab of slots, an index that finds a timer by (key, namespace, time), and a
 * calendar that knows which comes first.
 *
 * @remarks
 * A slot is a row of 32 bytes, so that a timer is one line of cache: time, hash and epoch, hash of the timer, links of the
 * calendar. Keys that are ints and namespaces that are void take no place.
 */
export class TimerQueue {
  readonly context: KeyContext;
  size = 0;
  /** Slots ever used; each is live or free. */
  limit = 0;
  walks: readonly TimerWalk[] = [];
  /** Four doubles for each slot; the first is the time. */
  times: Float64Array = new Float64Array(4 * FIRST_SLOTS);
  /** The same memory: 2 key hash (or next free slot), 3 epoch, 4 timer hash, 6 next and 7 previous in the calendar. */
  ints: Int32Array = new Int32Array(this.times.buffer);
  readonly #spaced: boolean;
  readonly #ids: unknown[] = [];
  /** Keys that differ from their identity. */
  #originals: Map<number, unknown> | undefined = undefined;
  readonly #spaces: unknown[] = [];
  readonly #spaceIds: unknown[] = [];
  readonly #calendar: TimerCalendar;
  #index: Int32Array = new Int32Array(4 * FIRST_SLOTS);
  #mask: number = 2 * FIRST_SLOTS - 1;
  #shift: number = Math.clz32(2 * FIRST_SLOTS) + 1;
  #growAt = FIRST_SLOTS;
  #freeHead = -1;

  /** @param spaced - False if there is only the void namespace. */
  constructor(context: KeyContext, spaced: boolean, ties: TimerTies) {
    this.context = context;
    this.#spaced = spaced;
    this.#calendar = new TimerCalendar(this, (a, b) => ties(this, a, b));
  }

  /** Adds a timer of the current key; returns false if it is there already. */
  add(space: unknown, spaceId: unknown, time: number): boolean {
    const { context } = this;
    const hash = timerHash(context.hash, spaceId, time);
    if (this.#find(hash, context.identity, spaceId, time) >= 0) return false;
    context.checkNew();
    const slot = this.#take();
    const at = slot * 8;
    const { ints } = this;
    this.times[slot * 4] = time;
    ints[at + 2] = context.hash;
    ints[at + 3] = context.epoch;
    ints[at + 4] = hash;
    if (!context.hashIsKey) {
      this.#ids[slot] = context.identity;
      if (context.identity !== context.key) (this.#originals ??= new Map()).set(slot, context.key);
    }
    if (this.#spaced) {
      this.#spaces[slot] = space;
      this.#spaceIds[slot] = spaceId;
    }
    this.size++;
    if (this.size > this.#growAt) this.#growIndex();
    this.#enter(hash, slot + 1);
    this.#calendar.add(slot, time);
    return true;
  }

  /** Takes away a timer of the current key; returns false if there is none. */
  delete(spaceId: unknown, time: number): boolean {
    const { context } = this;
    const hash = timerHash(context.hash, spaceId, time);
    const slot = this.#find(hash, context.identity, spaceId, time);
    if (slot < 0) return false;
    this.#forget(slot);
    if (this.#calendar.remove(slot)) this.free(slot);
    return true;
  }

  /** The slot of the first timer, if its time is not after `time`; else -1. */
  firstDue(time: number): number {
    return this.#calendar.firstDue(time);
  }

  /** Takes the timer that `firstDue` answered. The slot's content is gone. */
  takeFirst(slot: number): void {
    this.#calendar.takeFirst();
    this.#forget(slot);
    this.free(slot);
  }

  /** Gives a slot back that neither index nor calendar refers to. */
  free(slot: number): void {
    if (!this.context.hashIsKey) this.#ids[slot] = undefined;
    this.#originals?.delete(slot);
    if (this.#spaced) {
      this.#spaces[slot] = undefined;
      this.#spaceIds[slot] = undefined;
    }
    this.ints[slot * 8 + 2] = this.#freeHead;
    this.#freeHead = slot;
  }

  /** From now on the timer is not there, though its slot may wait in the calendar. */
  #forget(slot: number): void {
    const { ints } = this;
    const at = slot * 8;
    const epoch = ints[at + 3] as number;
    for (const walk of this.walks) {
      if (epoch < walk.epoch && slot >= walk.cursor && slot < walk.limit) walk.save(slot);
    }
    this.#leave(ints[at + 4] as number, slot + 1);
    ints[at + 3] = FREE_EPOCH;
    this.size--;
  }

  timeAt(slot: number): number {
    return this.times[slot * 4] as number;
  }

  hashAt(slot: number): number {
    return this.ints[slot * 8 + 2] as number;
  }

  /** Negative if the slot is not live. */
  epochAt(slot: number): number {
    return this.ints[slot * 8 + 3] as number;
  }

  isLive(slot: number): boolean {
    return this.ints[slot * 8 + 3] !== FREE_EPOCH;
  }

  idAt(slot: number): unknown {
    return this.context.hashIsKey ? this.hashAt(slot) : this.#ids[slot];
  }

  keyAt(slot: number): unknown {
    return this.#originals?.get(slot) ?? this.idAt(slot);
  }

  spaceAt(slot: number): unknown {
    return this.#spaced ? this.#spaces[slot] : null;
  }

  #take(): number {
    const slot = this.#freeHead;
    if (slot >= 0) {
      this.#freeHead = this.ints[slot * 8 + 2] as number;
      return slot;
    }
    if (this.limit * 4 === this.times.length) this.#growSlots();
    return this.limit++;
  }

  #growSlots(): void {
    const larger = new Float64Array(this.times.length * 2);
    larger.set(this.times);
    this.times = larger;
    this.ints = new Int32Array(larger.buffer);
  }

  #find(hash: number, identity: unknown, spaceId: unknown, time: number): number {
    const index = this.#index;
    let at = Math.imul(hash, GOLDEN) >>> this.#shift;
    for (;;) {
      const held = index[2 * at] as number;
      if (held === 0) return -1;
      if (index[2 * at + 1] === hash && this.#isTimer(held - 1, identity, spaceId, time)) {
        return held - 1;
      }
      at = (at + 1) & this.#mask;
    }
  }

  #isTimer(slot: number, identity: unknown, spaceId: unknown, time: number): boolean {
    if (this.times[slot * 4] !== time) return false;
    if (
      this.context.hashIsKey ? this.ints[slot * 8 + 2] !== identity : this.#ids[slot] !== identity
    )
      return false;
    return !this.#spaced || this.#spaceIds[slot] === spaceId;
  }

  #enter(hash: number, held: number): void {
    const index = this.#index;
    let at = Math.imul(hash, GOLDEN) >>> this.#shift;
    while (index[2 * at] !== 0) at = (at + 1) & this.#mask;
    index[2 * at] = held;
    index[2 * at + 1] = hash;
  }

  #leave(hash: number, held: number): void {
    const index = this.#index;
    const mask = this.#mask;
    let gap = Math.imul(hash, GOLDEN) >>> this.#shift;
    while (index[2 * gap] !== held) gap = (gap + 1) & mask;
    let at = gap;
    for (;;) {
      at = (at + 1) & mask;
      if (index[2 * at] === 0) break;
      const home = Math.imul(index[2 * at + 1] as number, GOLDEN) >>> this.#shift;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      index[2 * gap] = index[2 * at] as number;
      index[2 * gap + 1] = index[2 * at + 1] as number;
      gap = at;
    }
    index[2 * gap] = 0;
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
}

function timerHash(keyHash: number, spaceId: unknown, time: number): number {
  const spaceHash = spaceId === 0 ? 0 : Math.imul(namespaceHash(spaceId), 0x85ebca6b);
  return (Math.imul(keyHash, 31) + spaceHash + Math.imul(namespaceHash(time), 0xc2b2ae35)) | 0;
}
