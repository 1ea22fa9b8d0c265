/**
 * An alert when a machine has been silent for a minute: a keyed process function with state and event-time timers.
 */
import { deepStrictEqual } from "node:assert/strict";

import {
  type Collector,
  defineJob,
  fileSink,
  type KeyedProcessContext,
  type KeyedProcessFunction,
  type Of,
  type OnTimerContext,
  readRecords,
  type RuntimeContext,
  text,
  Types,
  type ValueState,
  valueState,
  WatermarkStrategy,
} from "cutwater";

const Signal = Types.struct({ machine: Types.string(), at: Types.timestamp() });
type Signal = Of<typeof Signal>;

const SILENCE_MS = 60_000;

class InactivityAlert implements KeyedProcessFunction<string, Signal, string> {
  private lastSeen: ValueState<number> | undefined = undefined;

  open(context: RuntimeContext): void {
    this.lastSeen = context.getState(valueState("last-seen", Types.timestamp()));
  }

  processElement(signal: Signal, context: KeyedProcessContext<string>): void {
    const lastSeen = this.lastSeen?.value();
    if (lastSeen !== undefined) context.timerService().deleteEventTimeTimer(lastSeen + SILENCE_MS);
    this.lastSeen?.update(signal.at);
    context.timerService().registerEventTimeTimer(signal.at + SILENCE_MS);
  }

  onTimer(timestamp: number, context: OnTimerContext<string>, out: Collector<string>): void {
    out.collect(
      `${context.getCurrentKey()} silent since ${new Date(timestamp - SILENCE_MS).toISOString()}`,
    );
    this.lastSeen?.clear();
  }
}

const minute = (minutes: number): number => Date.UTC(2026, 0, 1) + minutes * 60_000;
const signals: readonly Signal[] = [
  { machine: "press", at: minute(0) },
  { machine: "lathe", at: minute(0.2) },
  { machine: "press", at: minute(0.9) },
  { machine: "fan", at: minute(1.5) }, // event time passes the lathe's minute of silence
  { machine: "lathe", at: minute(3) },
  { machine: "lathe", at: minute(3.5) },
];

export default defineJob("inactivity-alert", (env) => {
  env
    .fromCollection(signals, Signal)
    .uid("signals")
    .assignTimestampsAndWatermarks(
      WatermarkStrategy.forMonotonousTimestamps<Signal>()
        .punctuated()
        .withTimestampAssigner((signal) => signal.at),
    )
    .setParallelism(1)
    .keyBy((signal) => signal.machine)
    .process(() => new InactivityAlert(), { returns: Types.string() })
    .uid("alerts")
    .sinkTo(fileSink("out/inactivity-alert", text(), { existing: "overwrite" }))
    .uid("alerts-out");
});

export async function check(): Promise<string> {
  const alerts = (await readRecords("out/inactivity-alert", text())).toSorted();
  deepStrictEqual(alerts, [
    "fan silent since 2026-01-01T00:01:30.000Z",
    "lathe silent since 2026-01-01T00:00:12.000Z",
    "lathe silent since 2026-01-01T00:03:30.000Z",
    "press silent since 2026-01-01T00:00:54.000Z",
  ]);
  return alerts.join("\n");
}
