import type { TypeSerializer } from "../serde/index.ts";
import type {
  AggregatingStateDescriptor,
  ListStateDescriptor,
  MapStateDescriptor,
  ReducingStateDescriptor,
  ValueStateDescriptor,
} from "./descriptor.ts";
import type { KeyGroupRange } from "./state-handle.ts";

/**
 * What user functions and operators see of keyed state. Every call concerns the current key (and, for namespaced state,
 * the current namespace). A value that was given to the state or came from it is not changed in place by the caller
 * afterwards, except that it is passed to `update` again.
 */

/** One value per key. `undefined` is "absent"; updating with `undefined` clears. */
export interface ValueState<T> {
  value(): T | undefined;
  update(value: T | undefined): void;
  clear(): void;
}

/** A list per key. Updating with an empty list clears; `get` of an absent list is empty. */
export interface ListState<T> {
  get(): readonly T[];
  add(value: T): void;
  addAll(values: readonly T[]): void;
  update(values: readonly T[]): void;
  clear(): void;
}

/** A map per key. Iteration is in the order of the entries' canonical key bytes. */
export interface MapState<K, V> {
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

/** Values folded at once by a reduce function; absent is `undefined`. */
export interface ReducingState<T> {
  get(): T | undefined;
  add(value: T): void;
  clear(): void;
}

/** Values folded at once by an aggregate function; absent is `undefined`. */
export interface AggregatingState<IN, OUT> {
  get(): OUT | undefined;
  add(value: IN): void;
  clear(): void;
}

/** Aggregating state of an operator that emits at each record. */
export interface RollingState<IN, OUT> extends AggregatingState<IN, OUT> {
  /** Adds the value. @returns What `get` would answer now, without another look-up. */
  addAndGet(value: IN): OUT;
}

/** State that has a namespace beside the key: a window. */
export interface Namespaced<N> {
  /** Chooses the namespace that following calls concern. */
  setCurrentNamespace(namespace: N): void;
}

/** Accumulated state whose parts can be merged: what merging windows need. */
export interface Mergeable<N> {
  /** Merges the state of `sources` into `target` (list concatenation, reduce, aggregate.merge) for the current key; the sources are cleared. */
  mergeNamespaces(target: N, sources: readonly N[]): void;
}

/** Namespaced state seen by namespace over all keys: what firing a window for all of its keys at once needs. */
export interface NamespaceTables<N, OUT> {
  /** The namespaces that hold a value of any key, in no promised order. Quick only for `namespace-major` state. */
  namespaces(): readonly N[];
  /**
   * Walks the values of one namespace, each with its key set as the current one.
   *
   * @remarks
   * The walk may go on in a later turn. Values that are removed meanwhile are not visited any more; one that is added may be.
   */
  cursor(namespace: N): NamespaceCursor<OUT>;
  /** Removes the values of all keys in the namespace. One step for `namespace-major` state. */
  clearNamespace(namespace: N): void;
}

/** A place in a walk over the values of one namespace. */
export interface NamespaceCursor<OUT> {
  /** Goes to the next key that has a value here and makes it and the namespace current. False at the end. */
  advance(): boolean;
  /** What `get()` would answer for the current key, without another look-up. */
  value(): OUT;
}

/**
 * How namespaced state is laid out. Results do not depend on it.
 *
 * - `namespace-major`: a table per namespace, for many keys per namespace (tumbling windows): dropping a namespace is one step.
 * - `key-major`: a few namespaces per key (sessions).
 */
export type NamespaceLayout = "namespace-major" | "key-major";

export interface NamespaceOptions<N> {
  readonly type: TypeSerializer<N>;
  /** A primitive that identifies the namespace within the operator: a window's `${start}-${end}` or, better, a number. */
  readonly identity: (namespace: N) => number | string;
  readonly layout: NamespaceLayout;
}

/** Receives the timers of one service. The current key is set before each call. */
export interface Triggerable<N> {
  onEventTime(timestamp: number, namespace: N): void;
  onProcessingTime(timestamp: number, namespace: N): void;
}

/**
 * Timers of one operator: (key, namespace, time, domain), deduplicated, in keyed snapshots.
 *
 * @remarks
 * Fired in time order; ties are broken by key bytes, then namespace bytes. A timer registered in a callback at or before the
 * current watermark fires in the same sweep; registered outside, at the next advance.
 * Source: reference "Timers", Flink `InternalTimerServiceImpl`.
 */
export interface InternalTimerService<N> {
  readonly currentWatermark: number;
  currentProcessingTime(): number;
  registerEventTimeTimer(namespace: N, timestamp: number): void;
  deleteEventTimeTimer(namespace: N, timestamp: number): void;
  registerProcessingTimeTimer(namespace: N, timestamp: number): void;
  deleteProcessingTimeTimer(namespace: N, timestamp: number): void;
  /** Fires all event timers up to the watermark. Called by the operator before it forwards the watermark. */
  advanceWatermark(watermark: number): void;
  /**
   * Like `advanceWatermark`, but returns after at most `budget` timers.
   *
   * @returns True when all due timers have fired. A full output downstream ends a slice early.
   */
  advanceWatermarkSlice(watermark: number, budget: number): boolean;
  /** Timers still registered, for tests and metrics. */
  eventTimerCount(): number;
  processingTimerCount(): number;
}

/** The processing-time clock of a task: callbacks come in the task's turn, in time order. */
export interface ProcessingTimeService {
  nowMs(): number;
  /** Calls back once when millisecond `atMs` is over. Returns a function that cancels. */
  registerTimer(atMs: number, callback: (atMs: number) => void): () => void;
}

/** Keyed state of one operator's subtask: what operators see of the state backend. */
export interface KeyedStateStore {
  readonly maxParallelism: number;
  readonly keyGroupRange: KeyGroupRange;
  readonly currentKey: unknown;
  readonly currentKeyHash: number;
  /** Sets the key that following state and timer calls concern. `hash` is `keyHash(key)`, which travels with the record. */
  setCurrentKey(key: unknown, hash: number): void;

