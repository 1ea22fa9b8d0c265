import type { TypeSerializer } from "../serde/index.ts";

/** Time-to-live of state, as Flink's `StateTtlConfig`. Processing time only. */
export interface StateTtlConfig {
  readonly ttlMs: number;
  /** What renews the time: creation and writes (initial), reads too, or nothing. */
  readonly updateType: "Disabled" | "OnCreateAndWrite" | "OnReadAndWrite";
  /** Whether an expired value that is still there may be returned. */
  readonly visibility: "NeverReturnExpired" | "ReturnExpiredIfNotCleanedUp";
  /** Leaves expired entries out of full snapshots. */
  readonly cleanupFullSnapshot: boolean;
  /** How many entries each access looks at to clean up; 0 is none. Flink's initial value is 5. */
  readonly cleanupEntriesPerAccess: number;
}

interface DescriptorBase<K extends string> {
  readonly kind: K;
  /** Unique per operator. */
  readonly name: string;
  readonly ttl: StateTtlConfig | undefined;
}

export interface ValueStateDescriptor<T> extends DescriptorBase<"value"> {
  readonly type: TypeSerializer<T>;
}
export interface ListStateDescriptor<T> extends DescriptorBase<"list"> {
  readonly type: TypeSerializer<T>;
}
export interface MapStateDescriptor<K, V> extends DescriptorBase<"map"> {
  readonly keyType: TypeSerializer<K>;
  readonly valueType: TypeSerializer<V>;
}
export interface ReducingStateDescriptor<T> extends DescriptorBase<"reducing"> {
  readonly type: TypeSerializer<T>;
  readonly reduce: (accumulated: T, value: T) => T;
}
export interface AggregatingStateDescriptor<IN, ACC, OUT> extends DescriptorBase<"aggregating"> {
  readonly accumulatorType: TypeSerializer<ACC>;
  readonly aggregate: AggregateFunction<IN, ACC, OUT>;
}

export type StateDescriptor =
  | ValueStateDescriptor<unknown>
  | ListStateDescriptor<unknown>
  | MapStateDescriptor<unknown, unknown>
  | ReducingStateDescriptor<unknown>
  | AggregatingStateDescriptor<unknown, unknown, unknown>;

/**
 * Incremental aggregation. `add` and `merge` may return a new accumulator or the one they were given, changed:
 * the engine writes the result back to state, so no change lies behind it.
 */
export interface AggregateFunction<IN, ACC, OUT> {
  createAccumulator(): ACC;
  add(value: IN, accumulator: ACC): ACC;
  getResult(accumulator: ACC): OUT;
  merge(a: ACC, b: ACC): ACC;
}
