import type { Window } from "../assigner/window-assigner.ts";
import type { Trigger, TriggerContext, TriggerResult } from "./trigger.ts";

/**
 * Fires when the watermark has passed the window's end, and again for each late record.
 *
 * Source: Flink `EventTimeTrigger`.
 */
export class EventTimeTrigger implements Trigger<unknown, Window> {
  readonly name = "EventTimeTrigger()";

  static create(): EventTimeTrigger {
    return new EventTimeTrigger();
  }

  onElement(
    _element: unknown,
    _timestamp: number,
    window: Window,
    context: TriggerContext,
  ): TriggerResult {
    if (window.maxTimestamp() <= context.getCurrentWatermark()) return "FIRE";
    context.registerEventTimeTimer(window.maxTimestamp());
    return "CONTINUE";
  }

  onEventTime(time: number, window: Window): TriggerResult {
    return time === window.maxTimestamp() ? "FIRE" : "CONTINUE";
  }

  onProcessingTime(): TriggerResult {
    return "CONTINUE";
  }

  onMerge(window: Window, context: TriggerContext): void {
    // Already past: onElement, which follows, fires.
    const maxTimestamp = window.maxTimestamp();
    if (maxTimestamp > context.getCurrentWatermark()) context.registerEventTimeTimer(maxTimestamp);
  }

  clear(window: Window, context: TriggerContext): void {
    context.deleteEventTimeTimer(window.maxTimestamp());
  }
}
