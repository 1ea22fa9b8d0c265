import {
  broadcastProcessOperator,
  coFlatMapOperator,
  coMapOperator,
  type Collector,
  ContinuousEventTimeTrigger,
  coProcessOperator,
  countEvictor,
  CountTrigger,
  EventTimeSessionWindows,
  EventTimeTrigger,
  filterOperator,
  flatMapOperator,
  GlobalWindows,
  keyedAggregateOperator,
  keyedBroadcastProcessOperator,
  keyedCoProcessOperator,
  type KeyedProcessContext,
  keyedProcessOperator,
  keyedReduceOperator,
  mapOperator,
  type OnTimerContext,
  outputTag,
  processOperator,
  PurgingTrigger,
  type RuntimeContext,
  SlidingEventTimeWindows,
  timestampsAndWatermarksOperator,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  WatermarkStrategy,
  type Window,
  windowOperator,
  type WindowSetup,
} from "../operators/index.ts";
import { Types, type TypeSerializer } from "../serde/index.ts";
import type { ListState, MapStateDescriptor, ValueState } from "../state/index.ts";
import type { OperatorCase, OperatorItem } from "./operator-laws.ts";

const KEYS = ["ams", "fra", "lis", "waw", "zrh"];

interface Flight {
  readonly airport: string;
  readonly delay: number;
}

const FlightType = Types.struct({ airport: Types.string(), delay: Types.long() });

/** Records of five keys over a minute, out of order, a few late, with watermarks and a clock between them. */
const ITEMS: readonly OperatorItem[] = Array.from({ length: 60 }, (_, index): OperatorItem[] => {
  const airport = KEYS[(index * 7) % KEYS.length] ?? "";
  const timestamp = index * 100 - ((index * 37) % 11) * 40;
  const value: Flight = { airport, delay: (index * 13) % 17 };
  const element = { kind: "element", value, timestamp, key: airport } as const;
  if (index % 6 !== 5) return [element];
  return [
    element,
    { kind: "watermark", watermark: index * 100 - 150 },
    { kind: "processing-time", nowMs: index * 100 },
  ];
}).flat();

const bothInputs = (items: readonly OperatorItem[]): readonly OperatorItem[] =>
  items.map((item, index) =>
    item.kind === "element" ? { ...item, input: index % 3 === 0 ? 2 : 1 } : item,
  );

const unkeyed = (items: readonly OperatorItem[]): readonly OperatorItem[] =>
  items.map((item) => {
    if (item.kind !== "element") return item;
    const { key: _, ...rest } = item;
    return rest;
  });

/** A case without types takes flights on all inputs. */
type CaseOfFlights = Omit<OperatorCase, "inputTypes" | "sideTypes"> & Partial<OperatorCase>;

const RuleType = Types.int() as TypeSerializer<unknown>;

const keyType = Types.string();

/** A reminder 250 ms after a key's last record, with how many records there were. */
class Reminder {
  #count: ValueState<number> | undefined;
  #times: ListState<number> | undefined;