  valueState<T>(descriptor: ValueStateDescriptor<T>): ValueState<T>;
  listState<T>(descriptor: ListStateDescriptor<T>): ListState<T>;
  mapState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V>;
  reducingState<T>(descriptor: ReducingStateDescriptor<T>): ReducingState<T>;
  aggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT>;

  /** As `aggregatingState`, for operators: without a time-to-live. */
  rollingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): RollingState<IN, OUT>;

  namespacedValueState<N, T>(
    descriptor: ValueStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ValueState<T> & Namespaced<N>;
  namespacedListState<N, T>(
    descriptor: ListStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ListState<T> & Namespaced<N> & Mergeable<N>;
  namespacedMapState<N, K, V>(
    descriptor: MapStateDescriptor<K, V>,
    namespace: NamespaceOptions<N>,
  ): MapState<K, V> & Namespaced<N>;
  namespacedReducingState<N, T>(
    descriptor: ReducingStateDescriptor<T>,
    namespace: NamespaceOptions<N>,
  ): ReducingState<T> & Namespaced<N> & Mergeable<N> & NamespaceTables<N, T>;
  namespacedAggregatingState<N, IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
    namespace: NamespaceOptions<N>,
  ): AggregatingState<IN, OUT> & Namespaced<N> & Mergeable<N> & NamespaceTables<N, OUT>;

  /** The timers named `name` (`user-timers`, `window-timers`); one service per name. */
  timerService<N>(
    name: string,
    namespace: NamespaceOptions<N>,
    target: Triggerable<N>,
  ): InternalTimerService<N>;

  /** Visits every key of this subtask that has a value in the state, setting the current key for each. */
  applyToAllKeys(descriptor: { readonly name: string }, visit: (key: unknown) => void): void;
}
