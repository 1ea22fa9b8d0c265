import { assert } from "../../base/index.ts";
import type { LocalSlot, Task } from "../../runtime/index.ts";
import type { SimulatedPlatform } from "./simulated-platform.ts";
import { SimulatedProcess } from "./simulated-process.ts";

interface SimulatedSlot {
  readonly slot: LocalSlot;
  platform: SimulatedProcess;
  /** It is dead, and what it had under way has not ended. */
  isEnding: boolean;
}

/** The slots of one life of a simulated process, each on a platform that dies with it. */
export class SimulatedSlots {
  readonly #machine: SimulatedPlatform;
  readonly #slots: SimulatedSlot[] = [];
  /** Made last, for the slot that asked for it. */
  #newest: SimulatedProcess | undefined;

  constructor(machine: SimulatedPlatform) {
    this.#machine = machine;
  }

  get count(): number {
    return this.#slots.length;
  }

  get tasks(): readonly Task[] {
    return this.#slots.flatMap(({ slot }) => slot.tasks);
  }

  /** The platform of a slot that is being made, or made again. */
  newPlatform(): SimulatedProcess {
    this.#newest = new SimulatedProcess(this.#machine);
    return this.#newest;
  }

  /** A slot was made; it asked for its platform just before. */
  add(slot: LocalSlot): void {
    const platform = this.#newest;
    assert(platform !== undefined, "a slot has a platform");
    this.#slots.push({ slot, platform, isEnding: false });
  }

  /**
   * Lets a slot die.
   *
   * @remarks
   * File operations that it has begun still end, and only then is it missed: so it is with a thread, whose end waits for them
   * (seen with Node 20 and a file that takes long to open).
   */
  lose(index: number): void {
    const lost = this.#slots[index];
    assert(lost !== undefined, "the slot exists");
    if (lost.isEnding) return;
    lost.isEnding = true;
    lost.platform.kill();
    const ended = lost.platform.whenQuiet().then(() => void (lost.isEnding = false));
    lost.slot.lose(new Error("The slot was lost"), ended);
    if (this.#newest !== undefined) lost.platform = this.#newest;
  }

  kill(): void {
    for (const { platform } of this.#slots) platform.kill();
    this.#newest?.kill();
  }
}
