import type { JobState } from "./job-state.ts";

/** What is known when a job is started. */
export interface StartFacts {
  /** Of the last run in this directory; undefined if there was none. */
  readonly state: Pick<JobState, "status" | "firstCheckpointId" | "startedFrom"> | undefined;
  /** Complete checkpoints in the directory, by ascending id. */
  readonly completeIds: readonly number[];
  /** Those whose `_metadata` cannot be used, by ascending id. */
  readonly damagedIds: readonly number[];
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
  /** The newest checkpoint cannot be used: a person must choose. */
  | {
      readonly kind: "refuse-damaged";
      readonly damagedId: number;
      readonly olderId: number | undefined;
    };

/**
 * Decides from what a job starts.
 *
 * @remarks
 * Pure. A job that did not finish goes on from its newest checkpoint; a finished one starts afresh. A damaged newest one is never passed
 * over silently, since the older one would lose what was committed after it.
 */
export function decideStart(facts: StartFacts): StartDecision {
  const { state, completeIds, damagedIds, isFresh, namedSnapshot } = facts;
  if (namedSnapshot !== undefined) return { kind: "named", path: namedSnapshot, isAgain: false };
  if (isFresh || state?.status === "FINISHED") return { kind: "fresh", leftIds: completeIds };

  const firstId = state?.firstCheckpointId ?? 0;
  const ids = completeIds.filter((id) => id >= firstId);
  const newestId = ids.at(-1);
  const damagedId = damagedIds.findLast((id) => id >= firstId);
  if (damagedId !== undefined && damagedId > (newestId ?? 0)) {
    return { kind: "refuse-damaged", damagedId, olderId: newestId };
  }
  if (newestId !== undefined) return { kind: "go-on", ids };
  const startedFrom = state?.startedFrom ?? undefined;
  return startedFrom === undefined
    ? { kind: "fresh", leftIds: completeIds }
    : { kind: "named", path: startedFrom, isAgain: true };
}

/** The id of the first checkpoint of a run: above all that the directory holds, and above the one it starts from. */
export function firstCheckpointId(
  idsInDirectory: readonly number[],
  startedFromId: number | undefined,
): number {
  return Math.max(0, startedFromId ?? 0, ...idsInDirectory) + 1;
}
