import type { FileSystem, Platform } from "../../base/index.ts";
import { SeededRandom } from "./seeded-random.ts";

interface Timer {
  readonly atMs: number;
  readonly sequence: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

/** When simulated time begins: a round moment, so that times in traces are easy to read. */
export const SIMULATION_START_MS = 1_700_000_000_000;

/** A loop that yields goes on after up to this long: the time that its work took. */
const WORK_MS = 1;

/**
 * A machine on which time passes only from one timer to the next, and chance comes from a seed.
 *
 * @remarks
 * Timers fire in time order, among equals in the order in which they were set. `crash` forgets them all: what ran is gone.
 */
export class SimulatedPlatform implements Platform {
  readonly files: FileSystem;
  readonly #random: SeededRandom;
  #nowMs = SIMULATION_START_MS;
  #sequence = 0;
  /** A binary heap, the earliest first. */
  #timers: Timer[] = [];

  /** @param filesOn - Makes the files of this machine; they answer through its timers. */
  constructor(seed: number, filesOn: (platform: Platform) => FileSystem) {
    this.#random = new SeededRandom(seed);
    this.files = filesOn(this);
  }

  nowMs(): number {
    return Math.floor(this.#nowMs);
  }

  monotonicMs(): number {
    return this.#nowMs - SIMULATION_START_MS;
  }

  random(): number {
    return this.#random.next();
  }

  after(delayMs: number, callback: () => void): () => void {
    const atMs = this.#nowMs + Math.max(0, delayMs);
    const timer: Timer = { atMs, sequence: this.#sequence++, callback, isCancelled: false };
    this.#push(timer);
    return () => {
      timer.isCancelled = true;
    };
  }

  soon(callback: () => void): void {
    this.after(this.#random.next() * WORK_MS, callback);
  }

  /** Fires the earliest timer. @returns False if none is set. */
  step(): boolean {
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) {
      if (next.isCancelled) continue;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
      return true;
    }
    return false;
  }

  /** Forgets all timers: the process is dead. Time goes on from where it was. */
  crash(): void {
    this.#timers = [];
  }

  #push(timer: Timer): void {
    const heap = this.#timers;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Timer;
      if (isBefore(above, timer)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): Timer | undefined {
    const heap = this.#timers;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer))
        child++;
      if (isBefore(last, heap[child] as Timer)) break;
      heap[at] = heap[child] as Timer;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
}
