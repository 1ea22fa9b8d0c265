import { AssertionError } from "../../base/index.ts";
import { type Job, TaskOrigin, type UncaughtKind } from "../../runtime/index.ts";

/** A job whose errors are watched for. */
interface WatchedJob {
  readonly job: () => Pick<Job, "failUncaught">;
  readonly ownsProcess: boolean;
}

const EVENTS = { rejection: "unhandledRejection", exception: "uncaughtException" } as const;

/**
 * What user code throws or rejects in the main thread, where nobody catches it.
 *
 * @remarks
 * It fails the task whose function it came from. What cannot be laid to a task fails the jobs that own the process; if none does, or it is a bug
 * of this package, the process ends as it would without any job, unless somebody else listens.
 */
class UncaughtErrors {
  readonly origin: TaskOrigin = new TaskOrigin();
  readonly #jobs = new Set<WatchedJob>();
  readonly #listeners = {
    rejection: (reason: unknown) => this.#uncaught("rejection", reason),
    exception: (error: unknown) => this.#uncaught("exception", error),
  };

  /**
   * @param ownsProcess - The process is there for the job: what cannot be laid to a task is the job's.
   * @returns What ends it.
   */
  watch(job: WatchedJob["job"], ownsProcess = false): () => void {
    const watched = { job, ownsProcess };
    if (this.#jobs.size === 0) this.#listen();
    this.#jobs.add(watched);
    return () => {
      if (this.#jobs.delete(watched) && this.#jobs.size === 0) this.#stop();
    };
  }

  #uncaught(kind: UncaughtKind, error: unknown): void {
    if (this.origin.failTask(kind, error)) return;
    const owners = [...this.#jobs].filter(({ ownsProcess }) => ownsProcess);
    if (owners.length > 0 && !(error instanceof AssertionError)) {
      for (const { job } of owners) job().failUncaught(kind, error);
      return;
    }
    if (process.listenerCount(EVENTS[kind]) > 1) return;
    this.#stop();
    queueMicrotask(() => {
      throw error;
    });
  }

  #listen(): void {
    process.on(EVENTS.rejection, this.#listeners.rejection);
    process.on(EVENTS.exception, this.#listeners.exception);
  }

  #stop(): void {
    process.off(EVENTS.rejection, this.#listeners.rejection);
    process.off(EVENTS.exception, this.#listeners.exception);
  }
}

/** There is one process, and so one of these. */
export const uncaughtErrors: UncaughtErrors = new UncaughtErrors();
