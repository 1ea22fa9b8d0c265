import { defineJob, mapState, valueState } from "../../../api/index.ts";
import {
  type Collector,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  type OneInputOperator,
  type OnTimerContext,
  type OperatorContext,
  type OperatorFactory,
  type OperatorParameters,
  type Output,
  type RuntimeContext,
  WatermarkStrategy,
  type WatermarkStatus,
} from "../../../operators/index.ts";
import { Types } from "../../../serde/index.ts";
import type { OperatorListState, ValueState } from "../../../state/index.ts";
import type { SimulatedJob } from "../simulation.ts";
import { collectingJob } from "./collecting-job.ts";

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
export function stateJob(count = 1200): SimulatedJob {
  return collectingJob((sink) =>
    defineJob("states", (env) => {
      const numbers = env
        .fromGenerator((index) => index * 3, { count, type: Types.int() })
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
        .fromGenerator((index) => index, { count: count / 4, type: Types.int() })
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
