import { assert } from "../base/index.ts";
import type { CheckpointProperties } from "./metadata/checkpoint-properties.ts";
import { isSynchronous } from "./retention.ts";

/** What the rules of subsumption look at. */
export interface RetainedCheckpoint {
  readonly checkpointId: number;
  readonly properties: CheckpointProperties;
}

/**
 * Decides which of the retained checkpoints give way.
 *
 * @remarks
 * The newest always stays. The newest that is no savepoint stays too, since later incremental checkpoints may build on it, unless
 * the newest of all is a savepoint after which the job stops. Savepoints count and leave the list as others do, but their files stay.
 * Source: Flink `CheckpointSubsumeHelper`.
 *
 * @param retained - Oldest first.
 */
export function subsume<C extends RetainedCheckpoint>(
  retained: readonly C[],
  maxRetainedCount: number,
): { readonly retained: readonly C[]; readonly subsumed: readonly C[] } {
  assert(maxRetainedCount >= 1, "at least one checkpoint is retained");
  const latest = retained.at(-1);
  if (latest === undefined) return { retained, subsumed: [] };
  const latestCheckpoint = retained.findLast(
    ({ properties }) => properties.type.kind === "checkpoint",
  );
  const mayGo = (candidate: C): boolean => {
    if (candidate === latest) return false;
    if (candidate.properties.type.kind === "savepoint" || isSynchronous(latest.properties))
      return true;
    return candidate !== latestCheckpoint;
  };
  const excessCount = Math.max(0, retained.length - maxRetainedCount);
  const subsumed = retained.filter(mayGo).slice(0, excessCount);
  return { retained: retained.filter((candidate) => !subsumed.includes(candidate)), subsumed };
}

/** The completed checkpoints of a job, oldest first. */
export class CompletedCheckpointStore<C extends RetainedCheckpoint> {
  readonly #maxRetainedCount: number;
  #retained: readonly C[];

  /** @param restored - What an earlier run left, oldest first. */
  constructor(maxRetainedCount: number, restored: readonly C[] = []) {
    this.#maxRetainedCount = maxRetainedCount;
    this.#retained = restored;
  }

  get all(): readonly C[] {
    return this.#retained;
  }

  get latest(): C | undefined {
    return this.#retained.at(-1);
  }

  /** Adds a newer checkpoint; returns those that gave way to it, oldest first. */
  add(checkpoint: C): readonly C[] {
    const newest = this.#retained.at(-1);
    assert(
      newest === undefined || newest.checkpointId < checkpoint.checkpointId,
      "ids in the store ascend",
    );
    const { retained, subsumed } = subsume([...this.#retained, checkpoint], this.#maxRetainedCount);
    this.#retained = retained;
    return subsumed;
  }

  /** Empties the store; returns what was in it. */
  clear(): readonly C[] {
    const all = this.#retained;
    this.#retained = [];
    return all;
  }
}