  open(context: RuntimeContext): void {
    this.#count = context.getState({
      kind: "value",
      name: "count",
      ttl: undefined,
      type: Types.long(),
    });
    this.#times = context.getListState({
      kind: "list",
      name: "times",
      ttl: undefined,
      type: Types.long(),
    });
  }

  processElement(
    flight: Flight,
    context: KeyedProcessContext<string>,
    out: Collector<unknown>,
  ): void {
    const count = (this.#count?.value() ?? 0) + 1;
    this.#count?.update(count);
    const time = context.timestamp() ?? 0;
    for (const old of this.#times?.get() ?? [])
      context.timerService().deleteEventTimeTimer(old + 250);
    this.#times?.update([time]);
    context.timerService().registerEventTimeTimer(time + 250);
    context.timerService().registerProcessingTimeTimer(5000 + count * 100);
    if (flight.delay > 12) context.output(outputTag("worst"), flight.delay);
    if (count % 4 === 0) out.collect([context.getCurrentKey(), count]);
  }

  processElement1(
    flight: Flight,
    context: KeyedProcessContext<string>,
    out: Collector<unknown>,
  ): void {
    this.processElement(flight, context, out);
  }

  processElement2(
    flight: Flight,
    context: KeyedProcessContext<string>,
    out: Collector<unknown>,
  ): void {
    out.collect(["second", flight.airport, this.#count?.value() ?? 0, context.timestamp()]);
  }

  onTimer(time: number, context: OnTimerContext<string>, out: Collector<unknown>): void {
    out.collect([context.getCurrentKey(), context.timeDomain(), time, this.#count?.value()]);
  }
}

const sum = {
  createAccumulator: () => ({ total: 0 }),
  add: ({ delay }: Flight, { total }: { total: number }) => ({ total: total + delay }),
  getResult: ({ total }: { total: number }) => total,
  merge: (a: { total: number }, b: { total: number }) => ({ total: a.total + b.total }),
};
const Total = Types.struct({ total: Types.long() });

type Setup = WindowSetup<Flight, { total: number }, unknown, unknown, string, Window>;

function windowCase(name: string, part: Partial<Setup> & Pick<Setup, "assigner">): CaseOfFlights {
  const factory = windowOperator<Flight, { total: number }, unknown, unknown, string, Window>({
    trigger: undefined,
    evictor: undefined,
    allowedLatenessMs: 0,
    lateOutput: outputTag<Flight>("late"),
    aggregation: { kind: "aggregate", aggregate: sum },
    makeFunction: () => ({
      process(key, context, elements, out) {
        const window = context.window as unknown as { start?: number; end?: number };
        out.collect([key, window.start, window.end, ...elements]);
      },
    }),
    recordType: FlightType,
    accumulatorType: Total,
    ...part,
  });
  return { name, setup: { factory, keyType }, items: ITEMS };
}

const rules: MapStateDescriptor<string, number> = {
  kind: "map",
  name: "rules",
  ttl: undefined,
  keyType: Types.string(),
  valueType: Types.long(),
};

const withRules: readonly OperatorItem[] = ITEMS.flatMap((item, index): readonly OperatorItem[] =>
  index % 9 === 4 ? [item, { kind: "broadcast", value: index }] : [item],
);

const tumbling = TumblingEventTimeWindows.of(500) as unknown as Setup["assigner"];
const sliding = SlidingEventTimeWindows.of(600, 200) as unknown as Setup["assigner"];
const sessions = EventTimeSessionWindows.withGap(300) as unknown as Setup["assigner"];
const list = { kind: "list" } as const;

const CASES: readonly CaseOfFlights[] = [
  {
    name: "map",
    setup: { factory: mapOperator((flight: Flight) => flight.delay) },
    items: unkeyed(ITEMS),
  },
  {
    name: "filter",
    setup: { factory: filterOperator((f: Flight) => f.delay > 5) },
    items: unkeyed(ITEMS),
  },
  {
    name: "flatMap",
    setup: {
      factory: flatMapOperator((flight: Flight, out: Collector<string>) => {
        for (const letter of flight.airport) out.collect(letter);
      }),
    },
    items: unkeyed(ITEMS),
  },
  {
    name: "process",
    setup: {
      factory: processOperator(() => ({
        processElement(flight: Flight, context, out: Collector<unknown>) {
          out.collect([flight.delay, context.timerService().currentWatermark()]);
          if (flight.delay > 12) context.output(outputTag("worst"), flight.delay);
        },
      })),
    },
    items: unkeyed(ITEMS),
  },
  {
    name: "assignTimestampsAndWatermarks",
    setup: {
      factory: timestampsAndWatermarksOperator(
        WatermarkStrategy.forMonotonousTimestamps<Flight>().withTimestampAssigner((f) => f.delay),
      ),
    },
    items: unkeyed(ITEMS),
  },
  {
    name: "keyed process",
    setup: { factory: keyedProcessOperator(() => new Reminder()), keyType },
    items: ITEMS,
  },
  {
    name: "keyed co-process",
    setup: { factory: keyedCoProcessOperator(() => new Reminder()), keyType, inputCount: 2 },
    items: bothInputs(ITEMS),
  },
  {
    name: "reduce",
    setup: {
      factory: keyedReduceOperator<Flight>(
        (a, b) => ({ airport: b.airport, delay: a.delay + b.delay }),
        FlightType,
      ),
      keyType,
    },
    items: ITEMS,
  },
  {
    name: "aggregate",
    setup: { factory: keyedAggregateOperator(sum, Total), keyType },
    items: ITEMS,
  },
  {
    name: "co-map",
    setup: {
      factory: coMapOperator<Flight, Flight, unknown>(
        (f) => f.delay,
        (f) => f.airport,
      ),
      inputCount: 2,
    },
    items: bothInputs(unkeyed(ITEMS)),
  },
  {
    name: "co-flatMap",
    setup: {
      factory: coFlatMapOperator<Flight, Flight, unknown>(
        (f, out) => out.collect(f.delay),
        (f, out) => out.collect(f.airport),
      ),
      inputCount: 2,
    },
    items: bothInputs(unkeyed(ITEMS)),
  },
  {
    name: "co-process",
    setup: {
      factory: coProcessOperator<Flight, Flight, unknown>(() => ({
        processElement1: (f, context, out) => out.collect([f.delay, context.timestamp()]),
        processElement2: (f, _context, out) => out.collect(f.airport),
      })),
      inputCount: 2,
    },
    items: bothInputs(unkeyed(ITEMS)),
  },
  {
    name: "broadcast",
    inputTypes: [FlightType as TypeSerializer<unknown>, RuleType],
    setup: {
      factory: broadcastProcessOperator<Flight, number, unknown>(
        () => ({
          processElement: (f, context, out) =>
            out.collect([f.airport, context.getBroadcastState(rules).get("least")]),
          processBroadcastElement: (least, context) =>
            context.getBroadcastState(rules).put("least", least),
        }),
        [rules as never],
      ),
      inputCount: 2,
    },
    items: unkeyed(withRules),
  },
  {
    name: "keyed broadcast",
    inputTypes: [FlightType as TypeSerializer<unknown>, RuleType],
    setup: {
      factory: keyedBroadcastProcessOperator<string, Flight, number, unknown>(
        () => ({
          processElement(f, context, out) {
            const least = context.getBroadcastState(rules).get("least") ?? -1;
            context.timerService().registerEventTimeTimer((context.timestamp() ?? 0) + 450);
            out.collect([f.airport, least]);
          },
          processBroadcastElement: (least, context) =>
            context.getBroadcastState(rules).put("least", least),
          onTimer: (time, context, out) => out.collect([context.getCurrentKey(), time]),
        }),
        [rules as never],
      ),
      keyType,
      inputCount: 2,
    },
    items: withRules,
  },
  windowCase("tumbling windows by panes", { assigner: tumbling }),
  windowCase("tumbling windows, general", { assigner: tumbling, aggregation: list }),
  windowCase("tumbling windows with lateness", { assigner: tumbling, allowedLatenessMs: 200 }),
  windowCase("sliding windows by panes", { assigner: sliding }),
  windowCase("sliding windows, general", { assigner: sliding, aggregation: list }),
  windowCase("sessions by key", { assigner: sessions }),
  windowCase("sessions, general", { assigner: sessions, aggregation: list }),
  windowCase("sessions with lateness", { assigner: sessions, allowedLatenessMs: 200 }),
  windowCase("sessions with an evictor", { assigner: sessions, evictor: countEvictor(2) }),
  windowCase("continuous trigger", {
    assigner: tumbling,
    trigger: ContinuousEventTimeTrigger.of(200),
  }),
  windowCase("purging trigger with lateness", {
    assigner: tumbling,
    trigger: PurgingTrigger.of(EventTimeTrigger.create()),
    allowedLatenessMs: 300,
  }),
  windowCase("count windows", {
    assigner: GlobalWindows.create() as unknown as Setup["assigner"],
    trigger: PurgingTrigger.of(CountTrigger.of(3)),
  }),
  windowCase("windows of processing time", {
    assigner: TumblingProcessingTimeWindows.of(1000) as unknown as Setup["assigner"],
  }),
];

/** Every operator, and what happens to it: what all laws and all executions are tried with. */
export const OPERATOR_CASES: readonly OperatorCase[] = CASES.map((one) => ({
  inputTypes: Array.from(
    { length: one.setup.inputCount ?? 1 },
    () => FlightType as TypeSerializer<unknown>,
  ),
  sideTypes: {
    late: FlightType as TypeSerializer<unknown>,
    worst: Types.long() as TypeSerializer<unknown>,
  },
  ...one,
}));
