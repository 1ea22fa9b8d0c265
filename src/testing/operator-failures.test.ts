import { describe, expect, test } from "vitest";
import { isStreamError, StreamError } from "../base/index.ts";
import {
  EventTimeSessionWindows,
  flatMapOperator,
  keyedProcessOperator,
  mapOperator,
  type MergingWindowAssigner,
  processOperator,
  timestampsAndWatermarksOperator,
  TimeWindow,
  TumblingEventTimeWindows,
  userFunctionFailure,
  WatermarkStrategy,
  type Window,
  windowOperator,
} from "../operators/index.ts";
import { Types } from "../serde/index.ts";
import { OperatorHarness, type HarnessSetup } from "./operator-harness.ts";

async function failureOf(
  setup: HarnessSetup<unknown>,
  act: (harness: OperatorHarness<unknown>) => void,
): Promise<unknown> {
  const harness = await OperatorHarness.open(setup);
  try {
    act(harness);
  } catch (error) {
    return error;
  }
  return undefined;
}

const broken = (): never => {
  throw new RangeError("no such airport");
};

test("a user function that throws names operator, subtask, method, record and key", async () => {
  const error = await failureOf(
    {
      factory: keyedProcessOperator(() => ({ processElement: broken })),
      keyType: Types.string(),
      operatorName: "delays",
    },
    (harness) => harness.processElement({ from: "FRA" }, 5, { key: "FRA" }),
  );
  expect(isStreamError(error, "USER_FUNCTION_FAILED")).toBe(true);
  expect(error).toMatchObject({
    message: `processElement of operator "delays", subtask (1/1), failed for key "FRA" on record {"from":"FRA"}.`,
    cause: { message: "no such airport" },
  });
});

test("a huge record is cut in the error, and one that cannot be printed does no harm", async () => {
  const huge = { text: "x".repeat(100_000), parts: Array.from({ length: 10_000 }, () => "y") };
  const error = await failureOf({ factory: mapOperator(broken) }, (harness) =>
    harness.processElement(huge, 5),
  );
  expect(String(error).length).toBeLessThan(400);
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const other = await failureOf({ factory: mapOperator(broken) }, (harness) =>
    harness.processElement(cyclic, 5),
  );
  expect(isStreamError(other, "USER_FUNCTION_FAILED")).toBe(true);
});

test("a failure further down the chain is not blamed on the function that emitted", async () => {
  const inner = await failureOf(
    { factory: mapOperator(broken), operatorName: "inner" },
    (harness) => harness.processElement(1, 5),
  );
  const outer = flatMapOperator(() => {
    throw inner;
  });
  const error = await failureOf({ factory: outer, operatorName: "outer" }, (harness) =>
    harness.processElement(1, 5),
  );
  expect(error).toBe(inner);
});

test("timers on a stream without keys are refused", async () => {
  const error = await failureOf(
    {
      factory: processOperator(() => ({
        processElement: (_value, context) => context.timerService().registerEventTimeTimer(5),
      })),
    },
    (harness) => harness.processElement(1, 5),
  );
  expect(isStreamError(error, "KEYED_STREAM_REQUIRED")).toBe(true);
});

test.each([Number.NaN, 1.5, undefined, "soon"])(
  "a timestamp that is no whole number is refused with the record: %s",
  async (timestamp) => {
    const strategy = WatermarkStrategy.forMonotonousTimestamps<number>().withTimestampAssigner(
      () => timestamp as number,
    );
    const error = await failureOf(
      { factory: timestampsAndWatermarksOperator(strategy), operatorName: "clock" },
      (harness) => harness.processElement(7, 5),
    );
    expect(error).toMatchObject({
      message: `extractTimestamp of operator "clock", subtask (1/1), failed on record 7.`,
      cause: {
        message: `${typeof timestamp === "string" ? '"soon"' : timestamp} is no timestamp in whole milliseconds`,
      },
    });
  },
);

test.each(["registerEventTimeTimer", "registerProcessingTimeTimer"] as const)(
  "a timer at no time is refused where it is set, not at the next checkpoint: %s",
  async (register) => {
    for (const time of [Number.NaN, 2.5, undefined]) {
      const error = await failureOf(
        {
          factory: keyedProcessOperator(() => ({
            processElement: (_value, context) => context.timerService()[register](time as number),
          })),
          keyType: Types.string(),
          operatorName: "alerts",
        },
        (harness) => harness.processElement("x", 5, { key: "FRA" }),
      );
      expect(error).toMatchObject({
        message: `processElement of operator "alerts", subtask (1/1), failed for key "FRA" on record "x".`,
        cause: { message: `${time} is no timestamp in whole milliseconds` },
      });
    }
  },
);

test("a watermark generator that throws names its operator", async () => {
  const onEvent = WatermarkStrategy.forGenerator<number>(() => ({
    onEvent: broken,
    onPeriodicEmit: () => undefined,
  }));
  const setup: HarnessSetup<unknown> = {
    factory: timestampsAndWatermarksOperator(onEvent),
    operatorName: "clock",
  };
  const error = await failureOf(setup, (harness) => harness.processElement(7, 5));
  expect(error).toMatchObject({
    message: `onEvent of operator "clock", subtask (1/1), failed on record 7.`,
    cause: { message: "no such airport" },
  });
});

