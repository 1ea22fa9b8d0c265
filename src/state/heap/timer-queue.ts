import type { KeyContext } from "./key-context.ts";
import { namespaceHash } from "./heap-states.ts";
import { grown, TimerCalendar, type TimerSlots } from "./timer-calendar.ts";

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
 */
export class TimerQueue implements TimerSlots {
  readonly context: KeyContext;
  size = 0;
  /** Slots ever used; each is live or free. */
  limit = 0;
  walks: readonly TimerWalk[] = [];
  times: Float64Array = new Float64Array(FIRST_SLOTS);
  hashes: Int32Array = new Int32Array(FIRST_SLOTS);
  epochs: Int32Array = new Int32Array(FIRST_SLOTS);
  keys: unknown[] = [];
  ids: unknown[] = [];
  spaces: unknown[] = [];
  spaceIds: unknown[] = [];
  readonly #calendar: TimerCalendar;
  #index: Int32Array = new Int32Array(4 * FIRST_SLOTS);
  #mask: number = 2 * FIRST_SLOTS - 1;
  #shift: number = Math.clz32(2 * FIRST_SLOTS) + 1;
  #growAt = FIRST_SLOTS;
  #freeHead = -1;

  constructor(context: KeyContext, ties: TimerTies) {
    this.context = context;
    this.#calendar = new TimerCalendar(this, (a, b) => ties(this, a, b));
  }

  /** Adds a timer of the current key; returns false if it is there already. */
  add(space: unknown, spaceId: unknown, time: number): boolean {
    const { context } = this;
    const hash = timerHash(context.hash, spaceId, time);
    if (this.#find(hash, context.identity, spaceId, time) >= 0) return false;
    const slot = this.#take();
    this.times[slot] = time;
    this.hashes[slot] = context.hash;
    this.epochs[slot] = context.epoch;
    this.keys[slot] = context.key;
    this.ids[slot] = context.identity;
    this.spaces[slot] = space;
    this.spaceIds[slot] = spaceId;
    this.size++;
    if (this.size > this.#growAt) this.#growIndex();
    this.#enter(hash, slot + 1);
    this.#calendar.add(slot, time);
    return true;
  }

  /** Takes away a timer of the current key; returns false if there is none. */
  delete(spaceId: unknown, time: number): boolean {
    const { context } = this;
    const slot = this.#find(
      timerHash(context.hash, spaceId, time),
      context.identity,
      spaceId,
      time,
    );
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
    this.keys[slot] = undefined;
    this.ids[slot] = undefined;
    this.spaces[slot] = undefined;
    this.spaceIds[slot] = undefined;
    this.hashes[slot] = this.#freeHead;
    this.#freeHead = slot;
  }

  /** From now on the timer is not there, though its slot may wait in the calendar. */
  #forget(slot: number): void {
    const epoch = this.epochs[slot] as number;
    for (const walk of this.walks) {
      if (epoch < walk.epoch && slot >= walk.cursor && slot < walk.limit) walk.save(slot);
    }
    this.#leave(
      timerHash(this.hashes[slot] as number, this.spaceIds[slot], this.times[slot] as number),
      slot + 1,
    );
    this.epochs[slot] = FREE_EPOCH;
    this.size--;
  }

  isLive(slot: number): boolean {
    return this.epochs[slot] !== FREE_EPOCH;
  }

  #take(): number {
    const slot = this.#freeHead;
    if (slot >= 0) {
      this.#freeHead = this.hashes[slot] as number;
      return slot;
    }
    if (this.limit === this.times.length) this.#growSlots();
    return this.limit++;
  }

  #growSlots(): void {
    const length = this.times.length * 2;
    this.times = grown(this.times, new Float64Array(length));
    this.hashes = grown(this.hashes, new Int32Array(length));
    this.epochs = grown(this.epochs, new Int32Array(length));
    this.#calendar.grow(length);
  }

  #find(hash: number, identity: unknown, spaceId: unknown, time: number): number {
    const index = this.#index;
    let at = Math.imul(hash, GOLDEN) >>> this.#shift;
    for (;;) {
      const held = index[2 * at] as number;
      if (held === 0) return -1;
      if (index[2 * at + 1] === hash) {
        const slot = held - 1;
        if (
          this.times[slot] === time &&
          this.ids[slot] === identity &&
          this.spaceIds[slot] === spaceId
        )
          return slot;
      }
      at = (at + 1) & this.#mask;
    }
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
  return (
    (Math.imul(keyHash, 31) +
      Math.imul(namespaceHash(spaceId), 0x85ebca6b) +
      Math.imul(namespaceHash(time), 0xc2b2ae35)) |
    0
  );
}
