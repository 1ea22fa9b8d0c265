import { present } from "../base/index.ts";
import { stringHash } from "../serde/index.ts";
import type {
  OperatorStateHandle,
  OperatorStateMode,
  OperatorStatePartitions,
} from "./state-handle.ts";

/**
 * Deals the operator state of the old subtasks to the new ones.
 *
 * - `SPLIT_DISTRIBUTE`: with the parallelism unchanged each keeps its own. Else all partitions, in the order of the old subtasks, are
 *   dealt in contiguous runs of equal length; the first ones get one more where it does not divide. The next state begins at
 *   the target where this one's extra partitions ended, so that no subtask gets all of the surplus.
 * - `UNION`: every subtask gets all.
 * - `BROADCAST`: each gets one whole copy; its own if the parallelism is unchanged.
 *
 * @param old - The handle of each old subtask, in order; undefined where it had none.
 * @returns For each new subtask the handles to restore from, in the order of the old subtasks, each with the partitions meant for it.
 *
 * Source: Flink `RoundRobinOperatorStateRepartitioner`.
 */
export function redistributeOperatorState(
  old: readonly (OperatorStateHandle | undefined)[],
  newParallelism: number,
): readonly (readonly OperatorStateHandle[])[] {
  const dealt = new Dealing(old, newParallelism);
  let start = 0;
  for (const name of inJavaHashMapOrder(namesOf(old, "SPLIT_DISTRIBUTE"))) {
    if (newParallelism === old.length) dealt.keepOwn(name, "SPLIT_DISTRIBUTE");
    else start = dealt.split(name, start);
  }
  for (const name of namesOf(old, "UNION")) dealt.union(name);
  for (const name of namesOf(old, "BROADCAST")) dealt.broadcast(name);
  return dealt.handles();
}

interface Share {
  readonly oldIndex: number;
  readonly offsets: readonly number[];
}

/** Collects who gets what. */
class Dealing {
  readonly #old: readonly (OperatorStateHandle | undefined)[];
  readonly #newParallelism: number;
  /** Per new subtask: old subtask -> its states. */
  readonly #shares: readonly Map<number, OperatorStatePartitions[]>[];

  constructor(old: readonly (OperatorStateHandle | undefined)[], newParallelism: number) {
    this.#old = old;
    this.#newParallelism = newParallelism;
    this.#shares = Array.from({ length: newParallelism }, () => new Map());
  }

  keepOwn(name: string, mode: OperatorStateMode): void {
    for (const { oldIndex, offsets } of this.#holders(name, mode))
      this.#give(oldIndex, name, mode, oldIndex, offsets);
  }

  /** Returns where the next state begins. */
  split(name: string, start: number): number {
    const all = this.#holders(name, "SPLIT_DISTRIBUTE").flatMap(({ oldIndex, offsets }) =>
      offsets.map((offset) => ({ oldIndex, offset })),
    );
    const each = Math.floor(all.length / this.#newParallelism);
    const surplus = all.length % this.#newParallelism;
    let next = 0;
    for (let turn = 0; turn < this.#newParallelism; turn++) {
      const count = each + (turn < surplus ? 1 : 0);
      const run = all.slice(next, next + count);
      next += count;
      const target = (start + turn) % this.#newParallelism;
      for (const oldIndex of new Set(run.map((partition) => partition.oldIndex))) {
        const offsets = run
          .filter((partition) => partition.oldIndex === oldIndex)
          .map(({ offset }) => offset);
        this.#give(target, name, "SPLIT_DISTRIBUTE", oldIndex, offsets);
      }
    }
    return (start + surplus) % this.#newParallelism;
  }

  union(name: string): void {
    for (const { oldIndex, offsets } of this.#holders(name, "UNION")) {
      for (let target = 0; target < this.#newParallelism; target++) {
        this.#give(target, name, "UNION", oldIndex, offsets);
      }
    }
  }

  broadcast(name: string): void {
    const holders = this.#holders(name, "BROADCAST");
    const unchanged = this.#newParallelism === this.#old.length;
    for (let target = 0; target < this.#newParallelism; target++) {
      const own = unchanged ? holders.find(({ oldIndex }) => oldIndex === target) : undefined;
      const { oldIndex, offsets } = present(
        own ?? holders[target % holders.length],
        "a named state has a holder",
      );
      this.#give(target, name, "BROADCAST", oldIndex, offsets);
    }
  }

  #holders(name: string, mode: OperatorStateMode): readonly Share[] {
    return this.#old.flatMap((handle, oldIndex) =>
      (handle?.states ?? [])
        .filter((state) => state.name === name && state.mode === mode)
        .map(({ offsets }) => ({ oldIndex, offsets })),
    );
  }

  #give(
    target: number,
    name: string,
    mode: OperatorStateMode,
    oldIndex: number,
    offsets: readonly number[],
  ): void {
    const shares = present(this.#shares[target], "the target is a new subtask");
    const states = shares.get(oldIndex);
    if (states === undefined) shares.set(oldIndex, [{ name, mode, offsets }]);
    else states.push({ name, mode, offsets });
  }

  handles(): readonly (readonly OperatorStateHandle[])[] {
    return this.#shares.map((shares) =>
      [...shares]
        .sort(([a], [b]) => a - b)
        .map(([oldIndex, states]) => ({
          ...present(this.#old[oldIndex], "a holder has a handle"),
          states,
        })),
    );
  }
}

function namesOf(
  old: readonly (OperatorStateHandle | undefined)[],
  mode: OperatorStateMode,
): readonly string[] {
  const names = old.flatMap(
    (handle) => handle?.states.filter((state) => state.mode === mode) ?? [],
  );
  return [...new Set(names.map(({ name }) => name))];
}

/**
 * The order in which a Java `HashMap` iterates over these keys: with several split states it decides who gets the surplus.
 */
function inJavaHashMapOrder(names: readonly string[]): readonly string[] {
  let buckets = 16;
  while (names.length > buckets * 0.75) buckets *= 2;
  const bucketOf = (name: string): number => {
    const hash = stringHash(name);
    return (hash ^ (hash >>> 16)) & (buckets - 1);
  };
  return [...names].sort((a, b) => bucketOf(a) - bucketOf(b));
}
