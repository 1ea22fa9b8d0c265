import {
  isFire,
  type OnMergeContext,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
} from "./trigger.ts";

/**
 * Lets a window forget its contents whenever another trigger fires it.
 *
 * Source: Flink `PurgingTrigger`.
 */
export class PurgingTrigger<T, W> implements Trigger<T, W> {
  readonly name: string;
  readonly onMerge: ((window: W, context: OnMergeContext) => void) | undefined;
  private readonly of: Trigger<T, W>;

  private constructor(of: Trigger<T, W>) {
    this.of = of;
    this.name = `PurgingTrigger(${of.name})`;
    const { onMerge } = of;
    this.onMerge =
      onMerge === undefined ? undefined : (window, context) => onMerge.call(of, window, context);
  }

  static of<T, W>(trigger: Trigger<T, W>): PurgingTrigger<T, W> {
    return new PurgingTrigger<T, W>(trigger);
  }

  onElement(element: T, timestamp: number, window: W, context: TriggerContext): TriggerResult {
    return purging(this.of.onElement(element, timestamp, window, context));
  }

  onEventTime(time: number, window: W, context: TriggerContext): TriggerResult {
    return purging(this.of.onEventTime(time, window, context));
  }

  onProcessingTime(time: number, window: W, context: TriggerContext): TriggerResult {
    return purging(this.of.onProcessingTime(time, window, context));
  }

  clear(window: W, context: TriggerContext): void {
    this.of.clear(window, context);
  }
}

function purging(result: TriggerResult): TriggerResult {
  return isFire(result) ? "FIRE_AND_PURGE" : result;
}
