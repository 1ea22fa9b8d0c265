import type { Platform } from "../../base/index.ts";

/**
 * The timer of periodic checkpoints: from trigger to trigger, not from completion.
 *
 * @remarks
 * The first comes after a time drawn by chance between the minimum pause and the interval, so that many jobs do not all write at
 * once; after a stop it comes after the minimum pause. An interval below the minimum pause is raised to it.
 * Source: Flink `CheckpointCoordinator.startCheckpointScheduler`.
 */
export class PeriodicTrigger {
  readonly #platform: Platform;
  readonly #minPauseMs: number;
  readonly #intervalMs: number;
  readonly #backlogIntervalMs: number;
  readonly #trigger: () => void;
  #cancel: (() => void) | undefined;
  /** When the next trigger is due, on the monotonic clock. */
  #dueAtMs = Number.POSITIVE_INFINITY;
  #hasStarted = false;
  #isRunning = false;
  #isBacklog = false;

  /** @param trigger - Asks for a periodic checkpoint. Called in a turn of its own. */
  constructor(
    platform: Platform,
    options: {
      readonly intervalMs: number;
      readonly intervalDuringBacklogMs: number | undefined;
      readonly minPauseMs: number;
    },
    trigger: () => void,
  ) {
    this.#platform = platform;
    this.#minPauseMs = options.minPauseMs;
    this.#intervalMs = Math.max(options.intervalMs, options.minPauseMs);
    this.#backlogIntervalMs =
      options.intervalDuringBacklogMs === 0
        ? Number.POSITIVE_INFINITY
        : Math.max(options.intervalDuringBacklogMs ?? options.intervalMs, options.minPauseMs);
    this.#trigger = trigger;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    this.stop();
    this.#isRunning = true;
    const spreadMs = this.#intervalMs - this.#minPauseMs + 1;
    const delayMs =
      this.#minPauseMs + (this.#hasStarted ? 0 : Math.floor(this.#platform.random() * spreadMs));
    this.#hasStarted = true;
    this.#schedule(this.#platform.monotonicMs() + delayMs);
  }

  stop(): void {
    this.#isRunning = false;
    this.#unschedule();
  }

  /** Puts the next trigger off until the minimum pause is over. */
  rescheduleAfter(delayMs: number): void {
    if (this.#isRunning) this.#schedule(this.#platform.monotonicMs() + delayMs);
  }

  /** A source has begun, or has ended, to work off a backlog. The end brings the next trigger forward. */
  setBacklog(isBacklog: boolean): void {
    if (this.#isBacklog === isBacklog) return;
    this.#isBacklog = isBacklog;
    if (!this.#isRunning) return;
    const nextAtMs = this.#platform.monotonicMs() + this.#currentIntervalMs;
    if (isBacklog ? nextAtMs > this.#dueAtMs : nextAtMs < this.#dueAtMs) this.#schedule(nextAtMs);
  }

  get #currentIntervalMs(): number {
    return this.#isBacklog ? this.#backlogIntervalMs : this.#intervalMs;
  }

  #schedule(dueAtMs: number): void {
    this.#unschedule();
    this.#dueAtMs = dueAtMs;
    if (!Number.isFinite(dueAtMs)) return;
    const delayMs = Math.max(0, dueAtMs - this.#platform.monotonicMs());
    this.#cancel = this.#platform.after(delayMs, () => this.#fire());
  }

  #fire(): void {
    this.#cancel = undefined;
    // From when it was due; a loop that was stopped for long does not catch up on what it missed.
    const nowMs = this.#platform.monotonicMs();
    const nextAtMs = this.#dueAtMs + this.#currentIntervalMs;
    this.#schedule(nextAtMs > nowMs ? nextAtMs : nowMs + this.#currentIntervalMs);
    this.#trigger();
  }

  #unschedule(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAtMs = Number.POSITIVE_INFINITY;
  }
}
