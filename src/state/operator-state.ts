import type { TypeSerializer } from "../serde/index.ts";

/** Operator list state: elements belong to the subtask, and are redistributed when the parallelism changes. */
export interface OperatorListState<T> {
  get(): readonly T[];
  add(value: T): void;
  addAll(values: readonly T[]): void;
  update(values: readonly T[]): void;
  clear(): void;
}

/** Broadcast state: the same map in every subtask. Iteration is in the order of the entries' canonical key bytes. */
export interface BroadcastState<K, V> {
  get(key: K): V | undefined;
  put(key: K, value: V): void;
  putAll(entries: Iterable<readonly [K, V]>): void;
  remove(key: K): void;
  contains(key: K): boolean;
  isEmpty(): boolean;
  entries(): Iterable<readonly [K, V]>;
  keys(): Iterable<K>;
  values(): Iterable<V>;
  clear(): void;
}

/** Operator state by name, as a user's `initializeState` sees it. */
export interface OperatorStateStore {
  /** Split over the subtasks when the parallelism changes. */
  listState<T>(descriptor: {
    readonly name: string;
    readonly type: TypeSerializer<T>;
  }): OperatorListState<T>;
  /** Every subtask gets the elements of all. */
  unionListState<T>(descriptor: {
    readonly name: string;
    readonly type: TypeSerializer<T>;
  }): OperatorListState<T>;
  broadcastState<K, V>(descriptor: {
    readonly name: string;
    readonly keyType: TypeSerializer<K>;
    readonly valueType: TypeSerializer<V>;
  }): BroadcastState<K, V>;
}
