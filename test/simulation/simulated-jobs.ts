import {
  type Collector,
  collectSink,
  defineJob,
  EventTimeSessionWindows,
  fileSink,
  fileSource,
  type JobDefinition,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  mapState,
  ndjson,
  type Of,
  type OnTimerContext,
  outputTag,
  type RuntimeContext,
  Types,
  type ValueState,
  valueState,
  WatermarkStrategy,
} from "../../src/index.ts";
import type {
  OneInputOperator,
  OperatorContext,
  OperatorFactory,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "../../src/operators/index.ts";
import type { OperatorListState } from "../../src/state/index.ts";
import type { SimulatedJob } from "../../src/testing/simulation/simulation.ts";

/**
 * Jobs whose result does not depend on the order in which records of different channels meet, so that a run with faults can be
 * compared with one without.
 */

/** A job whose sinks are collect sinks: they stand for a system outside, and outlive the process. */
function collecting(
  makeJob: (sink: ReturnType<typeof collectSink<string>>) => JobDefinition,
): SimulatedJob {
  const sink = collectSink(Types.string());
  const definition = makeJob(sink);
  return {
    build: (configuration) => definition.build(configuration),
    output: () => sink.records,
  };
}

/** Rebalance, then keyed counts: barriers meet at every task. */
export function countJob(): SimulatedJob {
  return collecting((sink) =>
    defineJob("count", (env) => {
      env
        .fromSequence(0, 1999)
        .uid("numbers")
        .setParallelism(2)
        .rebalance()
        .map((value) => value * 7)
        .keyBy((value) => value % 10, Types.int())
        .aggregate({
          createAccumulator: () => 0,
          add: (_value: number, count: number) => count + 1,
          getResult: (count) => String(count),
          merge: (a, b) => a + b,
        })
        .uid("counts")
        .sinkTo(sink)
        .uid("sink");
    }),
  );
}

/** Two parts without a channel between them: what fails in one lets the other go on. */
export function twoPartsJob(): SimulatedJob {
  return collecting((sink) =>
    defineJob("two-parts", (env) => {
      for (const part of ["left", "right"]) {
        env
          .fromSequence(0, 999)
          .uid(`${part}-numbers`)
          .setParallelism(2)
          .slotSharingGroup(part)
          .rebalance()
          .map((value) => value * 7)
          .uid(`${part}-map`)
          .keyBy((value) => value % 10, Types.int())
          .aggregate({
            createAccumulator: () => 0,
            add: (_value: number, count: number) => count + 1,
            getResult: (count) => `${part} ${count}`,
            merge: (a, b) => a + b,
          })
          .uid(`${part}-counts`)
          .sinkTo(sink)
          .uid(`${part}-sink`);
      }
    }),
  );
}

const Reading = Types.struct({
  at: Types.timestamp(),
  sensor: Types.string(),
  value: Types.double(),
});

/** Rows out of order, and some far too late. */
function readings(): readonly { at: number; sensor: string; value: number }[] {
  return Array.from({ length: 1500 }, (_, index) => ({
    at: index * 10 + ((index * 7919) % 40) - (index % 97 === 0 ? 900 : 0),
    sensor: `s${(index * 31) % 7}`,
    value: index,
  }));
}

/** Files in, session windows, late records aside, files out. */
export function sessionJob(): SimulatedJob {
  const late = outputTag("late", Reading);
  const definition = defineJob("sessions", (env) => {
    const sessions = env
      .fromSource(
        fileSource("/in/*.ndjson", ndjson(Reading)),
        WatermarkStrategy.forBoundedOutOfOrderness<Of<typeof Reading>>("50 ms")
          .withTimestampAssigner((reading) => reading.at)
          .punctuated(),
      )
      .uid("readings")
      .setParallelism(1)
      .keyBy((reading) => reading.sensor)
      .window(EventTimeSessionWindows.withGap("60 ms"))
      .sideOutputLateData(late)
      .aggregate({
        createAccumulator: () => ({ count: 0, sum: 0 }),
        add: (reading, held) => ({ count: held.count + 1, sum: held.sum + reading.value }),
        getResult: (held) => held,
        merge: (a, b) => ({ count: a.count + b.count, sum: a.sum + b.sum }),
      })
      .uid("sessions");
    sessions.sinkTo(fileSink("/out/sessions", ndjson())).uid("sessions-out");
    sessions
      .getSideOutput(late)
      .sinkTo(fileSink("/out/late", ndjson(Reading)))
      .uid("late-out");
  });
  return {
    build: (configuration) => definition.build(configuration),
    prepare(disk) {
      const lines = readings().map((reading) => JSON.stringify(reading));
      disk.put("/in/readings.ndjson", new TextEncoder().encode(`${lines.join("\n")}\n`));
    },
    output(disk) {
      return disk
        .filesBelow("/out")
        .filter((path) => /\/part-/.test(path))
        .flatMap((path) => {
          const folder = path.split("/")[2];
          const text = new TextDecoder().decode(disk.read(path));
          return text
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => `${folder} ${line}`);
        });
    },
  };
}

