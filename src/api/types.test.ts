import { expect, expectTypeOf, test } from "vitest";
import {
  type Collector,
  CountTrigger,
  EventTimeSessionWindows,
  type KeyedBroadcastProcessFunction,
  type KeyedCoProcessFunction,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  outputTag,
  type ProcessWindowFunction,
  PurgingTrigger,
  type Source,
  type TimeWindow,
  TumblingEventTimeWindows,
  WatermarkStrategy,
} from "../operators/index.ts";
import { type Of, Types } from "../serde/index.ts";
import type {
  BroadcastConnectedStream,
  ConnectedStreams,
  DataStream,
  KeyedBroadcastConnectedStream,
  KeyedConnectedStreams,
  KeyedStream,
  SingleOutputStreamOperator,
  WindowedStream,
} from "./data-stream.ts";
import { CountEvictor, DeltaEvictor } from "./evictors.ts";
import { defineJob } from "./job-definition.ts";
import { mapState } from "./state-descriptors.ts";
import type { StreamExecutionEnvironment } from "./stream-execution-environment.ts";

const Flight = Types.struct({
  departure: Types.timestamp(),
  delayMinutes: Types.int(),
  origin: Types.string(),
});
type Flight = Of<typeof Flight>;

/** Builds the job, so that what compiles also works. */
function job(main: (env: StreamExecutionEnvironment, flights: DataStream<Flight>) => void): void {
  expect(
    defineJob("types", (env) => main(env, env.fromCollection<Flight>([], Flight))).build().vertices,
  ).not.toEqual([]);
}

const counting = {
  createAccumulator: () => ({ count: 0 }),
  add: (_flight: Flight, accumulator: { count: number }) => ({ count: accumulator.count + 1 }),
  getResult: (accumulator: { count: number }) => accumulator.count,
  merge: (a: { count: number }, b: { count: number }) => ({ count: a.count + b.count }),
};

class Alert implements KeyedProcessFunction<string, Flight, Date> {
  processElement(flight: Flight, context: KeyedProcessContext<string>, out: Collector<Date>): void {
    context.timerService().registerEventTimeTimer(flight.departure);
    out.collect(new Date(0));
  }
}

test("types flow from the source to the last operator", () => {
  job((_env, flights) => {
    const mapped = flights.map((flight) => ({
      from: flight.origin,
      late: flight.delayMinutes > 15,
    }));
    expectTypeOf(mapped).toEqualTypeOf<
      SingleOutputStreamOperator<{ from: string; late: boolean }>
    >();
    expectTypeOf(flights.flatMap((flight) => flight.origin.split(""))).toEqualTypeOf<
      SingleOutputStreamOperator<string>
    >();
    expectTypeOf(flights.filter((flight) => flight.delayMinutes > 0)).toEqualTypeOf<
      SingleOutputStreamOperator<Flight>
    >();
    const keyed = flights.keyBy((flight) => flight.origin);
    expectTypeOf(keyed).toEqualTypeOf<KeyedStream<Flight, string>>();
    expectTypeOf(flights.keyBy("delayMinutes")).toEqualTypeOf<KeyedStream<Flight, number>>();
    expectTypeOf(keyed.process(new Alert())).toEqualTypeOf<SingleOutputStreamOperator<Date>>();
    expectTypeOf(keyed.process(() => new Alert())).toEqualTypeOf<
      SingleOutputStreamOperator<Date>
    >();
    expectTypeOf(keyed.reduce((a) => a)).toEqualTypeOf<SingleOutputStreamOperator<Flight>>();
    expectTypeOf(keyed.aggregate(counting)).toEqualTypeOf<SingleOutputStreamOperator<number>>();
  });
});

test("a filter that is a type guard narrows the stream", () => {
  job((env) => {
    const words = env.fromData<string | undefined>("a", undefined);
    expectTypeOf(words.filter((word) => word !== undefined)).toEqualTypeOf<
      SingleOutputStreamOperator<string>
    >();
  });
});

