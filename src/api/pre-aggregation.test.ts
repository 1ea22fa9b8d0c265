import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Configuration, nodePlatform } from "../base/index.ts";
import { collectSink } from "../connectors/index.ts";
import { renderPlan } from "../graph/index.ts";
import {
  CountTrigger,
  EventTimeSessionWindows,
  outputTag,
  TumblingEventTimeWindows,
  WatermarkStrategy,
} from "../operators/index.ts";
import { startJob } from "../runtime/index.ts";
import { type Of, Types } from "../serde/index.ts";
import type { DataStream, KeyedStream } from "./data-stream.ts";
import { defineJob } from "./job-definition.ts";

const Reading = Types.struct({ sensor: Types.string(), value: Types.int(), at: Types.timestamp() });
type Reading = Of<typeof Reading>;

const summing = {
  createAccumulator: () => ({ count: 0, sum: 0 }),
  add: ({ value }: Reading, { count, sum }: { count: number; sum: number }) => ({
    count: count + 1,
    sum: sum + value,
  }),
  getResult: (held: { count: number; sum: number }) => held,
  merge: (a: { count: number; sum: number }, b: { count: number; sum: number }) => ({
    count: a.count + b.count,
    sum: a.sum + b.sum,
  }),
};

/** Sums per sensor and half minute, as text, by all the ways to fold. */
function folds(readings: DataStream<Reading>, isPreAggregated: boolean): DataStream<string> {
  const minutes = TumblingEventTimeWindows.of("30 s", "7 s");
  const windows = (stream: KeyedStream<Reading, unknown>) => {
    const windowed = stream.window(minutes);
    return isPreAggregated ? windowed.preAggregate() : windowed;
  };
  const bySensor = windows(readings.keyBy("sensor"))
    .aggregate(summing, (key, { start }, held) => `${String(key)} ${start} ${JSON.stringify(held)}`)
    .uid("sums");
  const byPair = windows(
    readings.keyBy(({ sensor, value }) => [sensor, value % 2] as const, Types.any()),
  )
    .reduce(
      (a, b) => ({ ...a, value: a.value + b.value }),
      (key, { end }, { value }) => `${String(key)} ${end} ${value}`,
    )
    .uid("pairs");
  const all = (
    isPreAggregated ? readings.windowAll(minutes).preAggregate() : readings.windowAll(minutes)
  )
    .reduce((a, b) => ({ ...a, value: a.value + b.value }))
    .uid("all")
    .map(({ value }) => `all ${value}`);
  return bySensor.union(byPair, all);
}

async function resultsOf(
  readings: readonly Reading[],
  isPreAggregated: boolean,
  parallelism: number,
): Promise<{ readonly results: readonly string[]; readonly late: number }> {
  const collected = collectSink<string>();
  const job = defineJob("pre-aggregation", (env) => {
    env.setParallelism(parallelism);
    const stream = env
      .fromCollection(readings, Reading)
      .setParallelism(1)
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forBoundedOutOfOrderness<Reading>("5 s")
          .withTimestampAssigner(({ at }) => at)
          .punctuated(),
      )
      .setParallelism(1);
    folds(stream, isPreAggregated).sinkTo(collected);
  });
  const running = await startJob(job.build(), new Configuration(), {
    platform: nodePlatform(),
    start: "fresh",
  });
  await running.result;
  const late = running.master
    .metrics()
    .reduce((sum, { numLateRecordsDropped }) => sum + numLateRecordsDropped, 0);
  return { results: collected.records.toSorted(), late };
}

const readings = fc.array(
  fc.record({
    sensor: fc.constantFrom("a", "b", "c"),
    value: fc.integer({ min: 0, max: 9 }),
    at: fc.integer({ min: 0, max: 120_000 }),
  }),
  { maxLength: 60 },
);

describe("folding before the exchange", () => {
  test.each([1, 3])(
    "changes no result and drops the same records as late, with parallelism %d",
    async (parallelism) => {
      await fc.assert(
        fc.asyncProperty(readings, async (given) => {
          const with_ = await resultsOf(given, true, parallelism);
          expect(with_).toEqual(await resultsOf(given, false, parallelism));
        }),
        { numRuns: 20 },
      );
    },
    60_000,
  );

  test("sends one record for each key and window", async () => {
    const given = Array.from({ length: 1000 }, (_, index) => ({
      sensor: `s${index % 4}`,
      value: 1,
      at: index * 60,
    }));
    const job = defineJob("counted", (env) => {
      env
        .fromCollection(given, Reading)
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forMonotonousTimestamps<Reading>()
            .withTimestampAssigner(({ at }) => at)
            .punctuated(),
        )
        .keyBy("sensor")
        .window(TumblingEventTimeWindows.of("1 min"))
        .preAggregate()
        .aggregate(summing)
        .sinkTo(collectSink());
    });
    const running = await startJob(job.build(), new Configuration(), {
      platform: nodePlatform(),
      start: "fresh",
    });
    await running.result;
    const [window] = running.master
      .metrics()
      .filter(({ operatorName }) => operatorName.startsWith("Window"));
    expect(window?.numRecordsIn).toBe(4);
  });

  test("is an operator of its own in the plan, in the task of the source", () => {
    const job = defineJob("plan", (env) => {
      folds(env.fromCollection<Reading>([], Reading).setParallelism(2), true).print();
    });
    const plan = renderPlan(job.build());
    expect(plan).toContain("PreAggregate(TumblingEventTimeWindows(30000))");
  });

  test.each([
    [
      "windows that merge",
      (keyed: KeyedStream<Reading, string>) => keyed.window(EventTimeSessionWindows.withGap("1 s")),
    ],
    [
      "windows that differ from subtask to subtask",
      (keyed: KeyedStream<Reading, string>) =>
        keyed.window(TumblingEventTimeWindows.of("1 min", 0, "RANDOM")),
    ],
    [
      "a trigger of its own",
      (keyed: KeyedStream<Reading, string>) =>
        keyed.window(TumblingEventTimeWindows.of("1 min")).trigger(CountTrigger.of(3)),
    ],
    [
      "allowed lateness",
      (keyed: KeyedStream<Reading, string>) =>
        keyed.window(TumblingEventTimeWindows.of("1 min")).allowedLateness("1 s"),
    ],
    [
      "late records that go aside",
      (keyed: KeyedStream<Reading, string>) =>
        keyed
          .window(TumblingEventTimeWindows.of("1 min"))
          .sideOutputLateData(outputTag("late", Reading)),
    ],
  ])("is refused for %s", (_, windows) => {
    const job = defineJob("refused", (env) => {
      windows(env.fromCollection<Reading>([], Reading).keyBy("sensor"))
        .preAggregate()
        .aggregate(summing)
        .print();
    });
    expect(() => job.build()).toThrow(/folded before the exchange/);
  });

  test("is refused for a function that takes all records", () => {
    const job = defineJob("refused", (env) => {
      env
        .fromCollection<Reading>([], Reading)
        .keyBy("sensor")
        .window(TumblingEventTimeWindows.of("1 min"))
        .preAggregate()
        .apply(() => [])
        .print();
    });
    expect(() => job.build()).toThrow(/takes all records/);
  });
});
