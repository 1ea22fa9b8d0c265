import type { ProcessingTimeService } from "./keyed-state.ts";

/** A processing-time clock that stands until it is set; for tests and harnesses. */
export class ManualProcessingTime implements ProcessingTimeService {
  #nowMs = 0;
  readonly #timers = new Set<{
    readonly atMs: number;
    readonly callback: (atMs: number) => void;
  }>();

  nowMs(): number {
    return this.#nowMs;
  }

  registerTimer(atMs: number, callback: (atMs: number) => void): () => void {
    const timer = { atMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** When the next timer is due; infinity if there is none. */
  nextTimerAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { atMs } of this.#timers) next = Math.min(next, atMs);
    return next;
  }

  /** Sets the clock and calls back every timer for then or earlier, in time order. */
  set(nowMs: number): void {
    this.#nowMs = nowMs;
    for (;;) {
      const due = [...this.#timers]
        .filter((timer) => timer.atMs <= nowMs)
        .sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) return;
      this.#timers.delete(due);
      due.callback(due.atMs);
    }
  }
}
