import { AsyncLocalStorage } from "node:async_hooks";

import { StreamError } from "../../base/index.ts";
import type { Task } from "../task/task.ts";

/** How an error came to nobody: a promise was rejected that nobody looked at, or a callback threw. */
export type UncaughtKind = "rejection" | "exception";

/**
 * Knows in whose turn, or after it, what is running was begun: promises, timers and callbacks of a task's functions. One per thread.
 */
export class TaskOrigin {
  readonly #tasks = new AsyncLocalStorage<Task>();

  /** What is begun from now on, until another task is entered, is the task's. */
  enter(task: Task): void {
    this.#tasks.enterWith(task);
  }

  /** Undefined outside of what any task has begun. */
  get task(): Task | undefined {
    return this.#tasks.getStore();
  }

  /**
   * Lays an error that nobody caught to the task whose function it came from, which fails.
   *
   * @returns False if it cannot be told whose it is.
   */
  failTask(kind: UncaughtKind, error: unknown): boolean {
    const { task } = this;
    if (task === undefined) return false;
    const where = task.namesInTurn().join(" or ");
    task.fail(uncaughtError(kind, { where, job: undefined }, error));
    return true;
  }
}

/** @param place - `where` names the task; `job` the job, if the task cannot be told. */
export function uncaughtError(
  kind: UncaughtKind,
  place: { readonly where: string | undefined; readonly job: string | undefined },
  error: unknown,
): StreamError {
  return new StreamError(
    kind === "rejection" ? "UNHANDLED_REJECTION" : "UNCAUGHT_EXCEPTION",
    place,
    error,
  );
}
