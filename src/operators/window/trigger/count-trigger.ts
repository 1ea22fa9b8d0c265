import { StreamError } from "../../../base/index.ts";
import { Types } from "../../../serde/index.ts";
import type { ReducingStateDescriptor } from "../../../state/index.ts";
import type { OnMergeContext, Trigger, TriggerContext, TriggerResult } from "./trigger.ts";

const COUNT: ReducingStateDescriptor<number> = {
  kind: "reducing",
  name: "count",
  ttl: undefined,
  type: Types.long(),
  reduce: (a, b) => a + b,
};

/**
 * Fires when a window has got that many records, and then counts anew.
 *
 * Source: Flink `CountTrigger`.
 */
export class CountTrigger implements Trigger<unknown, unknown> {
  readonly name: string;
  private readonly maxCount: number;

  private constructor(maxCount: number) {
    this.maxCount = maxCount;
    this.name = `CountTrigger(${maxCount})`;
  }

  static of(maxCount: number): CountTrigger {
    if (Number.isNaN(maxCount)) {
      throw new StreamError("PARAMETER_INVALID", {
        what: "CountTrigger.of",
        problem: "NaN is no count",
      });
    }
    return new CountTrigger(maxCount);
  }

  onElement(
    _element: unknown,
    _timestamp: number,
    _window: unknown,
    context: TriggerContext,
  ): TriggerResult {
    const count = context.getReducingState(COUNT);
    count.add(1);
    if ((count.get() ?? 0) < this.maxCount) return "CONTINUE";
    count.clear();
    return "FIRE";
  }

  onEventTime(): TriggerResult {
    return "CONTINUE";
  }

  onProcessingTime(): TriggerResult {
    return "CONTINUE";
  }

  onMerge(_window: unknown, context: OnMergeContext): void {
    context.mergePartitionedState(COUNT);
  }

  clear(_window: unknown, context: TriggerContext): void {
    context.getReducingState(COUNT).clear();
  }
}
