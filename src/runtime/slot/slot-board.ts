import type { Doorbells } from "../exchange/ring/slot-port.ts";

/**
 * Shared memory by which the threads of a job see each other: for each slot its doorbell, and what it is at.
 *
 * Invariants:
 *
 * - B1. A slot that is to sleep says so first and then looks whether its bell was rung since it last looked for work; whoever rings first
 *   rings and then looks whether it sleeps. So no ring is lost.
 */

/** Words of one slot, in cache lines of their own. */
const STRIDE_WORDS = 64;
const BELL = 0;
const ASLEEP = 16;
const TASK = 32;
const BEATS = 33;
/** Two words: a double, milliseconds since the epoch. */
const SINCE = 34;

const NO_TASK = -1;

/** What a slot is at. */
export interface SlotActivity {
  /** Number of the task in the slot's deployment; undefined between turns. */
  readonly taskNumber: number | undefined;
  /** When the round of turns began. */
  readonly sinceMs: number;
  /** Grows while the slot's thread gets to its timers. */
  readonly beats: number;
}

export class SlotBoard implements Doorbells {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #times: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
    this.#times = new Float64Array(memory);
  }

  static allocate(slotCount: number): SlotBoard {
    const board = new SlotBoard(new SharedArrayBuffer(slotCount * STRIDE_WORDS * 4));
    for (let slot = 0; slot < slotCount; slot++) board.reset(slot);
    return board;
  }

  /** A new thread takes the slot over. */
  reset(slot: number): void {
    Atomics.store(this.#words, slot * STRIDE_WORDS + ASLEEP, 0);
    Atomics.store(this.#words, slot * STRIDE_WORDS + TASK, NO_TASK);
  }

  ring(slot: number): void {
    const base = slot * STRIDE_WORDS;
    Atomics.add(this.#words, base + BELL, 1);
    if (Atomics.load(this.#words, base + ASLEEP) === 1) Atomics.notify(this.#words, base + BELL);
  }

  /** How often the bell was rung, wrapping. */
  rings(slot: number): number {
    return Atomics.load(this.#words, slot * STRIDE_WORDS + BELL);
  }

  setAsleep(slot: number, isAsleep: boolean): void {
    Atomics.store(this.#words, slot * STRIDE_WORDS + ASLEEP, isAsleep ? 1 : 0);
  }

  /** Resolves when the bell is rung, or at once if it was rung since. Does not keep the process alive. */
  whenRung(slot: number, seen: number): Promise<unknown> {
    const waiting = Atomics.waitAsync(this.#words, slot * STRIDE_WORDS + BELL, seen);
    return waiting.async ? waiting.value : Promise.resolve();
  }

  /** Plain stores, once per turn of a task: whoever looks may see them late. */
  enterTask(slot: number, taskNumber: number | undefined): void {
    this.#words[slot * STRIDE_WORDS + TASK] = taskNumber ?? NO_TASK;
  }

  beginRound(slot: number, nowMs: number): void {
    this.#times[(slot * STRIDE_WORDS + SINCE) >> 1] = nowMs;
  }

  beat(slot: number): void {
    Atomics.add(this.#words, slot * STRIDE_WORDS + BEATS, 1);
  }

  activity(slot: number): SlotActivity {
    const base = slot * STRIDE_WORDS;
    const taskNumber = Atomics.load(this.#words, base + TASK);
    return {
      taskNumber: taskNumber === NO_TASK ? undefined : taskNumber,
      sinceMs: this.#times[(base + SINCE) >> 1] ?? 0,
      beats: Atomics.load(this.#words, base + BEATS),
    };
  }
}
