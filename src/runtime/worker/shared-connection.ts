import type { Platform } from "../../base/index.ts";
import type { SlotBoard } from "../slot/slot-board.ts";
import type { SlotConnection } from "../slot/slot-connection.ts";
import type { SlotSignals } from "../slot/slot-signals.ts";

/** Connects a slot with those of other threads over the board. */
export class SharedConnection implements SlotConnection {
  readonly doorbells: SlotBoard;
  readonly #slot: number;
  readonly #platform: Platform;

  constructor(board: SlotBoard, slot: number, platform: Platform) {
    this.doorbells = board;
    this.#slot = slot;
    this.#platform = platform;
  }

  createSignals({ drain, wake }: Parameters<SlotConnection["createSignals"]>[0]): SlotSignals {
    const board = this.doorbells;
    const slot = this.#slot;
    const platform = this.#platform;
    let seenRings = board.rings(slot);
    let isWaiting = false;
    return {
      beginRound() {
        board.setAsleep(slot, false);
        seenRings = board.rings(slot);
        board.beginRound(slot, platform.nowMs());
        return drain();
      },
      sleep() {
        board.setAsleep(slot, true);
        if (board.rings(slot) !== seenRings) {
          board.setAsleep(slot, false);
          return false;
        }
        // Woken by something else in between, the slot still waits for the ring that it waited for before.
        if (isWaiting) return true;
        isWaiting = true;
        void board.whenRung(slot, seenRings).then(() => {
          isWaiting = false;
          wake();
        });
        return true;
      },
      enterTask: (taskNumber) => board.enterTask(slot, taskNumber),
    };
  }
}
