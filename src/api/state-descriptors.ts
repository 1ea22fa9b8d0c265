import { type Duration, durationMs } from "../base/index.ts";
import { Types, type TypeSerializer } from "../serde/index.ts";
import type {
  AggregateFunction,
  AggregatingStateDescriptor,
  ListStateDescriptor,
  MapStateDescriptor,
  ReducingStateDescriptor,
  StateTtlConfig,
  ValueStateDescriptor,
} from "../state/index.ts";

/** What every kind of state may say beside its name and type. */
export interface StateOptions {
  /** After which time a value is gone; see {@link timeToLive}. Undefined: never. */
  readonly ttl?: StateTtlConfig | undefined;
}

/** What {@link timeToLive} may say beside the time. */
export interface TimeToLiveOptions {
  /** What renews the time: creation and writes (initially), reads too, or nothing. */
  readonly updateType?: StateTtlConfig["updateType"];
  /** Whether an expired value that is still there may be returned; initially not. */
  readonly visibility?: StateTtlConfig["visibility"];
  /** Leaves expired values out of snapshots; initially not. */
  readonly cleanupFullSnapshot?: boolean;
  /** How many entries each access looks at to clean up; initially 5, and 0 is none. */
  readonly cleanupEntriesPerAccess?: number;
}

/**
 * Lets state expire, by the machine's clock.
 *
 * @param ttl - Text such as `"1 h"`, or milliseconds.
 * @throws StreamError PARAMETER_INVALID if it is no time of at least 1 ms.
 *
 * Source: Flink `StateTtlConfig`.
 */
export function timeToLive(ttl: Duration, options: TimeToLiveOptions = {}): StateTtlConfig {
  return {
    ttlMs: durationMs(ttl, "timeToLive", 1),
    updateType: options.updateType ?? "OnCreateAndWrite",
    visibility: options.visibility ?? "NeverReturnExpired",
    cleanupFullSnapshot: options.cleanupFullSnapshot ?? false,
    cleanupEntriesPerAccess: options.cleanupEntriesPerAccess ?? 5,
  };
}

/**
 * Describes state of one value per key.
 *
 * @param name - Unique within the operator; with the operator's uid it finds the state again.
 * @param type - The declared type of the value. Undeclared it describes itself, which takes more bytes and does not evolve.
 *
 * @example
 * ```ts
 * const count = context.getState(valueState("count", Types.int(), { ttl: timeToLive("1 h") }));
 * ```
 */
export function valueState<T>(
  name: string,
  type: TypeSerializer<T> = Types.any<T>(),
  options: StateOptions = {},
): ValueStateDescriptor<T> {
  return { kind: "value", name, type, ttl: options.ttl };
}

/** Describes state of a list per key, or operator list state. See {@link valueState}. */
export function listState<T>(
  name: string,
  type: TypeSerializer<T> = Types.any<T>(),
  options: StateOptions = {},
): ListStateDescriptor<T> {
  return { kind: "list", name, type, ttl: options.ttl };
}

/** Describes state of a map per key, or broadcast state. See {@link valueState}. */
export function mapState<K, V>(
  name: string,
  keyType: TypeSerializer<K> = Types.any<K>(),
  valueType: TypeSerializer<V> = Types.any<V>(),
  options: StateOptions = {},
): MapStateDescriptor<K, V> {
  return { kind: "map", name, keyType, valueType, ttl: options.ttl };
}

/** Describes state of one value per key into which values are folded as they come. See {@link valueState}. */
export function reducingState<T>(
  name: string,
  reduce: (accumulated: T, value: T) => T,
  type: TypeSerializer<T> = Types.any<T>(),
  options: StateOptions = {},
): ReducingStateDescriptor<T> {
  return { kind: "reducing", name, reduce, type, ttl: options.ttl };
}

/** Describes state of one accumulator per key into which values are folded as they come. See {@link valueState}. */
export function aggregatingState<IN, ACC, OUT>(
  name: string,
  aggregate: AggregateFunction<IN, ACC, OUT>,
  accumulatorType: TypeSerializer<ACC> = Types.any<ACC>(),
  options: StateOptions = {},
): AggregatingStateDescriptor<IN, ACC, OUT> {
  return { kind: "aggregating", name, aggregate, accumulatorType, ttl: options.ttl };
}
