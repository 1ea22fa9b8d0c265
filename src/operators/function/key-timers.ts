import { voidNamespace } from "../../serde/index.ts";
import type { InternalTimerService, NamespaceOptions } from "../../state/index.ts";
import type { TimerService } from "./process-function.ts";
import { isTimestamp, noTimestamp } from "./timestamp-check.ts";

/** The namespace of state and timers that have none. */
export const VOID_NAMESPACE: NamespaceOptions<null> = {
  type: voidNamespace,
  identity: () => 0,
  layout: "key-major",
};

/** Timers fired between two looks at the output. */
export const TIMER_SLICE = 1000;

/** The timers of a keyed process function: those of the operator, without namespace. */
export class KeyTimers implements TimerService {
  private readonly timers: InternalTimerService<null>;

  constructor(timers: InternalTimerService<null>) {
    this.timers = timers;
  }

  currentProcessingTime(): number {
    return this.timers.currentProcessingTime();
  }

  currentWatermark(): number {
    return this.timers.currentWatermark;
  }

  registerEventTimeTimer(timestamp: number): void {
    if (!isTimestamp(timestamp)) throw noTimestamp(timestamp);
    this.timers.registerEventTimeTimer(null, timestamp);
  }

  registerProcessingTimeTimer(timestamp: number): void {
    if (!isTimestamp(timestamp)) throw noTimestamp(timestamp);
    this.timers.registerProcessingTimeTimer(null, timestamp);
  }

  deleteEventTimeTimer(timestamp: number): void {
    this.timers.deleteEventTimeTimer(null, timestamp);
  }

  deleteProcessingTimeTimer(timestamp: number): void {
    this.timers.deleteProcessingTimeTimer(null, timestamp);
  }
}
