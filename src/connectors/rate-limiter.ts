import type { Platform } from "../base/index.ts";

/** Lets through so many records a second, counted from its making; what was missed while the reader waited is made up for at most one second. */
export class RateLimiter {
  readonly #recordsPerSecond: number;
  readonly #platform: Platform;
  #sinceMs: number;
  #spent = 0;

  constructor(recordsPerSecond: number, platform: Platform) {
    this.#recordsPerSecond = recordsPerSecond;
    this.#platform = platform;
    this.#sinceMs = platform.monotonicMs();
  }

  /** How many of `wanted` records may pass now. */
  allowance(wanted: number): number {
    const nowMs = this.#platform.monotonicMs();
    const earned = ((nowMs - this.#sinceMs) / 1000) * this.#recordsPerSecond;
    if (earned - this.#spent > this.#recordsPerSecond) {
      this.#sinceMs = nowMs - 1000;
      this.#spent = 0;
    }
    return Math.max(0, Math.min(wanted, Math.floor(earned - this.#spent)));
  }

  spend(count: number): void {
    this.#spent += count;
  }

  /** Time until at least one record may pass, in ms. */
  delayMs(): number {
    const dueMs = ((this.#spent + 1) / this.#recordsPerSecond) * 1000;
    return Math.max(1, Math.ceil(dueMs - (this.#platform.monotonicMs() - this.#sinceMs)));
  }
}
