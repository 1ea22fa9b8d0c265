import type { JobState } from "./job-state.ts";

/** What is known when a job is started. */
export interface StartFacts {
  /** Of the last run in this directory; undefined if there was none. */
  readonly state: Pick<JobState, "status" | "firstCheckpointId" | "startedFrom"> | undefined;
  /** Complete checkpoints in the directory, by ascending id. */
  readonly completeIds: readonly number[];
  /** The newest checkpoint that was completed in this life of the job, by its history, and that nothing has removed on purpose. */
  readonly completedId: number | undefined;
  /** Whether the person asked for a fresh start. */
  readonly isFresh: boolean;
  /** The snapshot that the person named. */
  readonly namedSnapshot: string | undefined;
}

export type StartDecision =
  /** From nothing. */
  | {
      readonly kind: "fresh";
      /** Complete checkpoints of an earlier life, which are left as they are. */
      readonly leftIds: readonly number[];
    }
  /** From a snapshot that a person named: now, or when this life of the job began. */
  | { readonly kind: "named"; readonly path: string; readonly isAgain: boolean }
  /** From the newest of these checkpoints of the directory, by ascending id. */
  | { readonly kind: "go-on"; readonly ids: readonly number[] }
  /** A checkpoint that was completed is not there any more, and results of it may be: nothing older is taken in silence. */
  | { readonly kind: "missing"; readonly id: number; readonly newestId: number | undefined };

/**
 * Decides from what a job starts.
 *
 * @remarks
 * Pure. A job that did not finish goes on from its newest checkpoint; a finished one starts afresh. Whether that checkpoint can be read
 * shows when it is: a damaged one is never passed over in silence.
 */
export function decideStart(facts: StartFacts): StartDecision {
  const { state, completeIds, isFresh, namedSnapshot } = facts;
  if (namedSnapshot !== undefined) return { kind: "named", path: namedSnapshot, isAgain: false };
  if (isFresh || state?.status === "FINISHED") return { kind: "fresh", leftIds: completeIds };

  const firstId = state?.firstCheckpointId ?? 0;
  const ids = completeIds.filter((id) => id >= firstId);
  const newestId = ids.at(-1);
  const { completedId } = facts;
  if (completedId !== undefined && completedId >= firstId && completedId > (newestId ?? 0)) {
    return { kind: "missing", id: completedId, newestId };
  }
  if (ids.length > 0) return { kind: "go-on", ids };
  const startedFrom = state?.startedFrom ?? undefined;
  return startedFrom === undefined
    ? { kind: "fresh", leftIds: completeIds }
    : { kind: "named", path: startedFrom, isAgain: true };
}

/** The least id that a checkpoint of a new life of the job has: above all that the directory holds. */
export function firstCheckpointId(idsInDirectory: readonly number[]): number {
  return Math.max(0, ...idsInDirectory) + 1;
}
