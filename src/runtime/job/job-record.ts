import type { Platform } from "../../base/index.ts";
import type { SubtaskRef } from "../../checkpoint/index.ts";
import type { TaskStatus } from "../task/task-status.ts";
import { isJobOver, type JobStatus } from "./job-status.ts";

/** The present attempt of one task: where it is in its life, and when it came there. Moments are milliseconds since the epoch. */
export interface TaskTimeline {
  readonly task: SubtaskRef;
  readonly status: TaskStatus;
  readonly enteredAtMs: ReadonlyMap<TaskStatus, number>;
}

/** One failure of the job, whether it survived it or not. */
export interface JobFailure {
  readonly atMs: number;
  readonly error: unknown;
  /** Undefined if it is no task's. */
  readonly task: SubtaskRef | undefined;
  /** As it stands in logs: `Map (1/2)#0`. */
  readonly taskName: string | undefined;
  /** The tasks that started again because of it, if it was only a part of the job. */
  readonly restartedTasks: readonly SubtaskRef[] | undefined;
}

/** How many failures are remembered. Source: Flink `web.exception-history-size`. */
const KEPT_FAILURES = 16;

interface MutableTimeline {
  readonly task: SubtaskRef;
  status: TaskStatus;
  readonly enteredAtMs: Map<TaskStatus, number>;
}

/** What has become of a job and its tasks so far, for whoever shows it. */
export class JobRecord {
  readonly startedAtMs: number;
  readonly #platform: Platform;
  readonly #enteredAtMs = new Map<JobStatus, number>();
  readonly #listeners = new Set<() => void>();
  #endedAtMs: number | undefined;
  #lastChangedAtMs: number;
  readonly #timelines = new Map<string, MutableTimeline>();
  #failures: readonly JobFailure[] = [];

  constructor(platform: Platform) {
    this.#platform = platform;
    this.startedAtMs = platform.nowMs();
    this.#lastChangedAtMs = this.startedAtMs;
    this.#enteredAtMs.set("CREATED", this.startedAtMs);
  }

  /** When the job entered each status, the last time. */
  get enteredAtMs(): ReadonlyMap<JobStatus, number> {
    return this.#enteredAtMs;
  }

  /** Undefined while the job goes on. */
  get endedAtMs(): number | undefined {
    return this.#endedAtMs;
  }

  get lastChangedAtMs(): number {
    return this.#lastChangedAtMs;
  }

  /** The latest, oldest first. */
  get failures(): readonly JobFailure[] {
    return this.#failures;
  }

  /** The present attempt of each task, in the order of the graph. */
  get timelines(): readonly TaskTimeline[] {
    return [...this.#timelines.values()];
  }

  /** Calls back after every change; must not throw. @returns What ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  entered(status: JobStatus): void {
    const nowMs = this.#platform.nowMs();
    this.#enteredAtMs.set(status, nowMs);
    if (isJobOver(status)) this.#endedAtMs = nowMs;
    this.#changed(nowMs);
  }

  /** These tasks begin an attempt; the others go on. */
  attemptBegun(tasks: readonly SubtaskRef[]): void {
    const nowMs = this.#platform.nowMs();
    for (const task of tasks) {
      const enteredAtMs = new Map<TaskStatus, number>([["CREATED", nowMs]]);
      this.#timelines.set(keyOf(task), { task, status: "CREATED", enteredAtMs });
    }
    this.#changed(nowMs);
  }

  taskEntered(task: SubtaskRef, status: TaskStatus): void {
    const timeline = this.#timelines.get(keyOf(task));
    if (timeline?.task.attempt !== task.attempt) return;
    const nowMs = this.#platform.nowMs();
    timeline.status = status;
    timeline.enteredAtMs.set(status, nowMs);
    this.#changed(nowMs);
  }

  failed(failure: Omit<JobFailure, "atMs">): void {
    const nowMs = this.#platform.nowMs();
    this.#failures = [...this.#failures, { ...failure, atMs: nowMs }].slice(-KEPT_FAILURES);
    this.#changed(nowMs);
  }

  #changed(nowMs: number): void {
    this.#lastChangedAtMs = nowMs;
    for (const listener of this.#listeners) listener();
  }
}

function keyOf({ vertexId, subtaskIndex }: SubtaskRef): string {
  return `${vertexId}/${subtaskIndex}`;
}
