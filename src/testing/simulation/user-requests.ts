import type { Job } from "../../runtime/index.ts";
import { SeededRandom } from "./seeded-random.ts";

/**
 * What a user asks of a job while it runs.
 *
 * - `savepoint`: a savepoint; the job goes on.
 * - `suspend`: as by SIGTERM: a last checkpoint, and an end that goes on later.
 * - `rescale`: a last checkpoint without records in flight, and an end that goes on at once, at another parallelism where lives differ in it.
 * - `stop`: a savepoint, and an end; the next life begins with the savepoint.
 */
export type UserRequestKind = "savepoint" | "suspend" | "rescale" | "stop";

/** Where a simulated job keeps its savepoints. */
export const SAVEPOINT_DIRECTORY = "/savepoints";

/** Where those lie with which a job was stopped: who finds a complete one knows that it is to go on from there. */
export const STOP_DIRECTORY: string = `${SAVEPOINT_DIRECTORY}/stopped`;

const SALT = 0x5eed_0002;
const MOST_REQUESTS = 3;
/** How long a last checkpoint may take, in milliseconds of simulated time. */
const SUSPEND_DEADLINE_MS = 200;

/** What is asked of a job in the run of a seed, and at which steps. */
export class UserRequests {
  readonly #asked: { readonly step: number; readonly kind: UserRequestKind }[];

  /** @param stepCount - Steps of the run without faults. */
  constructor(seed: number, kinds: readonly UserRequestKind[], stepCount: number) {
    const random = new SeededRandom(seed ^ SALT);
    const count = kinds.length === 0 ? 0 : random.below(MOST_REQUESTS + 1);
    this.#asked = Array.from({ length: count }, () => ({
      step: random.below(stepCount * 2),
      kind: kinds[random.below(kinds.length)] ?? "savepoint",
    })).toSorted((a, b) => a.step - b.step);
  }

  /** What is asked at this step, if anything. */
  at(step: number): UserRequestKind | undefined {
    const next = this.#asked[0];
    if (next === undefined || next.step > step) return undefined;
    this.#asked.shift();
    return next.kind;
  }
}

/**
 * Asks it of the job. What the job cannot do it refuses, and goes on.
 *
 * @param onStopped - The job has been stopped with a savepoint.
 */
export function askOf(job: Job, kind: UserRequestKind, onStopped: () => void): void {
  const ignore = (): void => undefined;
  switch (kind) {
    case "savepoint":
      job.triggerSavepoint({ targetDirectory: SAVEPOINT_DIRECTORY }).then(ignore, ignore);
      return;
    case "suspend":
      job.suspend(SUSPEND_DEADLINE_MS).then(ignore, ignore);
      return;
    case "rescale":
      job.suspendWithCheckpoint().then(ignore, ignore);
      return;
    case "stop":
      job.stopWithSavepoint({ targetDirectory: STOP_DIRECTORY }).then(onStopped, ignore);
      return;
  }
}
