import { expect, test } from "vitest";

import { simulate, simulateWithoutFaults } from "../../src/testing/index.ts";
import { sessionJob, stateJob } from "../../src/testing/index.ts";

const SEEDS = process.env["UNALIGNED_TEST"] === "long" ? 100 : 20;

/**
 * Timers and late records do not depend on whether a checkpoint was unaligned, nor on the parallelism of the job that goes on: in-flight
 * records come back with the event time that they had. (Seeds that failed before it was kept: 4, 8, 10, 18, 20.)
 */
test.each([
  // Not 1: the map would be chained to its source, and records in flight to it are refused (IN_FLIGHT_DATA_NOT_RESTORABLE).
  { name: "timers of all kinds of state", make: stateJob, parallelisms: [2, 3, 4, 6] },
  { name: "late records of sessions", make: sessionJob, parallelisms: [1, 2, 3, 4, 6] },
])(
  "$name come out as without failures, at changing parallelism",
  async ({ make, parallelisms }) => {
    const settings = {
      "execution.checkpointing.unaligned.enabled": "true",
      "execution.checkpointing.max-concurrent-checkpoints": "1",
      "cutwater.slot.ring-size": "4 kb",
    };
    const baseline = await simulateWithoutFaults(make(), { seed: 0, settings });
    for (let seed = 1; seed <= SEEDS; seed++) {
      const options = { seed, baseline, settings, parallelisms, slotCounts: [1, 2, 3] };
      const { difference } = await simulate(make(), options);
      expect({ seed, ...difference }).toEqual({ seed, lost: [], duplicated: [] });
    }
  },
  600_000,
);
