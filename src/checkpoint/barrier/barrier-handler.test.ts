import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { assert } from "../../base/index.ts";
import type { AlignmentMode, CheckpointBarrier } from "../checkpoint-barrier.ts";
import type { BarrierAction, BarrierHandler } from "./barrier-handler.ts";
import { CheckpointBarrierTracker } from "./checkpoint-barrier-tracker.ts";
import { createBarrierHandler } from "./create-barrier-handler.ts";
import {
  BARRIER_PHASE_TRANSITIONS,
  SingleCheckpointBarrierHandler,
} from "./single-checkpoint-barrier-handler.ts";

function barrier(
  checkpointId: number,
  alignment: AlignmentMode = "ALIGNED",
  alignedTimeoutMs?: number,
): CheckpointBarrier {
  return {
    checkpointId,
    triggeredAtMs: 1_000 * checkpointId,
    options: {
      snapshot: { kind: "CHECKPOINT" },
      alignment,
      alignedTimeoutMs,
      targetDirectory: "d",
    },
  };
}

type Item =
  | { readonly kind: "record" }
  | { readonly kind: "barrier"; readonly id: number }
  | { readonly kind: "cancel"; readonly id: number };

/** What flows through one channel: records between the barriers or cancellations of ids 1 to n, in order, some ids missing. */
function channelOf(lastId: number, cancels: boolean): fc.Arbitrary<readonly Item[]> {
  const perId = fc.record({
    records: fc.nat({ max: 2 }),
    what: cancels
      ? fc.constantFrom("barrier", "barrier", "barrier", "cancel", "none")
      : fc.constant("barrier"),
  });
  return fc
    .array(perId, { minLength: lastId, maxLength: lastId })
    .map((ids) =>
      ids.flatMap(({ records, what }, index): Item[] => [
        ...Array.from({ length: records }, (): Item => ({ kind: "record" })),
        ...(what === "none" ? [] : [{ kind: what as "barrier" | "cancel", id: index + 1 }]),
      ]),
    );
}

interface Run {
  readonly actions: readonly BarrierAction[];
  /** At each trigger: how many items of each channel had been taken. */
  readonly cuts: readonly { readonly id: number; readonly taken: readonly number[] }[];
}

/** Takes items as an input gate does, never from a blocked channel, in the order that `choices` says. */
function flow(
  handler: BarrierHandler,
  channels: readonly (readonly Item[])[],
  choices: readonly number[],
  alignment: AlignmentMode,
): Run {
  const taken = channels.map(() => 0);
  const hasEnded = channels.map(() => false);
  const actions: BarrierAction[] = [];
  const cuts: { id: number; taken: readonly number[] }[] = [];
  for (let turn = 0; ; turn++) {
    const ready = channels.flatMap((_, index) =>
      hasEnded[index] !== true && !handler.isBlocked(index) ? [index] : [],
    );
    if (ready.length === 0) break;
    const channel = ready[(choices[turn % choices.length] ?? 0) % ready.length] ?? 0;
    const item = channels[channel]?.[taken[channel] ?? 0];
    const nowMs = 10_000 + turn;
    const done =
      item === undefined
        ? handler.onEndOfPartition(channel, nowMs)
        : item.kind === "barrier"
          ? handler.onBarrier(channel, barrier(item.id, alignment), nowMs)
          : item.kind === "cancel"
            ? handler.onCancellation(channel, item.id, nowMs)
            : [];
    if (item === undefined) hasEnded[channel] = true;
    else taken[channel] = (taken[channel] ?? 0) + 1;
    actions.push(...done);
    for (const action of done) {
      if (action.kind === "trigger") {
        cuts.push({ id: action.barrier.checkpointId, taken: [...taken] });
      }
    }
    const wronglyBlocked = handler.isCheckpointPending ? [] : handler.blockedChannels();
    expect(wronglyBlocked).toEqual([]);
  }
  expect(hasEnded).toEqual(channels.map(() => true));
  return { actions, cuts };
}

const choices = fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 40 });
const options = { checkpointsAfterTasksFinish: true };

/** The invariants of every handler that can be read off its actions. */
function expectLawful(actions: readonly BarrierAction[]): void {
  const triggered: number[] = [];
  const aborted: number[] = [];
  let spilling = 0;
  for (const action of actions) {
    switch (action.kind) {
      case "trigger":
        assert(!aborted.includes(action.barrier.checkpointId), "an aborted id is not triggered");
        assert(action.barrier.checkpointId > (triggered.at(-1) ?? 0), "triggered ids ascend");
        triggered.push(action.barrier.checkpointId);
        break;
      case "abort":
        assert(!aborted.includes(action.checkpointId), "an id is aborted once");
        aborted.push(action.checkpointId);
        break;
      case "start-spill":
        assert(spilling === 0, "the spill before has stopped");
        spilling += 1;
        break;
      case "stop-spill":
        assert(spilling === 1, "a spill that stops has begun");
        spilling -= 1;
        break;
      default:
        break;
    }
  }
  expect(spilling).toBe(0);
}