test("a source and its watermark strategy know the type of the records", () => {
  const source = { type: Flight } as unknown as Source<Flight>;
  defineJob("typed-source", (env) => {
    const flights = env.fromSource(
      source,
      WatermarkStrategy.forBoundedOutOfOrderness("5 min")
        .withIdleness("1 min")
        .withTimestampAssigner((flight) => flight.departure),
      "flights",
    );
    expectTypeOf(flights.keyBy("origin")).toEqualTypeOf<KeyedStream<Flight, string>>();
    const monotonous = WatermarkStrategy.forMonotonousTimestamps<Flight>();
    // @ts-expect-error -- misspelt
    monotonous.withTimestampAssigner((flight) => flight.depature);
    flights.assignTimestampsAndWatermarks(
      WatermarkStrategy.forMonotonousTimestamps().withTimestampAssigner(
        (flight) => flight.departure,
      ),
    );
  }).build();
});

test("a wrong field does not compile", () => {
  job((_env, flights) => {
    // @ts-expect-error -- misspelt
    flights.keyBy((flight) => flight.orgin);
    // @ts-expect-error -- misspelt
    flights.keyBy("orgin");
    // @ts-expect-error -- misspelt
    flights.map((flight) => flight.orgin);
    // @ts-expect-error -- not a number
    flights.keyBy("origin").sum("origin");
    flights.keyBy("origin").sum("delayMinutes").print();
  });
});

test("what needs keys does not compile on a stream without them", () => {
  job((_env, flights) => {
    flights.print();
    // @ts-expect-error -- reduce is per key
    expect(flights.reduce).toBeUndefined();
    // @ts-expect-error -- sum is per key
    expect(flights.sum).toBeUndefined();
    // @ts-expect-error -- windows are per key
    expect(flights.window).toBeUndefined();
  });
});

test("a declared type must be that of the results", () => {
  job((_env, flights) => {
    flights.map((flight) => flight.origin, { returns: Types.string() });
    flights.map((flight) => flight.origin).returns(Types.string());
    // @ts-expect-error -- the results are strings
    flights.map((flight) => flight.origin).returns(Types.int());
    // @ts-expect-error -- the key is a string
    flights.keyBy((flight) => flight.origin, Types.int());
  });
});

test("connected streams are keyed if both are, with keys of one type", () => {
  job((env, flights) => {
    const names = env.fromData({ origin: "ANC", name: "Anchorage" });
    const keyed = flights.keyBy("origin").connect(names.keyBy("origin"));
    expectTypeOf(keyed).toEqualTypeOf<
      KeyedConnectedStreams<string, Flight, { origin: string; name: string }>
    >();
    const join: KeyedCoProcessFunction<string, Flight, { name: string }, string> = {
      processElement1: (flight, context, out) =>
        out.collect(`${context.getCurrentKey()} ${flight.delayMinutes}`),
      processElement2: (airport, _context, out) => out.collect(airport.name),
    };
    expectTypeOf(keyed.process(() => join)).toEqualTypeOf<SingleOutputStreamOperator<string>>();
    const plain = flights.connect(names);
    expectTypeOf(plain).toEqualTypeOf<ConnectedStreams<Flight, { origin: string; name: string }>>();
    expectTypeOf(
      plain.map(
        (flight) => flight.origin,
        (airport) => airport.name,
      ),
    ).toEqualTypeOf<SingleOutputStreamOperator<string>>();
    expectTypeOf(
      plain.keyBy(
        (flight) => flight.origin,
        (airport) => airport.origin,
      ),
    ).toEqualTypeOf<KeyedConnectedStreams<string, Flight, { origin: string; name: string }>>();
  });
});

test("only streams of one type are united, and a side output has the type of its tag", () => {
  job((env, flights) => {
    const late = outputTag("late", Flight);
    const mapped = flights.map((flight) => flight);
    expectTypeOf(mapped.getSideOutput(late)).toEqualTypeOf<DataStream<Flight>>();
    mapped.union(mapped.getSideOutput(late)).print();
    // @ts-expect-error -- numbers are no flights
    mapped.union(env.fromData(1));
  });
});

