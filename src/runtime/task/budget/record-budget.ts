/** How long one call into the operators is to take at most. */
const TARGET_MS = 2;

/**
 * Adapts how many records are processed in one go, so that a slow operator does not keep barriers, timers and messages of the coordinator
 * waiting for a whole batch.
 */
export class RecordBudget {
  readonly #largest: number;
  #limit: number;

  /** @param largest - What is processed in one go as long as that is quick. */
  constructor(largest: number) {
    this.#largest = largest;
    this.#limit = largest;
  }

  /** Records of the next call. */
  get limit(): number {
    return this.#limit;
  }

  /** Learns from a call. */
  took(recordCount: number, durationMs: number): void {
    if (durationMs > TARGET_MS) {
      this.#limit = Math.max(1, Math.floor((recordCount * TARGET_MS) / durationMs));
    } else if (this.#limit < this.#largest) {
      this.#limit = Math.min(this.#largest, this.#limit * 2);
    }
  }
}
