import { SeededRandom } from "./seeded-random.ts";
import type { SimulationOptions } from "./simulation.ts";

/** What of a simulated run is drawn beside its faults. */
export type Variety = Required<Pick<SimulationOptions, "settings" | "slotCounts">>;

/** Apart from the run's own chance: what is drawn here does not move its faults. */
const SALT = 0x5eed_0001;

/**
 * How a job runs in the simulation of a seed: with barriers that wait, that overtake, or that overtake once they have waited too long; in one
 * slot or in several with rings between them that soon are full.
 */
export function drawVariety(seed: number): Variety {
  const random = new SeededRandom(seed ^ SALT);
  const modes = [ALIGNED, ALIGNED, UNALIGNED, SWITCHING];
  const mode = modes[random.below(modes.length)] ?? ALIGNED;
  const ringSize = random.chance(0.3) ? "128 kb" : "4 kb";
  const slotCounts = random.chance(0.4) ? [1] : [1, 2, 3, 4];
  return { settings: { "cutwater.slot.ring-size": ringSize, ...mode }, slotCounts };
}

type Settings = Readonly<Record<string, string>>;

const ALIGNED: Settings = {};

const UNALIGNED: Settings = {
  "execution.checkpointing.unaligned.enabled": "true",
  "execution.checkpointing.max-concurrent-checkpoints": "1",
};

const SWITCHING: Settings = {
  ...UNALIGNED,
  "execution.checkpointing.aligned-checkpoint-timeout": "3 ms",
};
