import { type Duration, durationMs } from "../../../base/index.ts";
import { Types } from "../../../serde/index.ts";
import type { ValueStateDescriptor } from "../../../state/index.ts";
import {
  isFire,
  isPurge,
  type OnMergeContext,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
} from "./trigger.ts";

const TIMEOUT: ValueStateDescriptor<number> = {
  kind: "value",
  name: "timeout",
  ttl: undefined,
  type: Types.timestamp(),
};

export interface ProcessingTimeoutOptions {
  /** Each record starts the time anew; else it runs from the first. */
  readonly resetTimerOnNewRecord?: boolean;
  /** Whether the other trigger forgets what it knows when the time is over. Initially true. */
  readonly shouldClearOnTimeout?: boolean;
}

/**
 * Fires as another trigger does, or when that has not happened for a time of the machine's clock.
 *
 * Source: Flink `ProcessingTimeoutTrigger`.
 */
export class ProcessingTimeoutTrigger<T, W> implements Trigger<T, W> {
  readonly name: string;
  readonly onMerge: ((window: W, context: OnMergeContext) => void) | undefined;
  private readonly of: Trigger<T, W>;
  private readonly timeoutMs: number;
  private readonly resets: boolean;
  private readonly clears: boolean;

  private constructor(of: Trigger<T, W>, timeoutMs: number, options: ProcessingTimeoutOptions) {
    this.of = of;
    this.timeoutMs = timeoutMs;
    this.resets = options.resetTimerOnNewRecord ?? false;
    this.clears = options.shouldClearOnTimeout ?? true;
    this.name = `TimeoutTrigger(${of.name})`;
    const { onMerge } = of;
    this.onMerge =
      onMerge === undefined ? undefined : (window, context) => onMerge.call(of, window, context);
  }

  static of<T, W>(
    trigger: Trigger<T, W>,
    timeout: Duration,
    options: ProcessingTimeoutOptions = {},
  ): ProcessingTimeoutTrigger<T, W> {
    const timeoutMs = durationMs(timeout, "ProcessingTimeoutTrigger.of", 1);
    return new ProcessingTimeoutTrigger<T, W>(trigger, timeoutMs, options);
  }

  onElement(element: T, timestamp: number, window: W, context: TriggerContext): TriggerResult {
    const result = this.of.onElement(element, timestamp, window, context);
    if (isFire(result)) {
      this.clear(window, context);
      return result;
    }
    const state = context.getState(TIMEOUT);
    const nextFire = context.getCurrentProcessingTime() + this.timeoutMs;
    const planned = state.value();
    if (planned !== undefined && this.resets) {
      context.deleteProcessingTimeTimer(planned);
      state.clear();
    }
    if (planned === undefined || this.resets) {
      state.update(nextFire);
      context.registerProcessingTimeTimer(nextFire);
    }
    return result;
  }

  onEventTime(time: number, window: W, context: TriggerContext): TriggerResult {
    return this.onTimer(this.of.onEventTime(time, window, context), window, context);
  }

  onProcessingTime(time: number, window: W, context: TriggerContext): TriggerResult {
    return this.onTimer(this.of.onProcessingTime(time, window, context), window, context);
  }

  clear(window: W, context: TriggerContext): void {
    const state = context.getState(TIMEOUT);
    const planned = state.value();
    if (planned !== undefined) {
      context.deleteProcessingTimeTimer(planned);
      state.clear();
    }
    this.of.clear(window, context);
  }

  private onTimer(result: TriggerResult, window: W, context: TriggerContext): TriggerResult {
    if (this.clears) this.clear(window, context);
    return isPurge(result) ? "FIRE_AND_PURGE" : "FIRE";
  }
}