test("a key that cannot be used names the operator and the record whose key it is", () => {
  const place = { operatorName: "flights", subtaskIndex: 1, parallelism: 2, keyed: undefined };
  const unusable = new StreamError("KEY_NOT_USABLE", { path: "", problem: "it is undefined" });
  expect(userFunctionFailure(place, "keyBy", { to: "FRA" }, unusable)).toMatchObject({
    message: `keyBy of operator "flights", subtask (2/2), failed on record {"to":"FRA"}.`,
    cause: unusable,
  });
  expect(userFunctionFailure(place, "map", 1, unusable)).toBe(unusable);
});

describe("what a window calls while it fires", () => {
  const failing = {
    createAccumulator: () => 0,
    add: (value: number, sum: number) => sum + value,
    getResult: broken,
    merge: (a: number, b: number) => a + b,
  };
  const assigners = {
    tumbling: TumblingEventTimeWindows.of(10),
    session: EventTimeSessionWindows.withGap(10),
  };

  test.each([
    ["tumbling", 0],
    ["tumbling", 1],
    ["session", 0],
    ["session", 1],
  ] as const)("names operator and key: %s, lateness %i", async (name, allowedLatenessMs) => {
    const factory = windowOperator<number, number, number, number, string, TimeWindow>({
      assigner: assigners[name],
      trigger: undefined,
      evictor: undefined,
      allowedLatenessMs,
      lateOutput: undefined,
      aggregation: { kind: "aggregate", aggregate: failing },
      makeFunction: undefined,
      recordType: Types.long(),
      accumulatorType: Types.long(),
    });
    const setup = { factory, keyType: Types.string(), operatorName: "sums" };
    const error = await failureOf(setup, (harness) => {
      harness.processElement(1, 5, { key: "a" });
      harness.processWatermark(100);
    });
    expect(error).toMatchObject({
      message: `window of operator "sums", subtask (1/1), failed for key "a".`,
      cause: { message: "no such airport" },
    });
  });
});

test("a record without a timestamp in a window of event time is refused", async () => {
  const factory = windowOperator<number, number, number, number, string, Window>({
    assigner: TumblingEventTimeWindows.of("1 min") as never,
    trigger: undefined,
    evictor: undefined,
    allowedLatenessMs: 0,
    lateOutput: undefined,
    aggregation: { kind: "reduce", reduce: (a, b) => a + b },
    makeFunction: undefined,
    recordType: Types.long(),
    accumulatorType: Types.long(),
  });
  const setup: HarnessSetup<unknown> = { factory, keyType: Types.string() };
  const error = await failureOf(setup, (harness) =>
    harness.processElement(1, undefined, { key: "a" }),
  );
  expect(isStreamError(error, "TIMESTAMP_MISSING")).toBe(true);
});

test.each([
  ["undefined", undefined],
  ["EXPLODE", "EXPLODE"],
  ["[object Promise]", Promise.resolve("FIRE")],
])(
  "a trigger that returns what is no result is named, and its window not kept for ever: %s",
  async (shown, result) => {
    const trigger = {
      name: "Mine",
      onElement: () => result as never,
      onEventTime: () => result as never,
      onProcessingTime: () => result as never,
      clear() {},
    };
    const factory = windowOperator<number, number, number, number, string, TimeWindow>({
      assigner: TumblingEventTimeWindows.of(10),
      trigger,
      evictor: undefined,
      allowedLatenessMs: 0,
      lateOutput: undefined,
      aggregation: { kind: "list" },
      makeFunction: undefined,
      recordType: Types.long(),
      accumulatorType: Types.long(),
    });
    const setup = { factory, keyType: Types.string(), operatorName: "sums" };
    const error = await failureOf(setup, (harness) => harness.processElement(1, 5, { key: "a" }));
    expect(error).toMatchObject({
      message: `window of operator "sums", subtask (1/1), failed for key "a" on record 1.`,
      cause: {
        message: `the trigger Mine returned ${shown}, not CONTINUE, FIRE, PURGE or FIRE_AND_PURGE`,
      },
    });
  },
);

test("windows that merge into one that is already past are refused", async () => {
  const sessions = EventTimeSessionWindows.withGap(10);
  // Merging cuts off what it should cover.
  const assigner: MergingWindowAssigner<number, TimeWindow> = {
    name: "Broken",
    isEventTime: true,
    windowKind: sessions.windowKind,
    assignWindows: (value, timestamp) => sessions.assignWindows(value, timestamp),
    getDefaultTrigger: () => sessions.getDefaultTrigger(),
    mergeWindows: (windows) =>
      windows.length < 2 ? [] : [{ merged: windows, result: new TimeWindow(0, 1) }],
  };
  const factory = windowOperator<number, number, number, number, string, TimeWindow>({
    assigner,
    trigger: undefined,
    evictor: undefined,
    allowedLatenessMs: 0,
    lateOutput: undefined,
    aggregation: { kind: "list" },
    makeFunction: undefined,
    recordType: Types.long(),
    accumulatorType: Types.long(),
  });
  const error = await failureOf({ factory, keyType: Types.string() }, (harness) => {
    harness.processElement(1, 5, { key: "a" });
    harness.processWatermark(6);
    harness.processElement(2, 8, { key: "a" });
  });
  expect(isStreamError(error, "WINDOW_MERGED_INTO_THE_PAST")).toBe(true);
});
