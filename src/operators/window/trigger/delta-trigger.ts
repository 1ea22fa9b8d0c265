import type { TypeSerializer } from "../../../serde/index.ts";
import type { ValueStateDescriptor } from "../../../state/index.ts";
import type { Trigger, TriggerContext, TriggerResult } from "./trigger.ts";

/** How far two records are apart. */
export type DeltaFunction<T> = (older: T, newer: T) => number;

/**
 * Fires when a record is farther than the threshold from the one that fired last (at first: from the first). Not for windows
 * that merge.
 *
 * Source: Flink `DeltaTrigger`.
 */
export class DeltaTrigger<T> implements Trigger<T, unknown> {
  readonly name: string;
  private readonly threshold: number;
  private readonly delta: DeltaFunction<T>;
  private readonly last: ValueStateDescriptor<T>;

  private constructor(threshold: number, delta: DeltaFunction<T>, type: TypeSerializer<T>) {
    this.threshold = threshold;
    this.delta = delta;
    this.name = `DeltaTrigger(${threshold})`;
    this.last = { kind: "value", name: "last-element", ttl: undefined, type };
  }

  /** @param type - The type of the records, one of which is kept. */
  static of<T>(
    threshold: number,
    delta: DeltaFunction<T>,
    type: TypeSerializer<T>,
  ): DeltaTrigger<T> {
    return new DeltaTrigger<T>(threshold, delta, type);
  }

  onElement(
    element: T,
    _timestamp: number,
    _window: unknown,
    context: TriggerContext,
  ): TriggerResult {
    const state = context.getState(this.last);
    const last = state.value();
    if (last === undefined) {
      state.update(element);
      return "CONTINUE";
    }
    if (!(this.delta(last, element) > this.threshold)) return "CONTINUE";
    state.update(element);
    return "FIRE";
  }

  onEventTime(): TriggerResult {
    return "CONTINUE";
  }

  onProcessingTime(): TriggerResult {
    return "CONTINUE";
  }

  clear(_window: unknown, context: TriggerContext): void {
    context.getState(this.last).clear();
  }
}
