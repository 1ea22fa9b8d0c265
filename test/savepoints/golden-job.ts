import {
  aggregatingState,
  type Collector,
  collectSink,
  defineJob,
  EventTimeSessionWindows,
  type JobDefinition,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  listState,
  mapState,
  type OnTimerContext,
  reducingState,
  type RuntimeContext,
  Types,
  valueState,
  WatermarkStrategy,
} from "../../src/index.ts";

const Reading = Types.struct({ at: Types.timestamp(), key: Types.int(), note: Types.string() });
type Reading = { readonly at: number; readonly key: number; readonly note: string };

/** Later than any record. */
const END = 1_000_000_000;

const total = valueState("total", Types.double());
const notes = listState("notes", Types.string());
const byNote = mapState(
  "by-note",
  Types.string(),
  Types.struct({ last: Types.date(), big: Types.bigint() }),
);
const least = reducingState("least", (a: number, b: number) => Math.min(a, b), Types.long());
const spread = aggregatingState(
  "spread",
  {
    createAccumulator: () => ({ low: Infinity, high: -Infinity }),
    add: (at: number, { low, high }) => ({ low: Math.min(low, at), high: Math.max(high, at) }),
    getResult: ({ low, high }) => high - low,
    merge: (a, b) => ({ low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) }),
  },
  Types.struct({ low: Types.double(), high: Types.double() }),
);

/** Keeps state of each kind, and says at the end what it holds. */
class Remembering implements KeyedProcessFunction<number, Reading, string> {
  #context: RuntimeContext | undefined;

  open(context: RuntimeContext): void {
    this.#context = context;
    this.#states();
  }

  processElement(reading: Reading, context: KeyedProcessContext<number>): void {
    const states = this.#states();
    states.total.update((states.total.value() ?? 0) + reading.at);
    if (reading.at % 50 === 0) states.notes.add(reading.note);
    const last = Math.max(reading.at, states.byNote.get(reading.note)?.last.getTime() ?? 0);
    states.byNote.put(reading.note, { last: new Date(last), big: BigInt(last) });
    states.least.add(reading.at);
    states.spread.add(reading.at);
    context.timerService().registerEventTimeTimer(END);
  }

  onTimer(timestamp: number, context: OnTimerContext<number>, out: Collector<string>): void {
    const { total: sum, notes: list, byNote: map, least: first, spread: range } = this.#states();
    const entries = [...map.entries()].map(([note, value]) => [
      note,
      value.last.getTime(),
      String(value.big),
    ]);
    out.collect(
      JSON.stringify([
        context.getCurrentKey(),
        timestamp,
        sum.value(),
        [...(list.get() ?? [])].toSorted(),
        entries,
        first.get(),
        range.get(),
      ]),
    );
  }

  #states() {
    const context = this.#context;
    if (context === undefined) throw new Error("Not opened");
    return {
      total: context.getState(total),
      notes: context.getListState(notes),
      byNote: context.getMapState(byNote),
      least: context.getReducingState(least),
      spread: context.getAggregatingState(spread),
    };
  }
}

/**
 * The job of the checkpoints in `test/golden/checkpoints-1`, which is not to change: a source with its position, an exchange with records in flight,
 * keyed state of each kind, timers, and a session that lasts to the end. Each record that it gives comes after the end of the data, so that a run that
 * goes on from a checkpoint gives the same as one that begins. Nothing in it depends on the order in which records come from different tasks.
 */
export function goldenJob(): {
  readonly definition: JobDefinition;
  readonly records: readonly string[];
} {
  const sink = collectSink(Types.string());
  const definition = defineJob("golden", (env) => {
    const readings = env
      .fromGenerator(
        (index): Reading => ({ at: index * 10, key: index % 7, note: `n${index % 3}` }),
        {
          count: 1500,
          type: Reading,
        },
      )
      .uid("readings")
      .setParallelism(1)
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forMonotonousTimestamps<Reading>().withTimestampAssigner(({ at }) => at),
      )
      .uid("times")
      .setParallelism(1)
      .rebalance()
      .map((reading) => ({ ...reading }), { returns: Reading })
      .uid("copies");
    const keyed = readings.keyBy("key");
    keyed
      .process(() => new Remembering(), { returns: Types.string() })
      .uid("remembering")
      .sinkTo(sink)
      .uid("remembering-sink");
    keyed
      .window(EventTimeSessionWindows.withGap(200))
      .reduce((a, b) => ({
        ...a,
        at: Math.max(a.at, b.at),
        note: a.note < b.note ? a.note : b.note,
      }))
      .uid("sessions")
      .map(({ at, key, note }) => `session ${key} ${at} ${note}`, { returns: Types.string() })
      .uid("texts")
      .sinkTo(sink)
      .uid("session-sink");
  });
  return { definition, records: sink.records };
}
