import type { Platform } from "../../base/index.ts";
import type { ProcessingTimeService } from "../../state/index.ts";

interface Timer {
  readonly atMs: number;
  readonly sequence: number;
  readonly callback: (atMs: number) => void;
  isCancelled: boolean;
}

/**
 * The processing-time clock of a task.
 *
 * @remarks
 * A timer for millisecond `t` fires when `t` is over, in the task's turn, in time order, among equals in the order of
 * registration. One timer of the platform stands for the earliest.
 */
export class TaskTimers implements ProcessingTimeService {
  readonly #platform: Platform;
  readonly #wake: () => void;
  /** Sorted, the next one last. */
  readonly #timers: Timer[] = [];
  #sequence = 0;
  #alarmAtMs = Number.POSITIVE_INFINITY;
  #cancelAlarm: (() => void) | undefined;
  #isQuiet = false;

  constructor(platform: Platform, wake: () => void) {
    this.#platform = platform;
    this.#wake = wake;
  }

  nowMs(): number {
    return this.#platform.nowMs();
  }

  registerTimer(atMs: number, callback: (atMs: number) => void): () => void {
    if (this.#isQuiet) return () => {};
    const timer: Timer = { atMs, sequence: this.#sequence++, callback, isCancelled: false };
    let at = this.#timers.length;
    while (at > 0 && isBefore(this.#timers[at - 1], timer)) at--;
    this.#timers.splice(at, 0, timer);
    this.#setAlarm();
    return () => {
      timer.isCancelled = true;
    };
  }

  /** True if a timer is due. */
  get isDue(): boolean {
    this.#dropCancelled();
    const next = this.#timers.at(-1);
    return next !== undefined && next.atMs < this.#platform.nowMs();
  }

  /** Fires due timers for as long as `mayGoOn` says so. */
  fireDue(mayGoOn: () => boolean): void {
    while (this.isDue && mayGoOn()) {
      const timer = this.#timers.pop();
      timer?.callback(timer.atMs);
    }
    this.#setAlarm();
  }

  /** No timer fires or is taken any more. */
  quiesce(): void {
    this.#isQuiet = true;
    this.#timers.length = 0;
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
  }

  #dropCancelled(): void {
    while (this.#timers.at(-1)?.isCancelled === true) this.#timers.pop();
  }

  #setAlarm(): void {
    this.#dropCancelled();
    const next = this.#timers.at(-1);
    if (next === undefined || (this.#cancelAlarm !== undefined && this.#alarmAtMs <= next.atMs))
      return;
    this.#cancelAlarm?.();
    this.#alarmAtMs = next.atMs;
    const delayMs = Math.max(0, next.atMs - this.#platform.nowMs() + 1);
    this.#cancelAlarm = this.#platform.after(delayMs, () => {
      this.#cancelAlarm = undefined;
      this.#setAlarmUnlessDue();
      this.#wake();
    });
  }

  /** A platform's timer may come early (it is capped, or clocks differ): then it is set again. */
  #setAlarmUnlessDue(): void {
    if (!this.isDue) this.#setAlarm();
  }
}

function isBefore(a: Timer | undefined, b: Timer): boolean {
  if (a === undefined) return false;
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
}
