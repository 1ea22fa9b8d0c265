import { describe, expect, test } from "vitest";
import { Configuration, nodePlatform } from "../base/index.ts";
import { collectionSource, collectSink } from "../connectors/index.ts";
import {
  type Collector,
  CountTrigger,
  EventTimeSessionWindows,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  outputTag,
  type RuntimeContext,
  TumblingEventTimeWindows,
  WatermarkStrategy,
} from "../operators/index.ts";
import { startJob } from "../runtime/index.ts";
import { Types } from "../serde/index.ts";
import type { ValueState } from "../state/index.ts";
import type { DataStream } from "./data-stream.ts";
import { defineJob } from "./job-definition.ts";
import { mapState, valueState } from "./state-descriptors.ts";
import type { StreamExecutionEnvironment } from "./stream-execution-environment.ts";

/** Runs a bounded job and returns what its result stream holds, sorted by text. */
async function resultsOf<T>(
  main: (env: StreamExecutionEnvironment) => DataStream<T>,
  parallelism: number,
): Promise<readonly T[]> {
  const collected = collectSink<T>();
  const job = defineJob("api-test", (env) => {
    env.setParallelism(parallelism);
    main(env).sinkTo(collected);
  });
  const running = await startJob(job.build(), new Configuration(), {
    platform: nodePlatform(),
    start: "fresh",
  });
  await running.result;
  return collected.records.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

interface Reading {
  readonly sensor: string;
  readonly value: number;
  readonly at: number;
}

const READINGS: readonly Reading[] = [
  { sensor: "a", value: 1, at: 1_000 },
  { sensor: "b", value: 5, at: 2_000 },
  { sensor: "a", value: 2, at: 61_000 },
  { sensor: "a", value: 4, at: 62_000 },
  { sensor: "b", value: 1, at: 200_000 },
  { sensor: "a", value: 9, at: 3_000 },
];

const inEventTime = WatermarkStrategy.forMonotonousTimestamps<Reading>().withTimestampAssigner(
  (reading) => reading.at,
);

class Numbered implements KeyedProcessFunction<string, Reading, string> {
  #count: ValueState<number> | undefined;

  open(context: RuntimeContext): void {
    this.#count = context.getState(valueState("count", Types.int()));
  }

  processElement(
    _reading: Reading,
    context: KeyedProcessContext<string>,
    out: Collector<string>,
  ): void {
    const count = (this.#count?.value() ?? 0) + 1;
    this.#count?.update(count);
    out.collect(`${context.getCurrentKey()}${count}`);
  }
}

const adding = {
  createAccumulator: () => 0,
  add: (reading: Reading, sum: number) => sum + reading.value,
  getResult: (sum: number) => sum,
  merge: (a: number, b: number) => a + b,
};

describe.each([1, 3])("with parallelism %d", (parallelism) => {
  const run = <T>(main: (env: StreamExecutionEnvironment) => DataStream<T>) =>
    resultsOf(main, parallelism);

  test("map, flatMap and filter", async () => {
    expect(
      await run((env) =>
        env
          .fromData("a b", "c")
          .flatMap((line) => line.split(" "))
          .map((word) => word.toUpperCase())
          .filter((word) => word !== "B"),
      ),
    ).toEqual(["A", "C"]);
  });

  test("the sequence of whole numbers has both ends", async () => {
    expect(await run((env) => env.fromSequence(3, 7))).toEqual([3, 4, 5, 6, 7]);
  });

  test("a keyed process function whose subtasks share nothing", async () => {
    const results = await run((env) =>
      env.fromCollection(READINGS).rebalance().keyBy("sensor").process(new Numbered()),
    );
    expect(results).toEqual(["a1", "a2", "a3", "a4", "b1", "b2"]);
  });

  test("reduce, aggregate and sum emit for each record", async () => {
    expect(
      await run((env) =>
        env
          .fromCollection(READINGS)
          .keyBy("sensor")
          .reduce((a, b) => (a.value > b.value ? a : b))
          .map((r) => r.value),
      ),
    ).toEqual([1, 2, 4, 5, 5, 9]);
    expect(
      await run((env) => env.fromCollection(READINGS).keyBy("sensor").aggregate(adding)),
    ).toEqual([1, 16, 3, 5, 6, 7]);
    expect(
      await run((env) =>
        env
          .fromCollection(READINGS)
          .keyBy("sensor")
          .sum("value")
          .map((r) => r.value),
      ),
    ).toEqual([1, 16, 3, 5, 6, 7]);
  });

  test("union and side outputs", async () => {
    const big = outputTag<number>("big");
    expect(
      await run((env) => {
        const split = env
          .fromData(1, 2, 30)
          .union(env.fromData(40))
          .process<number>({
            processElement(value, context, out) {
              if (value > 9) context.output(big, value);
              else out.collect(value);
            },
          });
        return split
          .getSideOutput(big)
          .map((value) => -value)
          .union(split);
      }),
    ).toEqual([-30, -40, 1, 2]);
  });

  test("windows with late data apart", async () => {
    const late = outputTag<Reading>("late");
    expect(
      await run((env) => {
        const sums = env
          .fromCollection(READINGS)
          .assignTimestampsAndWatermarks(
            WatermarkStrategy.forGenerator<Reading>(() => ({
              onEvent: (_reading, timestamp, output) => output.emitWatermark(timestamp),
              onPeriodicEmit() {},
            })).withTimestampAssigner((reading) => reading.at),
          )
          .setParallelism(1)
          .keyBy("sensor")
          .window(TumblingEventTimeWindows.of("1 min"))
          .sideOutputLateData(late)
          .aggregate(adding, (sensor, window, sum) => `${sensor}@${window.start}=${sum}`);
        return sums.union(sums.getSideOutput(late).map((reading) => `late ${reading.value}`));
      }),
    ).toEqual(["a@0=1", "a@60000=6", "b@0=5", "b@180000=1", "late 9"]);
  });

  test("sessions, their records as a whole, and in all", async () => {
    expect(
      await run((env) =>
        env
          .fromSource(collectionSource(READINGS), inEventTime)
          .setParallelism(1)
          .keyBy((reading) => reading.sensor)
          .window(EventTimeSessionWindows.withGap("30 s"))
          .apply((sensor, window, readings) => [
            `${sensor}@${window.start}: ${[...readings].map((reading) => reading.value).join()}`,
          ]),
      ),
    ).toEqual(["a@1000: 1,9", "a@61000: 2,4", "b@200000: 1", "b@2000: 5"]);
    expect(
      await run((env) =>
        env
          .fromCollection(READINGS)
          .countWindowAll(3)
          .trigger(CountTrigger.of(3))
          .reduce((a, b) => ({ ...a, value: a.value + b.value }))
          .map((reading) => reading.value),
      ),
    ).toEqual([22, 8]);
  });

  test("two keyed inputs see one state", async () => {
    expect(
      await run((env) => {
        const names = env.fromData({ sensor: "a", name: "Anna" }, { sensor: "b", name: "Ben" });
        return env
          .fromCollection(READINGS)
          .keyBy("sensor")
          .connect(names.keyBy("sensor"))
          .process<string>(() => {
            let pairs: ValueState<string> | undefined;
            const note = (text: string) =>
              pairs?.update((pairs.value() ?? "").concat(text).split("").toSorted().join(""));
            return {
              open(context) {
                pairs = context.getState(valueState<string>("pairs"));
              },
              processElement1: (reading, _context, out) => {
                note(`${reading.value}`);
                if (pairs?.value()?.length === (reading.sensor === "a" ? 5 : 3))
                  out.collect(pairs.value() ?? "");
              },
              processElement2: (airport, _context, out) => {
                note(airport.name.slice(0, 1));
                if (pairs?.value()?.length === (airport.sensor === "a" ? 5 : 3))
                  out.collect(pairs.value() ?? "");
              },
            };
          });
      }),
    ).toEqual(["1249A", "15B"]);
  });

  test("a broadcast input reaches every subtask", async () => {
    const factors = mapState("factors", Types.string(), Types.int());
    const results = await run((env) =>
      env
        .fromData<number>()
        .rebalance()
        .connect(env.fromData(["x", 2] as const).broadcast(factors))
        .process<string>({
          processElement() {},
          processBroadcastElement([name, factor], context, out) {
            context.getBroadcastState(factors).put(name, factor);
            out.collect(`${name}${context.getBroadcastState(factors).get(name)}`);
          },
        }),
    );
    expect(results).toEqual(Array.from({ length: parallelism }, () => "x2"));
  });
});

test("after a restart a function object begins anew", async () => {
  let failures = 0;
  class Counted implements KeyedProcessFunction<string, number, number> {
    #seen = 0;

    processElement(_value: number, _context: unknown, out: Collector<number>): void {
      this.#seen += 1;
      if (this.#seen === 3 && failures === 0) {
        failures += 1;
        throw new Error("the third record");
      }
      out.collect(this.#seen);
    }
  }
  const results = await resultsOf((env) => {
    env.configure({
      "restart-strategy.type": "fixed-delay",
      "restart-strategy.fixed-delay.attempts": 1,
      "restart-strategy.fixed-delay.delay": "1 ms",
    });
    return env
      .fromData(1, 2, 3, 4)
      .keyBy(() => "one")
      .process(new Counted());
  }, 1);
  expect(failures).toBe(1);
  expect(results).toEqual([1, 2, 3, 4]);
});
