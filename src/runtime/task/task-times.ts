import type { Platform } from "../../base/index.ts";

/** What a task does with its time. */
export type TaskActivity = "busy" | "idle" | "backPressured";

/** How long a task did what since it runs, in milliseconds. */
export type TaskTimesSnapshot = { readonly [A in `${TaskActivity}Ms`]: number };

/**
 * Adds up how long a task is busy, idle or held up by those downstream.
 *
 * @remarks
 * Told once per turn, never per record, and it reads the clock only when the activity changes. A task that has input and waits for its
 * thread counts as busy. Source: Flink `TaskIOMetricGroup`, where busy is what is neither idle nor held up.
 */
export class TaskTimes {
  readonly #platform: Platform;
  readonly #totalsMs: { [A in TaskActivity]: number } = { busy: 0, idle: 0, backPressured: 0 };
  #activity: TaskActivity = "idle";
  #sinceMs: number;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#sinceMs = platform.monotonicMs();
  }

  enter(activity: TaskActivity): void {
    if (activity === this.#activity) return;
    this.#addUp();
    this.#activity = activity;
  }

  snapshot(): TaskTimesSnapshot {
    this.#addUp();
    const { busy, idle, backPressured } = this.#totalsMs;
    return { busyMs: busy, idleMs: idle, backPressuredMs: backPressured };
  }

  #addUp(): void {
    const nowMs = this.#platform.monotonicMs();
    this.#totalsMs[this.#activity] += nowMs - this.#sinceMs;
    this.#sinceMs = nowMs;
  }
}
