import type { Doorbells } from "../exchange/ring/slot-port.ts";
import type { SlotSignals } from "./slot-signals.ts";

/** What connects a slot with the others of its job. */
export interface SlotConnection {
  readonly doorbells: Doorbells;
  createSignals(slot: {
    /** Sends on what waits for room. @returns True if anything went. */
    readonly drain: () => boolean;
    readonly wake: () => void;
  }): SlotSignals;
}

/** Slots of one thread, which wake each other by a call. */
export class LocalConnections implements Doorbells {
  readonly #wakes: ((() => void) | undefined)[] = [];

  ring(slotIndex: number): void {
    this.#wakes[slotIndex]?.();
  }

  of(slotIndex: number): SlotConnection {
    return {
      doorbells: this,
      createSignals: ({ drain, wake }) => {
        this.#wakes[slotIndex] = wake;
        return { beginRound: drain, sleep: () => true, enterTask: () => undefined };
      },
    };
  }
}
