import type { Window } from "../assigner/window-assigner.ts";
import type { Trigger, TriggerContext, TriggerResult } from "./trigger.ts";

/**
 * Fires when the machine's clock has passed the window's end.
 *
 * Source: Flink `ProcessingTimeTrigger`.
 */
export class ProcessingTimeTrigger implements Trigger<unknown, Window> {
  readonly name = "ProcessingTimeTrigger()";

  static create(): ProcessingTimeTrigger {
    return new ProcessingTimeTrigger();
  }

  onElement(
    _element: unknown,
    _timestamp: number,
    window: Window,
    context: TriggerContext,
  ): TriggerResult {
    context.registerProcessingTimeTimer(window.maxTimestamp());
    return "CONTINUE";
  }

  onEventTime(): TriggerResult {
    return "CONTINUE";
  }

  onProcessingTime(): TriggerResult {
    return "FIRE";
  }

  onMerge(window: Window, context: TriggerContext): void {
    const maxTimestamp = window.maxTimestamp();
    if (maxTimestamp > context.getCurrentProcessingTime()) {
      context.registerProcessingTimeTimer(maxTimestamp);
    }
  }

  clear(window: Window, context: TriggerContext): void {
    context.deleteProcessingTimeTimer(window.maxTimestamp());
  }
}
