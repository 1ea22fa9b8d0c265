import { describe, expect, test } from "vitest";

import {
  type BarrierAction,
  type BarrierHandler,
  createBarrierHandler,
} from "../../src/checkpoint/index.ts";
import { type FaultKind, simulate, simulateWithoutFaults } from "../../src/testing/index.ts";
import { type Topology, TOPOLOGIES, unalignedJob, type UnalignedJob } from "./unaligned-jobs.ts";

/** `npm run test:unaligned` goes through all parallelisms with five failures each. */
const IS_LONG = process.env["UNALIGNED_TEST"] === "long";
const PARALLELISMS = IS_LONG ? [1, 3, 5, 7, 10] : [1, 3, 5];
const FAILURES = IS_LONG ? 5 : 1;
const MAX_SEEDS = 40;

const FAULTS: readonly FaultKind[] = ["crash", "lost-slot", "task-failure", "slow-task"];

function settings(parallelism: number, alignedTimeout: string): Readonly<Record<string, string>> {
  return {
    "execution.checkpointing.unaligned.enabled": "true",
    "execution.checkpointing.aligned-checkpoint-timeout": alignedTimeout,
    "execution.checkpointing.max-concurrent-checkpoints": "1",
    "parallelism.default": String(parallelism),
    "pipeline.max-parallelism": "120",
    "cutwater.slot.ring-size": "4 kb",
  };
}

interface Count {
  failures: number;
  spilled: number;
}

interface Run {
  readonly topology: Topology;
  readonly parallelism: number;
  readonly alignedTimeout: string;
  readonly parallelisms?: readonly number[] | undefined;
  readonly seed: number;
  readonly job?: UnalignedJob;
  readonly change?: (handler: BarrierHandler) => BarrierHandler;
}

/** Runs a job with failures. @returns What was lost, came twice, or came out of order. */
async function run(given: Run, count: Count): Promise<readonly string[]> {
  const { topology, parallelism, alignedTimeout, parallelisms, seed, change } = given;
  const options = { settings: settings(parallelism, alignedTimeout), seed };
  const baseline = await simulateWithoutFaults(unalignedJob(topology), { ...options, seed: 0 });
  const job = given.job ?? unalignedJob(topology);
  const { report, difference } = await simulate(job, {
    ...options,
    baseline,
    faults: FAULTS,
    parallelisms,
    // By reference within a slot, through small rings between slots.
    slotCounts: [1, 2, 3],
    createBarrierHandler: (channelCount, handlerOptions) => {
      const handler = createBarrierHandler(channelCount, handlerOptions);
      return counting(change?.(handler) ?? handler, count);
    },
  });
  for (const [kind, times] of report.struck) {
    if (kind !== "slow-task" && kind !== "slow-storage") count.failures += times;
  }
  return [
    ...difference.lost.map((line) => `seed ${seed}: lost ${line}`),
    ...difference.duplicated.map((line) => `seed ${seed}: twice ${line}`),
    ...job.outOfOrder().map((line) => `seed ${seed}: ${line}`),
  ];
}

/** Runs with seed after seed until so many failures have struck. */
async function runUntil(failures: number, given: Omit<Run, "seed">): Promise<Count> {
  const count: Count = { failures: 0, spilled: 0 };
  for (let seed = 1; count.failures < failures && seed <= MAX_SEEDS; seed++) {
    expect((await run({ ...given, seed }, count)).slice(0, 10)).toEqual([]);
  }
  return count;
}

/** Counts the snapshots that are taken before all barriers are there. */
function counting(handler: BarrierHandler, count: Count): BarrierHandler {
  return mapActions(handler, (actions) => {
    for (const { kind } of actions) if (kind === "start-spill") count.spilled++;
    return actions;
  });
}

function mapActions(
  handler: BarrierHandler,
  change: (actions: readonly BarrierAction[]) => readonly BarrierAction[],
): BarrierHandler {
  return {
    onBarrier: (...barrier) => change(handler.onBarrier(...barrier)),
    onTrigger: (...trigger) => change(handler.onTrigger(...trigger)),
    onCancellation: (...marker) => change(handler.onCancellation(...marker)),
    onEndOfPartition: (...end) => change(handler.onEndOfPartition(...end)),
    onAnnouncement: (...announcement) => change(handler.onAnnouncement(...announcement)),
    tick: (nowMs) => change(handler.tick(nowMs)),
    get nextTickAtMs() {
      return handler.nextTickAtMs;
    },
    isBlocked: (channelIndex) => handler.isBlocked(channelIndex),
    blockedChannels: () => handler.blockedChannels(),
    get isCheckpointPending() {
      return handler.isCheckpointPending;
    },
  };
}

describe.each(TOPOLOGIES)("%s", (topology) => {
  test.each(PARALLELISMS)(
    "at parallelism %i nothing is lost, comes twice or out of order",
    async (parallelism) => {
      const given = { topology, parallelism };
      const atOnce = await runUntil(FAILURES, { ...given, alignedTimeout: "0 ms" });
      const later = await runUntil(FAILURES, { ...given, alignedTimeout: "3 ms" });
      expect(atOnce.failures).toBeGreaterThanOrEqual(FAILURES);
      expect(later.failures).toBeGreaterThanOrEqual(FAILURES);
      if (parallelism > 1) expect(atOnce.spilled).toBeGreaterThan(0);
    },
    600_000,
  );
});

/** Between lives: edges whose records can be dealt anew. A broadcast or a pointwise edge into a task with two inputs refuses that. */
const RESCALABLE: readonly Topology[] = [
  "pipeline",
  "fan-in",
  "union",
  "keyed",
  "custom partitioner",
  "fan-out and multi-input",
];

test.each(RESCALABLE)(
  "%s goes on at other parallelisms with what was in flight",
  async (topology) => {
    const rescaled = { topology, parallelism: 3, parallelisms: [1, 3, 5, 7, 10] };
    const count = await runUntil(IS_LONG ? 25 : 4, { ...rescaled, alignedTimeout: "0 ms" });
    expect(count.spilled).toBeGreaterThan(0);
  },
  600_000,
);

describe("a fault on purpose is caught", () => {
  test("an operator that changes the order of records", async () => {
    const count: Count = { failures: 0, spilled: 0 };
    const given = { topology: "pipeline", parallelism: 3, alignedTimeout: "0 ms" } as const;
    const job = unalignedJob("pipeline", { isShuffling: true });
    const problems = await run({ ...given, seed: 1, job }, count);
    expect(problems.filter((problem) => problem.includes(" after "))).not.toEqual([]);
  });

  test("a task that does not keep what was in flight", async () => {
    const forgetting = (handler: BarrierHandler): BarrierHandler =>
      mapActions(handler, (actions) =>
        actions.filter(({ kind }) => kind !== "start-spill" && kind !== "stop-spill"),
      );
    const caught: string[] = [];
    for (let seed = 1; seed <= MAX_SEEDS && caught.length === 0; seed++) {
      const count: Count = { failures: 0, spilled: 0 };
      const given = { topology: "pipeline", parallelism: 3, alignedTimeout: "0 ms" } as const;
      caught.push(...(await run({ ...given, seed, change: forgetting }, count)));
    }
    expect(caught.some((problem) => problem.includes("lost"))).toBe(true);
  });
});
