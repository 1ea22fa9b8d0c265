import type { ProcessingTimeService } from "../../state/index.ts";

/** Calls back at intervals, in the task's turn, until it is cancelled. */
export class RepeatingTimers {
  private readonly processingTime: ProcessingTimeService;
  /** What cancels each, by what it does. */
  private readonly cancels = new Map<() => void, () => void>();

  constructor(processingTime: ProcessingTimeService) {
    this.processingTime = processingTime;
  }

  /** @param intervalMs - From the end of one call to the next; 0 is never. */
  every(intervalMs: number, action: () => void): void {
    if (intervalMs <= 0) return;
    const { processingTime } = this;
    const cancel = processingTime.registerTimer(processingTime.nowMs() + intervalMs, () => {
      this.cancels.delete(action);
      action();
      this.every(intervalMs, action);
    });
    this.cancels.set(action, cancel);
  }

  cancel(): void {
    for (const cancel of this.cancels.values()) cancel();
    this.cancels.clear();
  }
}
