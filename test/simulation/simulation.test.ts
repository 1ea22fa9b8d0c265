import { describe, expect, test } from "vitest";

import { type BarrierHandler, createBarrierHandler } from "../../src/checkpoint/index.ts";
import {
  type SimulatedJob,
  type SimulateResult,
  simulate,
  simulateWithoutFaults,
} from "../../src/testing/index.ts";
import { countJob, sessionJob, stateJob, twoPartsJob } from "./simulated-jobs.ts";

/** How many seeds each job is run with; `TEST_RUNS=100` multiplies them. `SIMULATION_SEED=17` runs that one alone. */
const RUNS = 20 * Number(process.env["TEST_RUNS"] ?? 1);
const ONLY = process.env["SIMULATION_SEED"];

const seeds: readonly number[] =
  ONLY === undefined ? Array.from({ length: RUNS }, (_, index) => index + 1) : [Number(ONLY)];

/** Seeds that once failed, with what the bug was. */
const REGRESSIONS: readonly {
  readonly make: () => SimulatedJob;
  readonly seed: number;
  readonly bug: string;
}[] = [
  {
    make: countJob,
    seed: 122,
    bug: "the checkpoint directory's own name was not durable: a power loss took all checkpoints",
  },
  {
    make: countJob,
    seed: 95,
    bug: "a restored job took the checkpoint it came from for its last one, and stood still",
  },
  {
    make: stateJob,
    seed: 30,
    bug: "the last checkpoint was deleted before the end was written down: a crash in between did all work twice",
  },
  {
    make: sessionJob,
    seed: 10,
    bug: "key groups of a handle cut to a part were looked up as if it were whole",
  },
];

const jobs = [
  { name: "counts", make: countJob },
  { name: "sessions from files to files", make: sessionJob },
  { name: "all kinds of state", make: stateJob },
  { name: "two parts", make: twoPartsJob },
];

/** What is wrong with a run, with the end of its log; undefined if nothing is. */
function problemOf(
  seed: number,
  { report, difference, recentLog }: SimulateResult,
): string | undefined {
  if (difference.lost.length + difference.duplicated.length === 0) return undefined;
  const struck = [...report.struck].map(([kind, count]) => `${kind} ${count}`).join(", ");
  return [
    `seed ${seed}, trace ${report.traceHash}: ${report.lives} lives, ${report.restarts} restarts, ${struck}`,
    `lost ${difference.lost.length}: ${difference.lost.slice(0, 5).join(" | ")}`,
    `twice ${difference.duplicated.length}: ${difference.duplicated.slice(0, 5).join(" | ")}`,
    ...recentLog,
  ].join("\n");
}

describe.each(jobs)("$name", ({ make }) => {
  test("nothing is lost and nothing is published twice, whatever fails, at changing parallelism", async () => {
    const baseline = await simulateWithoutFaults(make(), { seed: 0 });
    expect(baseline.output.length).toBeGreaterThan(0);
    for (const seed of seeds) {
      const result = await simulate(make(), { seed, baseline, parallelisms: [1, 2, 3, 4, 6] });
      expect(problemOf(seed, result)).toBeUndefined();
    }
  }, 600_000);
});

/** Every second seed with barriers that overtake. */
function slotSettings(seed: number): Readonly<Record<string, string>> {
  return {
    // Small rings run full, and large frames go in pieces.
    "cutwater.slot.ring-size": seed % 3 === 0 ? "128 kb" : "4 kb",
    ...(seed % 2 === 0
      ? {
          "execution.checkpointing.unaligned.enabled": "true",
          "execution.checkpointing.max-concurrent-checkpoints": "1",
        }
      : {}),
    // Snapshots with records in flight go on at the same parallelism only.
    "parallelism.default": "4",
  };
}

describe.each(jobs)("$name, in several slots", ({ make }) => {
  test("nothing is lost and nothing is published twice, whatever slot is lost", async () => {
    const baseline = await simulateWithoutFaults(make(), { seed: 0 });
    for (const seed of seeds) {
      const result = await simulate(make(), {
        seed,
        baseline,
        settings: slotSettings(seed),
        slotCounts: [1, 2, 3, 4],
      });
      expect(problemOf(seed, result)).toBeUndefined();
    }
  }, 600_000);
});

test("seed 4 in several slots: with union list state, tasks that ended first left the others waiting for a checkpoint that could not complete", async () => {
  const result = await simulate(stateJob(), {
    seed: 4,
    settings: slotSettings(4),
    slotCounts: [1, 2, 3, 4],
  });
  expect(problemOf(4, result)).toBeUndefined();
});

test.each(REGRESSIONS)("seed $seed: $bug", async ({ make, seed }) => {
  const result = await simulate(make(), { seed });
  expect(problemOf(seed, result)).toBeUndefined();
});

test("a seed takes the same steps again", async () => {
  const baseline = await simulateWithoutFaults(stateJob(), { seed: 0 });
  const first = await simulate(stateJob(), { seed: 7, baseline });
  const second = await simulate(stateJob(), { seed: 7, baseline });
  expect(second.report.traceHash).toBe(first.report.traceHash);
  const other = await simulate(stateJob(), { seed: 8, baseline });
  expect(other.report.traceHash).not.toBe(first.report.traceHash);
});

/** Snapshots when the last barrier is there, as it should, but goes on reading behind the first. */
function broken(handler: BarrierHandler): BarrierHandler {
  return {
    onBarrier: (...barrier) => handler.onBarrier(...barrier),
    onTrigger: (...trigger) => handler.onTrigger(...trigger),
    onCancellation: (...marker) => handler.onCancellation(...marker),
    onEndOfPartition: (...end) => handler.onEndOfPartition(...end),
    onAnnouncement: (...announcement) => handler.onAnnouncement(...announcement),
    tick: (nowMs) => handler.tick(nowMs),
    get nextTickAtMs() {
      return handler.nextTickAtMs;
    },
    isBlocked: () => false,
    blockedChannels: () => [],
    get isCheckpointPending() {
      return handler.isCheckpointPending;
    },
  };
}

test("an aligner that holds no channel back is caught within 100 seeds", async () => {
  const baseline = await simulateWithoutFaults(countJob(), { seed: 0 });
  let caughtBy: number | undefined;
  for (let seed = 1; seed <= 100 && caughtBy === undefined; seed++) {
    const result = await simulate(countJob(), {
      seed,
      baseline,
      createBarrierHandler: (channelCount, options) =>
        broken(createBarrierHandler(channelCount, options)),
    });
    if (problemOf(seed, result) !== undefined) caughtBy = seed;
  }
  expect(caughtBy).toBeDefined();
}, 120_000);
