/** Wakes the slots of a job, each of which sleeps when it has nothing to do. */
export interface Doorbells {
  /** Something has come, or room has, for the slot. */
  ring(slotIndex: number): void;
}

/** What waits for room in the ring of its channel. */
export interface Overflowing {
  /** Sends as much as there is room for. */
  drain(): DrainResult;
}

/** `EMPTY`: nothing waits any more. `MOVED`: some of it went. `STUCK`: nothing could go. */
export type DrainResult = "EMPTY" | "MOVED" | "STUCK";

/**
 * One slot's side of its channels to other slots, for one attempt of a region: it sends on what did not fit, whatever has become of the task that sent
 * it, and rings at the other slots.
 */
export class SlotPort {
  readonly #doorbells: Doorbells;
  readonly #overflowing = new Set<Overflowing>();

  constructor(doorbells: Doorbells) {
    this.#doorbells = doorbells;
  }

  ring(slotIndex: number): void {
    this.#doorbells.ring(slotIndex);
  }

  addOverflowing(writer: Overflowing): void {
    this.#overflowing.add(writer);
  }

  /** @returns True if anything could be sent. */
  drain(): boolean {
    if (this.#overflowing.size === 0) return false;
    let moved = false;
    for (const writer of this.#overflowing) {
      const result = writer.drain();
      if (result !== "STUCK") moved = true;
      if (result === "EMPTY") this.#overflowing.delete(writer);
    }
    return moved;
  }
}
