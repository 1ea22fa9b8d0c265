import { expect, test } from "vitest";
import { csv, fileSink, fileSource, ndjson } from "../connectors/index.ts";
import { jobPlanOf, renderPlan } from "../graph/index.ts";
import {
  type KeyedProcessFunction,
  EventTimeSessionWindows,
  outputTag,
  WatermarkStrategy,
} from "../operators/index.ts";
import { type Of, Types } from "../serde/index.ts";
import { defineJob, type JobFunction } from "./job-definition.ts";

const Flight = Types.struct({
  departure: Types.timestamp(),
  delayMinutes: Types.int(),
  origin: Types.string(),
});
type Flight = Of<typeof Flight>;
const Burst = Types.struct({
  origin: Types.string(),
  start: Types.timestamp(),
  count: Types.int(),
});

const counting = {
  createAccumulator: () => 0,
  add: (_flight: Flight, count: number) => count + 1,
  getResult: (count: number) => count,
  merge: (a: number, b: number) => a + b,
};

/** The main example: sessions per airport with late rows apart. */
const departureBursts: JobFunction = (env) => {
  const late = outputTag("late", Flight);
  const bursts = env
    .fromSource(
      fileSource("data/flights.ndjson", ndjson(Flight)),
      WatermarkStrategy.forBoundedOutOfOrderness("30 min").withTimestampAssigner(
        (flight) => flight.departure,
      ),
      "flights",
    )
    .uid("flights")
    .keyBy("origin")
    .window(EventTimeSessionWindows.withGap("10 min"))
    .sideOutputLateData(late)
    .aggregate(counting, (origin, window, count) => ({ origin, start: window.start, count }), {
      accumulator: Types.int(),
      returns: Burst,
    })
    .uid("bursts");
  bursts.sinkTo(fileSink("out/bursts", ndjson(Burst))).uid("bursts-out");
  bursts
    .getSideOutput(late)
    .sinkTo(fileSink("out/late", csv(Flight)))
    .uid("late-out");
};

/** A parallel source into a print of another parallelism. */
const checkpointTest: JobFunction = (env) => {
  env.enableCheckpointing("10 s");
  env.fromSequence(1, 100).setParallelism(4).uid("source").print().setParallelism(6);
};

/** Two keyed inputs, a union, a side branch and a broadcast. */
const enrichment: JobFunction = (env) => {
  env.setParallelism(2);
  const airports = env.fromCollection([{ origin: "ANC", name: "Anchorage" }]).uid("airports");
  const flights = env
    .fromCollection<Flight>([], Flight)
    .uid("flights")
    .union(env.fromCollection<Flight>([], Flight).uid("more-flights"));
  const alerts = flights
    .keyBy("origin")
    .process(
      (): KeyedProcessFunction<string, Flight, string> => ({
        processElement: (flight, _context, out) => out.collect(flight.origin),
      }),
      { returns: Types.string() },
    )
    .uid("alerts");
  flights
    .keyBy("origin")
    .connect(airports.keyBy("origin"))
    .process(() => ({ processElement1() {}, processElement2() {} }))
    .uid("join")
    .filter(() => true)
    .print("joined");
  alerts
    .broadcast()
    .map((alert) => alert.length)
    .slotSharingGroup("lengths")
    .print();
  alerts
    .map((alert) => alert)
    .disableChaining()
    .print();
};

test.each([
  ["departure-bursts", departureBursts],
  ["checkpoint-test", checkpointTest],
  ["enrichment", enrichment],
])("the plan of %s is stable", async (name, main) => {
  const graph = defineJob(name, main).build();
  await expect(renderPlan(graph)).toMatchFileSnapshot(`../../test/golden/plan/${name}.txt`);
  await expect(`${JSON.stringify(jobPlanOf(graph), undefined, 2)}\n`).toMatchFileSnapshot(
    `../../test/golden/plan/${name}.json`,
  );
});