describe("aligned", () => {
  test("every trigger is a consistent cut: each channel stands right behind its barrier", () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 4 })
          .chain((n) => fc.array(channelOf(4, false), { minLength: n, maxLength: n })),
        choices,
        (channels, order) => {
          const handler = new SingleCheckpointBarrierHandler("aligned", channels.length, options);
          const { actions, cuts } = flow(handler, channels, order, "ALIGNED");
          expectLawful(actions);
          expect(cuts.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
          for (const { id, taken } of cuts) {
            const positions = channels.map(
              (items) => items.findIndex((item) => item.kind === "barrier" && item.id === id) + 1,
            );
            expect(taken).toEqual(positions);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe.each([
  ["aligned", "ALIGNED"],
  ["alternating", "ALIGNED"],
  ["alternating", "UNALIGNED"],
  ["unaligned", "UNALIGNED"],
] as const)("%s with %s barriers", (mode, alignment) => {
  test.each([true, false])(
    "keeps its invariants under cancellations, gaps and ends (after tasks finish: %s)",
    (checkpointsAfterTasksFinish) => {
      fc.assert(
        fc.property(
          fc
            .integer({ min: 1, max: 4 })
            .chain((n) => fc.array(channelOf(5, true), { minLength: n, maxLength: n })),
          choices,
          (channels, order) => {
            const handler = new SingleCheckpointBarrierHandler(mode, channels.length, {
              checkpointsAfterTasksFinish,
            });
            expectLawful(flow(handler, channels, order, alignment).actions);
          },
        ),
        { numRuns: 300 },
      );
    },
  );
});

describe("the tracker", () => {
  test("never blocks, triggers in order and no id twice", () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 4 })
          .chain((n) => fc.array(channelOf(5, true), { minLength: n, maxLength: n })),
        choices,
        (channels, order) => {
          const handler = new CheckpointBarrierTracker(channels.length, options);
          const { actions } = flow(handler, channels, order, "AT_LEAST_ONCE");
          expect(actions.some((action) => action.kind === "start-spill")).toBe(false);
          expectLawful(actions);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("does not trigger an older checkpoint after a newer one when the last channel ends", () => {
    const tracker = new CheckpointBarrierTracker(2, options);
    tracker.onBarrier(0, barrier(4), 0);
    tracker.onEndOfPartition(0, 0);
    expect(tracker.onBarrier(1, barrier(5), 0)).toMatchObject([{ kind: "trigger" }]);
    expect(tracker.onEndOfPartition(1, 0)).toEqual([]);
  });

  test("forgets the oldest of more than fifty checkpoints", () => {
    const tracker = new CheckpointBarrierTracker(2, options);
    for (let id = 1; id <= 51; id++) tracker.onBarrier(0, barrier(id), 0);
    expect(tracker.onBarrier(1, barrier(1), 0)).toEqual([]);
    expect(tracker.onBarrier(1, barrier(2), 0)).toHaveLength(1);
  });
});

describe("a trigger by the coordinator", () => {
  test.each(["EXACTLY_ONCE", "AT_LEAST_ONCE"] as const)(
    "counts for every open channel at once and blocks nothing (%s)",
    (mode) => {
      const handler = createBarrierHandler(3, { mode, unalignedEnabled: false, ...options });
      handler.onEndOfPartition(1, 0);
      const actions = handler.onTrigger(barrier(4), 5_000);
      expect(actions).toMatchObject([
        { kind: "trigger", startDelayMs: 1_000, alignmentDurationMs: 0 },
      ]);
      expect(handler.blockedChannels()).toEqual([]);
      handler.onEndOfPartition(0, 0);
      handler.onEndOfPartition(2, 0);
      expect(handler.onTrigger(barrier(5), 5_000)).toMatchObject([{ kind: "trigger" }]);
      expect(handler.onTrigger(barrier(5), 5_000)).toEqual([]);
    },
  );
});

describe("times", () => {
  test("start delay counts from the trigger to the first barrier, alignment from there to the last", () => {
    const handler = new SingleCheckpointBarrierHandler("aligned", 2, options);
    expect(handler.onBarrier(1, barrier(1), 1_250)).toEqual([]);
    expect(handler.onBarrier(0, barrier(1), 1_900)).toMatchObject([
      { kind: "trigger", startDelayMs: 250, alignmentDurationMs: 650 },
    ]);
  });

  test("an aligned barrier that times out comes back unaligned, and the alignment ends with the last barrier", () => {
    const handler = createBarrierHandler(2, {
      mode: "EXACTLY_ONCE",
      unalignedEnabled: true,
      ...options,
    });
    handler.onBarrier(0, barrier(1, "ALIGNED", 100), 1_050);
    expect(handler.nextTickAtMs).toBe(1_100);
    expect(handler.tick(1_099)).toEqual([]);
    const switched = handler.tick(1_100);
    expect(switched.map(({ kind }) => kind)).toEqual([
      "init-channel-state",
      "start-spill",
      "trigger",
    ]);
    expect(switched[2]).toMatchObject({
      isUnaligned: true,
      barrier: { options: { alignment: "UNALIGNED", alignedTimeoutMs: undefined } },
    });
    expect(handler.nextTickAtMs).toBeUndefined();
    expect(handler.onBarrier(1, barrier(1, "ALIGNED", 100), 1_300)).toEqual([
      { kind: "stop-spill", checkpointId: 1, alignmentDurationMs: 250 },
    ]);
  });
});

test("every phase can be left for one that the table names", () => {
  for (const [phase, next] of Object.entries(BARRIER_PHASE_TRANSITIONS)) {
    expect(next).not.toContain(phase);
    expect(next.length).toBeGreaterThan(0);
  }
});
