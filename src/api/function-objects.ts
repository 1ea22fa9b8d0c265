import { present, StreamError } from "../base/index.ts";

/**
 * A function object, or a function that makes one. Each subtask needs an object of its own, because it keeps state handles
 * in fields: it is made inside the job's function, or by the function given.
 */
export type FunctionOrMaker<F extends object> = F | (() => F);

/**
 * Gives each subtask a function object of its own, also where the job's code gave just one.
 *
 * @remarks
 * The first subtask gets the object that was given. For every further one, and after a restart, the job's function is called
 * again and its object taken: that is what makes the same object anew, private fields and all.
 */
export class FunctionObjects {
  private readonly jobName: string;
  /** Calls the job's function once more. */
  private readonly again: () => FunctionObjects;
  private readonly given: { readonly object: object; readonly what: string; isTaken: boolean }[] =
    [];

  constructor(jobName: string, again: () => FunctionObjects) {
    this.jobName = jobName;
    this.again = again;
  }

  get count(): number {
    return this.given.length;
  }

  /**
   * Takes note of what the job's code gave.
   *
   * @param what - Whose function it is, for errors: `process function`.
   * @returns Makes one object per call.
   */
  maker<F extends object>(function_: FunctionOrMaker<F>, what: string): () => F {
    if (typeof function_ === "function") return function_ as () => F;
    const index = this.given.push({ object: function_, what, isTaken: false }) - 1;
    return () => this.take(index) as F;
  }

  /**
   * Checks that a second call of the job's function makes second objects.
   *
   * @throws StreamError FUNCTION_OBJECT_SHARED if an object was made outside of it.
   */
  requireOwn(second: FunctionObjects): void {
    for (const [index, { object, what }] of this.given.entries()) {
      if (second.given[index]?.object !== object) continue;
      throw new StreamError("FUNCTION_OBJECT_SHARED", { job: this.jobName, function: what });
    }
  }

  private take(index: number): object {
    const entry = present(this.given[index], "a function object was noted");
    if (entry.isTaken) return this.again().take(index);
    entry.isTaken = true;
    return entry.object;
  }
}