/** Remembers the number of each key's records, and says it when the key's timer comes. */
class Reminder implements KeyedProcessFunction<number, number, string> {
  private count: ValueState<number> | undefined = undefined;

  open(context: RuntimeContext): void {
    this.count = context.getState(valueState("count", Types.int()));
  }

  processElement(value: number, context: KeyedProcessContext<number>): void {
    this.count?.update((this.count.value() ?? 0) + 1);
    context.timerService().registerEventTimeTimer(value + 35);
  }

  onTimer(timestamp: number, context: OnTimerContext<number>, out: Collector<string>): void {
    out.collect(`${context.getCurrentKey()} at ${timestamp}: ${this.count?.value()}`);
  }
}

/**
 * Holds records in operator list state and lets them out now and then, and at the end of the data; keeps a tally in union state, and
 * checks what it gets back after a restore.
 */
class Holding implements OneInputOperator<number> {
  readonly #context: OperatorContext;
  readonly #output: Output<string>;
  #held: OperatorListState<number> | undefined;
  #tallies: OperatorListState<{ readonly subtask: number; readonly of: number }> | undefined;

  constructor({ context, output }: OperatorParameters<string>) {
    this.#context = context;
    this.#output = output;
  }

  initializeState(): void {
    const { operatorState } = this.#context;
    this.#held = operatorState.listState({ name: "held", type: Types.int() });
    this.#tallies = operatorState.unionListState({
      name: "tallies",
      type: Types.struct({ subtask: Types.int(), of: Types.int() }),
    });
    const all = this.#tallies.get();
    const expected = all[0]?.of ?? 0;
    const seen = new Set(all.map(({ subtask }) => subtask));
    if (all.length !== expected || seen.size !== expected) {
      throw new Error(`Union state of ${expected} subtasks came back as ${JSON.stringify(all)}`);
    }
  }

  processElement(value: number, timestamp: number): void {
    this.#held?.add(value);
    if (value % 5 === 0) this.#letOut(timestamp);
  }

  processWatermark(watermark: number): void {
    this.#output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.#output.processWatermarkStatus(status);
  }

  snapshotState(): void {
    const { subtaskIndex, parallelism } = this.#context;
    this.#tallies?.update([{ subtask: subtaskIndex, of: parallelism }]);
  }

  finish(): void {
    this.#letOut(0);
  }

  #letOut(timestamp: number): void {
    for (const held of this.#held?.get() ?? [])
      this.#output.processElement(`held ${held}`, timestamp);
    this.#held?.clear();
  }
}

const holding: OperatorFactory<Holding, string> = {
  kind: "Holding",
  moduleUrl: import.meta.url,
  create: (_own, parameters) => new Holding(parameters),
};

/** Keyed state and timers, operator list and union state, broadcast state: all kinds of state in one job. */
export function stateJob(): SimulatedJob {
  return collecting((sink) =>
    defineJob("states", (env) => {
      const numbers = env
        .fromGenerator((index) => index * 3, { count: 1200, type: Types.int() })
        .uid("numbers")
        .setParallelism(1)
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forMonotonousTimestamps<number>()
            .withTimestampAssigner((value) => value)
            .punctuated(),
        )
        .uid("times")
        .setParallelism(1);
      numbers
        .keyBy((value) => value % 11, Types.int())
        .process(() => new Reminder(), { returns: Types.string() })
        .uid("reminders")
        .sinkTo(sink)
        .uid("reminder-sink");
      const rules = mapState("rules", Types.int(), Types.int());
      const changes = env
        .fromGenerator((index) => index, { count: 300, type: Types.int() })
        .uid("changes")
        .setParallelism(1)
        .broadcast(rules);
      const known = numbers
        .map((value) => value / 3)
        .connect(changes)
        .process(
          {
            processElement(value: number, context, out: Collector<number>) {
              const entries = [...context.getBroadcastState(rules).entries()];
              if (entries.some(([rule], index) => rule !== index)) {
                throw new Error(`Rules came back with gaps: ${JSON.stringify(entries)}`);
              }
              out.collect(value);
            },
            processBroadcastElement(change: number, context) {
              context.getBroadcastState(rules).put(change, change);
            },
          },
          { returns: Types.int() },
        )
        .uid("rules")
        .rebalance();
      // Users have no operators of their own; a test has.
      known["transform"](holding, Types.string()).uid("holding").sinkTo(sink).uid("holding-sink");
    }),
  );
}
