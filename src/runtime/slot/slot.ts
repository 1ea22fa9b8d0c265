import { type Platform, present } from "../../base/index.ts";
import type { ChannelLimits } from "../exchange/channel.ts";
import { limitsFor } from "../exchange/exchange.ts";
import type { SlotSignals } from "./slot-signals.ts";
import type { TaskOrigin } from "./task-origin.ts";
import type { StepResult, Task } from "../task/task.ts";
import type { TaskBody } from "../task/task-body.ts";
import { type TaskActivity, TaskTimes, type TaskTimesSnapshot } from "../task/task-times.ts";

/** How a slot shares its thread, and how much its tasks take at once. A simulation draws these from its seed. */
export interface SlotPacing {
  /** Records that a source emits in one go. */
  readonly recordsPerCall: number;
  /** How much a channel holds, of so many that leave one output. */
  channelLimits(channelCount: number): ChannelLimits;
  /** In which order the tasks get their turns in the next round. */
  order(tasks: readonly Task[]): readonly Task[];
  /** True if a task, that may well have something to do, gets no turn this time. */
  skips(task: Task): boolean;
  /** Rounds before the loop yields, if time does not end the turn earlier. */
  roundsPerTurn(): number;
  /** Milliseconds before the loop yields. */
  readonly turnMs: number;
  /** Milliseconds after which outputs send what they have, full or not. */
  readonly flushMs: number;
}

/** Each task in turn; a yield to I/O and timers every five milliseconds. */
export const FAIR_PACING: SlotPacing = {
  recordsPerCall: 256,
  channelLimits: limitsFor,
  order: (tasks) => tasks,
  skips: () => false,
  roundsPerTurn: () => 4096,
  turnMs: 5,
  flushMs: 1,
};

/**
 * Runs tasks in turns on one thread. The only loop there is: a simulation runs it on another platform.
 *
 * @remarks
 * It runs for as long as any task makes progress, yields in between, and otherwise sleeps until it is woken; asleep it costs
 * nothing.
 */
export class Slot {
  readonly #platform: Platform;
  readonly #pacing: SlotPacing;
  readonly #signals: SlotSignals | undefined;
  readonly #origin: TaskOrigin | undefined;
  readonly #numbers = new WeakMap<Task, number>();
  readonly #times = new WeakMap<Task, TaskTimes>();
  #tasks: readonly Task[] = [];
  #isScheduled = false;
  #isRunning = false;
  #isWoken = false;
  #flushedAtMs = 0;

  /**
   * @param sides - `signals` is undefined if the slot is the only one; `origin` if nobody asks whose an error is that nobody caught.
   */
  constructor(
    platform: Platform,
    pacing: SlotPacing = FAIR_PACING,
    sides: {
      readonly signals?: SlotSignals | undefined;
      readonly origin?: TaskOrigin | undefined;
    } = {},
  ) {
    this.#platform = platform;
    this.#pacing = pacing;
    this.#signals = sides.signals;
    this.#origin = sides.origin;
  }

  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  /** What the task has done with its time. */
  timesOf(task: Task): TaskTimesSnapshot {
    return this.#timesOf(task).snapshot();
  }

  /** @param number - Of the task among all of the job. */
  add(task: Task, number = 0): void {
    this.#tasks = [...this.#tasks, task];
    this.#numbers.set(task, number);
    this.#times.set(task, new TaskTimes(this.#platform));
    this.wake();
  }

  remove(task: Task): void {
    this.#tasks = this.#tasks.filter((candidate) => candidate !== task);
  }

  /** There is something to do. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isRunning) return;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#platform.soon(() => {
      this.#isScheduled = false;
      this.#run();
    });
  }

  #run(): void {
    this.#isRunning = true;
    const startMs = this.#platform.monotonicMs();
    let rounds = this.#pacing.roundsPerTurn();
    for (;;) {
      this.#isWoken = false;
      const sent = this.#signals?.beginRound() === true;
      const progress = this.#round() || sent;
      const nowMs = this.#platform.monotonicMs();
      const isOver = nowMs - startMs >= this.#pacing.turnMs || --rounds <= 0;
      const mustFlush = !progress || isOver || nowMs - this.#flushedAtMs >= this.#pacing.flushMs;
      const flushed = mustFlush && this.#flush(nowMs);
      const hasMore = progress || flushed || this.#isWoken || this.#signals?.sleep() === false;
      if (hasMore && !isOver) continue;
      this.#isRunning = false;
      if (hasMore) this.#schedule();
      return;
    }
  }

  #round(): boolean {
    let progress = false;
    for (const task of this.#pacing.order(this.#tasks)) {
      if (this.#pacing.skips(task) || this.#step(task)) progress = true;
    }
    return progress;
  }

  /** @returns True if the task got on. */
  #step(task: Task): boolean {
    const times = this.#timesOf(task);
    times.enter("busy");
    this.#origin?.enter(task);
    this.#signals?.enterTask(this.#numbers.get(task));
    const result = task.step();
    this.#signals?.enterTask(undefined);
    times.enter(activityAfter(result, task.body));
    return result === "PROGRESS";
  }

  #timesOf(task: Task): TaskTimes {
    return present(this.#times.get(task), "the task is one of the slot's");
  }

  #flush(nowMs: number): boolean {
    this.#flushedAtMs = nowMs;
    let sent = false;
    for (const task of this.#tasks) if (task.flush()) sent = true;
    return sent;
  }
}

/**
 * What a task does until its next turn. One that waits for the thread is busy if there is something for it to do, and so is one whose
 * operator takes nothing more before an answer from outside has come.
 */
function activityAfter(result: StepResult, body: TaskBody | undefined): TaskActivity {
  if (body?.isOutputFull === true) return "backPressured";
  if (result !== "PROGRESS" && result !== "WAITING") return "idle";
  return body?.hasInput === false ? "idle" : "busy";
}
