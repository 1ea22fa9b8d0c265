import { expect, test } from "vitest";

import { type BarrierHandler, createBarrierHandler } from "../../src/checkpoint/index.ts";
import {
  countJob,
  type SimulateResult,
  simulate,
  simulateWithoutFaults,
  stateJob,
} from "../../src/testing/index.ts";

/** The seeds themselves run in `test/e2e/simulate.test.ts` and in `npm run simulate`. */

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
