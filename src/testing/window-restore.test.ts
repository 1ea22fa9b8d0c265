import { expect, test } from "vitest";
import { isStreamError } from "../base/index.ts";
import {
  EventTimeSessionWindows,
  TumblingEventTimeWindows,
  type Window,
  type WindowAssigner,
  windowOperator,
} from "../operators/index.ts";
import { Types } from "../serde/index.ts";
import { OperatorHarness, type HarnessSetup } from "./operator-harness.ts";

function sums(assigner: unknown, allowedLatenessMs: number): HarnessSetup<number> {
  const factory = windowOperator<number, number, number, number, string, Window>({
    assigner: assigner as WindowAssigner<number, Window>,
    trigger: undefined,
    evictor: undefined,
    allowedLatenessMs,
    lateOutput: undefined,
    aggregation: { kind: "reduce", reduce: (a, b) => a + b },
    makeFunction: undefined,
    recordType: Types.long(),
    accumulatorType: Types.long(),
  });
  return { factory, keyType: Types.string() };
}

const tumbling = TumblingEventTimeWindows.of(10);

/** Sums of windows that fire at watermark 19 when a job with the second lateness goes on from a snapshot of the first. */
async function firedAfterChange(fromMs: number, toMs: number): Promise<readonly unknown[]> {
  const before = await OperatorHarness.open(sums(tumbling, fromMs));
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 4],
  ] as const) {
    before.processElement(value, 5, { key });
  }
  before.processElement(8, 12, { key: "a" });
  const after = await OperatorHarness.open(sums(tumbling, toMs), await before.snapshot());
  after.processElement(16, 13, { key: "b" });
  after.processWatermark(9);
  after.processWatermark(19);
  after.processWatermark(100);
  return after
    .takeOutput()
    .flatMap((output) =>
      output.kind === "record" ? [`${output.value} @ ${output.timestamp}`] : [],
    )
    .toSorted();
}

test("windows fire once whether lateness was allowed before the restore, after it, or both", async () => {
  const expected = ["16 @ 19", "2 @ 9", "5 @ 9", "8 @ 19"];
  for (const [from, to] of [
    [0, 0],
    [0, 5],
    [5, 0],
    [5, 5],
  ] as const) {
    expect(await firedAfterChange(from, to)).toEqual(expected);
  }
});

test("a cleaned-up window stays gone after its lateness was changed", async () => {
  const before = await OperatorHarness.open(sums(tumbling, 0));
  before.processElement(1, 5, { key: "a" });
  before.processWatermark(9);
  const after = await OperatorHarness.open(sums(tumbling, 5), await before.snapshot());
  after.takeOutput();
  after.processWatermark(100);
  expect(after.takeOutput()).toEqual([{ kind: "watermark", watermark: 100, subtask: 0 }]);
});

test("sessions kept in another form are refused, not begun anew", async () => {
  const sessions = EventTimeSessionWindows.withGap(10);
  for (const [from, to] of [
    [0, 5],
    [5, 0],
  ] as const) {
    const before = await OperatorHarness.open(sums(sessions, from));
    before.processElement(1, 5, { key: "a" });
    const snapshot = await before.snapshot();
    const error = await OperatorHarness.open(sums(sessions, to), snapshot).catch((e: unknown) => e);
    expect(isStreamError(error, "STATE_INCOMPATIBLE")).toBe(true);
  }
});
