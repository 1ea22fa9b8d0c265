import { type Duration, durationMs } from "../../../base/index.ts";
import { Types } from "../../../serde/index.ts";
import type { ReducingStateDescriptor } from "../../../state/index.ts";
import type { Window } from "../assigner/window-assigner.ts";
import type { OnMergeContext, Trigger, TriggerContext, TriggerResult } from "./trigger.ts";

/** The next time at which the window fires early. Of merged windows the earliest counts. */
const FIRE_TIME: ReducingStateDescriptor<number> = {
  kind: "reducing",
  name: "fire-time",
  ttl: undefined,
  type: Types.timestamp(),
  reduce: (a, b) => Math.min(a, b),
};

/**
 * Fires at every multiple of an interval of event time, and at the window's end.
 *
 * Source: Flink `ContinuousEventTimeTrigger`.
 */
export class ContinuousEventTimeTrigger implements Trigger<unknown, Window> {
  readonly name: string;
  private readonly intervalMs: number;

  private constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
    this.name = `ContinuousEventTimeTrigger(${intervalMs})`;
  }

  static of(interval: Duration): ContinuousEventTimeTrigger {
    return new ContinuousEventTimeTrigger(durationMs(interval, "ContinuousEventTimeTrigger.of", 1));
  }

  onElement(
    _element: unknown,
    timestamp: number,
    window: Window,
    context: TriggerContext,
  ): TriggerResult {
    if (window.maxTimestamp() <= context.getCurrentWatermark()) return "FIRE";
    context.registerEventTimeTimer(window.maxTimestamp());
    const fireTime = context.getReducingState(FIRE_TIME);
    if (fireTime.get() === undefined) {
      // `%` rounds toward zero, as in Flink, also before 1970.
      this.registerNext(timestamp - (timestamp % this.intervalMs), window, context);
    }
    return "CONTINUE";
  }

  onEventTime(time: number, window: Window, context: TriggerContext): TriggerResult {
    if (time === window.maxTimestamp()) return "FIRE";
    const fireTime = context.getReducingState(FIRE_TIME);
    if (fireTime.get() !== time) return "CONTINUE";
    fireTime.clear();
    this.registerNext(time, window, context);
    return "FIRE";
  }

  onProcessingTime(): TriggerResult {
    return "CONTINUE";
  }

  onMerge(_window: Window, context: OnMergeContext): void {
    context.mergePartitionedState(FIRE_TIME);
    const next = context.getReducingState(FIRE_TIME).get();
    if (next !== undefined) context.registerEventTimeTimer(next);
  }

  clear(_window: Window, context: TriggerContext): void {
    const fireTime = context.getReducingState(FIRE_TIME);
    const next = fireTime.get();
    if (next === undefined) return;
    context.deleteEventTimeTimer(next);
    fireTime.clear();
  }

  private registerNext(time: number, window: Window, context: TriggerContext): void {
    const next = Math.min(time + this.intervalMs, window.maxTimestamp());
    context.getReducingState(FIRE_TIME).add(next);
    context.registerEventTimeTimer(next);
  }
}

/**
 * Fires at every multiple of an interval of the machine's clock, and at the window's end.
 *
 * Source: Flink `ContinuousProcessingTimeTrigger` (1.20 and later; older ones may lose a window's last part).
 */
export class ContinuousProcessingTimeTrigger implements Trigger<unknown, Window> {
  readonly name: string;
  private readonly intervalMs: number;

  private constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
    this.name = `ContinuousProcessingTimeTrigger(${intervalMs})`;
  }

  static of(interval: Duration): ContinuousProcessingTimeTrigger {
    return new ContinuousProcessingTimeTrigger(
      durationMs(interval, "ContinuousProcessingTimeTrigger.of", 1),
    );
  }

  onElement(
    _element: unknown,
    _timestamp: number,
    window: Window,
    context: TriggerContext,
  ): TriggerResult {
    const fireTime = context.getReducingState(FIRE_TIME);
    if (fireTime.get() === undefined) {
      const now = context.getCurrentProcessingTime();
      this.registerNext(now - (now % this.intervalMs), window, context);
    }
    return "CONTINUE";
  }

  onEventTime(): TriggerResult {
    return "CONTINUE";
  }

  onProcessingTime(time: number, window: Window, context: TriggerContext): TriggerResult {
    const fireTime = context.getReducingState(FIRE_TIME);
    if (fireTime.get() !== time) return "CONTINUE";
    fireTime.clear();
    this.registerNext(time, window, context);
    return "FIRE";
  }

  onMerge(_window: Window, context: OnMergeContext): void {
    context.mergePartitionedState(FIRE_TIME);
    const next = context.getReducingState(FIRE_TIME).get();
    if (next !== undefined) context.registerProcessingTimeTimer(next);
  }

  clear(_window: Window, context: TriggerContext): void {
    const fireTime = context.getReducingState(FIRE_TIME);
    const next = fireTime.get();
    if (next === undefined) return;
    context.deleteProcessingTimeTimer(next);
    fireTime.clear();
  }

  private registerNext(time: number, window: Window, context: TriggerContext): void {
    const next = Math.min(time + this.intervalMs, window.maxTimestamp());
    context.getReducingState(FIRE_TIME).add(next);
    context.registerProcessingTimeTimer(next);
  }
}
