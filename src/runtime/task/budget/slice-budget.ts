import type { Platform } from "../../../base/index.ts";

const TARGET_MS = 1;
const SMALLEST = 64;
const LARGEST = 65_536;

/** Adapts how many entries are encoded at once, so that a slice of a snapshot holds the loop up for about a millisecond. */
export class SliceBudget {
  readonly #platform: Platform;
  #entries = 512;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Runs one slice and learns from how long it took. */
  run<T>(slice: (entries: number) => T): T {
    const startMs = this.#platform.monotonicMs();
    const result = slice(this.#entries);
    const tookMs = this.#platform.monotonicMs() - startMs;
    if (tookMs > TARGET_MS) this.#entries = Math.max(SMALLEST, this.#entries >> 1);
    else if (tookMs < TARGET_MS / 4) this.#entries = Math.min(LARGEST, this.#entries * 2);
    return result;
  }
}