test("windows know their key and their window", () => {
  job((_env, flights) => {
    const keyed = flights.keyBy("origin");
    const sessions = keyed.window(EventTimeSessionWindows.withGap("10 min"));
    expectTypeOf(sessions).toEqualTypeOf<WindowedStream<Flight, string, TimeWindow>>();
    expectTypeOf(sessions.aggregate(counting)).toEqualTypeOf<SingleOutputStreamOperator<number>>();
    expectTypeOf(
      sessions.aggregate(counting, (origin, window, count) => ({
        origin,
        start: window.start,
        count,
      })),
    ).toEqualTypeOf<SingleOutputStreamOperator<{ origin: string; start: number; count: number }>>();
    expectTypeOf(sessions.reduce((a) => a)).toEqualTypeOf<SingleOutputStreamOperator<Flight>>();
    expectTypeOf(
      sessions.reduce(
        (a) => a,
        (origin) => origin,
      ),
    ).toEqualTypeOf<SingleOutputStreamOperator<string>>();
    expectTypeOf(
      sessions.apply<number>((_origin, window, elements, out) => {
        for (const flight of elements) out.collect(flight.delayMinutes + window.end);
      }),
    ).toEqualTypeOf<SingleOutputStreamOperator<number>>();
    // @ts-expect-error -- misspelt
    sessions.reduce((a, b) => (a.delay > b.delay ? a : b));
  });
});

test("sessions with a gap per record, triggers, evictors and lateness fit the records", () => {
  job((_env, flights) => {
    flights
      .keyBy("origin")
      .window(
        EventTimeSessionWindows.withDynamicGap<Flight>(
          (flight) => flight.delayMinutes * 60_000 + 1,
        ),
      )
      .trigger(PurgingTrigger.of(CountTrigger.of(3)))
      .evictor(CountEvictor.of(10))
      .allowedLateness("1 min")
      .sideOutputLateData(outputTag("late", Flight))
      .aggregate(counting)
      .print();
    flights
      .windowAll(TumblingEventTimeWindows.of("1 d", "-8 h"))
      .evictor(
        DeltaEvictor.of(
          3,
          (flight: Flight, last: Flight) => last.delayMinutes - flight.delayMinutes,
        ),
      )
      .process({
        process(key, context, elements, out) {
          expectTypeOf(key).toEqualTypeOf<0>();
          for (const flight of elements) out.collect(flight.delayMinutes + context.window.start);
        },
      } satisfies ProcessWindowFunction<Flight, number, 0, TimeWindow>);
    flights
      .keyBy("origin")
      .countWindow(10, 5)
      .reduce((a) => a);
    flights.countWindowAll(10).reduce((a) => a);
  });
});

test("a broadcast input makes the other kind of connected stream", () => {
  job((env, flights) => {
    const limits = mapState("limits", Types.string(), Types.int());
    const changes = env.fromData({ origin: "ANC", limit: 5 });
    const keyed = flights.keyBy("origin").connect(changes.broadcast(limits));
    expectTypeOf(keyed).toEqualTypeOf<
      KeyedBroadcastConnectedStream<string, Flight, { origin: string; limit: number }>
    >();
    const check: KeyedBroadcastProcessFunction<
      string,
      Flight,
      { origin: string; limit: number },
      string
    > = {
      processElement(flight, context, out) {
        const limit = context.getBroadcastState(limits).get(flight.origin) ?? 15;
        if (flight.delayMinutes > limit) out.collect(context.getCurrentKey());
        // @ts-expect-error -- only the broadcast side changes the state
        expect(context.getBroadcastState(limits).put).toBeDefined();
      },
      processBroadcastElement(change, context) {
        context.getBroadcastState(limits).put(change.origin, change.limit);
      },
    };
    expectTypeOf(keyed.process(() => check)).toEqualTypeOf<SingleOutputStreamOperator<string>>();
    const plain = flights.connect(changes.broadcast(limits));
    expectTypeOf(plain).toEqualTypeOf<
      BroadcastConnectedStream<Flight, { origin: string; limit: number }>
    >();
    expectTypeOf(changes.broadcast()).toEqualTypeOf<
      DataStream<{ origin: string; limit: number }>
    >();
  });
});
