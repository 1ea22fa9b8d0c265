import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { MAX_TIMESTAMP, MIN_TIMESTAMP } from "../../base/index.ts";
import { timestampsAndWatermarksOperator } from "../timestamps-and-watermarks.ts";
import { PausableClock } from "./pausable-clock.ts";
import { decideSplits, SourceAlignment } from "./source-alignment.ts";
import { WatermarkStrategy } from "./watermark-strategy.ts";

function alignmentAt(clock: { nowMs(): number }): SourceAlignment {
  return new SourceAlignment(
    clock,
    { gauge() {} },
    { group: "g", maxDriftMs: 100, updateIntervalMs: 1 },
  );
}

describe("the splits that are held back", () => {
  test("are exactly those above what is allowed", () => {
    const splitId: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d");
    const watermark = fc.oneof(
      fc.integer({ min: 0, max: 20 }),
      fc.constant(MIN_TIMESTAMP),
      fc.constant(MAX_TIMESTAMP),
    );
    fc.assert(
      fc.property(
        fc.dictionary(splitId, watermark),
        fc.uniqueArray(splitId),
        watermark,
        (watermarks, pausedBefore, maxAllowed) => {
          const splits = Object.entries(watermarks);
          const paused = new Set(pausedBefore.filter((splitId) => splitId in watermarks));
          const { pause, resume } = decideSplits(splits, paused, maxAllowed);
          for (const splitId of pause) expect(paused.has(splitId)).toBe(false);
          for (const splitId of resume) expect(paused.delete(splitId)).toBe(true);
          const now = [...paused, ...pause].toSorted();
          const ahead = splits.filter(([, at]) => at > maxAllowed).map(([splitId]) => splitId);
          expect(now).toEqual(ahead.toSorted());
        },
      ),
    );
  });
});

describe("a reader of an alignment group", () => {
  test("waits above what is allowed, and not at it", () => {
    const alignment = alignmentAt({ nowMs: () => 0 });
    alignment.allow(1000);
    alignment.update(1000, []);
    expect(alignment.isHeldBack).toBe(false);
    alignment.update(1001, []);
    expect(alignment.isHeldBack).toBe(true);
    expect(alignment.driftMs).toBe(1);
    alignment.allow(MAX_TIMESTAMP);
    alignment.update(1001, []);
    expect(alignment.isHeldBack).toBe(false);
  });

  test("goes as far as its drift before it hears of the group", () => {
    const alignment = alignmentAt({ nowMs: () => 0 });
    alignment.update(MIN_TIMESTAMP, []);
    expect(alignment.driftMs).toBe(0);
    alignment.update(50, []);
    alignment.update(150, []);
    expect(alignment.isHeldBack).toBe(false);
    alignment.update(151, []);
    expect(alignment.isHeldBack).toBe(true);
  });

  test("is not found idle while it is held back, nor is a split that is", () => {
    let nowMs = 0;
    const alignment = alignmentAt({ nowMs: () => nowMs });
    const [a, b] = [alignment.clockOf("a"), alignment.clockOf("b")];
    alignment.allow(100);
    alignment.update(50, [
      ["a", 50],
      ["b", 200],
    ]);
    nowMs = 10;
    expect([a.nowMs(), b.nowMs()]).toEqual([10, 0]);
    alignment.update(150, [
      ["a", 150],
      ["b", 200],
    ]);
    nowMs = 30;
    expect([a.nowMs(), b.nowMs()]).toEqual([10, 0]);
    alignment.allow(150);
    alignment.update(150, [
      ["a", 150],
      ["b", 200],
    ]);
    nowMs = 35;
    expect([a.nowMs(), b.nowMs()]).toEqual([15, 0]);
    alignment.release("b");
    expect(alignment.clockOf("b").nowMs()).toBe(15);
  });
});

describe("a pausable clock", () => {
  test("counts the time in which neither it nor the one below stands", () => {
    let nowMs = 0;
    const below = new PausableClock({ nowMs: () => nowMs });
    const above = new PausableClock(below);
    nowMs = 1;
    above.pause();
    nowMs = 2;
    below.pause();
    nowMs = 4;
    above.resume();
    nowMs = 8;
    below.resume();
    nowMs = 16;
    expect([below.nowMs(), above.nowMs()]).toEqual([10, 9]);
  });
});

test("alignment is refused behind the source, where nothing could be held back (PARAMETER_INVALID)", () => {
  const strategy = WatermarkStrategy.noWatermarks<number>().withWatermarkAlignment("g", 1);
  expect(() => timestampsAndWatermarksOperator(strategy)).toThrow(
    /give that strategy to fromSource/,
  );
});
