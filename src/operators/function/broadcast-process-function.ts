import type {
  AggregatingState,
  AggregatingStateDescriptor,
  BroadcastState,
  ListState,
  ListStateDescriptor,
  MapState,
  MapStateDescriptor,
  ReducingState,
  ReducingStateDescriptor,
  StateDescriptor,
  ValueState,
  ValueStateDescriptor,
} from "../../state/index.ts";
import type { Collector, KeyedProcessContext, OnTimerContext, ProcessContext } from "./process-function.ts";
import type { UserFunction } from "./user-function.ts";

/** Broadcast state where it must not change: a record that only one subtask sees would make the copies differ. */
export type ReadOnlyBroadcastState<K, V> = Pick<
  BroadcastState<K, V>,
  "get" | "contains" | "isEmpty" | "entries" | "keys" | "values"
>;

/** Broadcast state by descriptor, read only. */
export interface ReadsBroadcastState {
  /** @throws StreamError PARAMETER_INVALID if the stream was not broadcast with a state of this name. */
  getBroadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): ReadOnlyBroadcastState<K, V>;
}

/** What a broadcast process function can reach while it has a record that was broadcast. */
export interface BroadcastContext extends ProcessContext {
  /**
   * The state that is the same in every subtask, as long as every subtask does the same with each record.
   *
   * @throws StreamError PARAMETER_INVALID if the stream was not broadcast with a state of this name.
   */
  getBroadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): BroadcastState<K, V>;
}

/** The state that a descriptor describes. */
export type StateOf<D> =
  D extends ValueStateDescriptor<infer T>
    ? ValueState<T>
    : D extends ListStateDescriptor<infer T>
      ? ListState<T>
      : D extends MapStateDescriptor<infer K, infer V>
        ? MapState<K, V>
        : D extends ReducingStateDescriptor<infer T>
          ? ReducingState<T>
          : D extends AggregatingStateDescriptor<infer IN, infer _, infer OUT>
            ? AggregatingState<IN, OUT>
            : never;

/** With keys on the other side. Has no current key itself: keyed state is reached by walking over all keys. */
export interface KeyedBroadcastContext<K> extends BroadcastContext {
  /** Visits every key of this subtask that has a value in the state. */
  applyToKeyedState<D extends StateDescriptor>(
    descriptor: D,
    visit: (key: K, state: StateOf<D>) => void,
  ): void;
}

/** One input whose records go to one subtask each, and one whose records go to all. */
export interface BroadcastProcessFunction<IN1, IN2, OUT> extends UserFunction {
  processElement(value: IN1, context: ProcessContext & ReadsBroadcastState, out: Collector<OUT>): void;
  processBroadcastElement(value: IN2, context: BroadcastContext, out: Collector<OUT>): void;
}

/** With state and timers per key on the first input. */
export interface KeyedBroadcastProcessFunction<K, IN1, IN2, OUT> extends UserFunction {
  processElement(
    value: IN1,
    context: KeyedProcessContext<K> & ReadsBroadcastState,
    out: Collector<OUT>,
  ): void;
  processBroadcastElement(value: IN2, context: KeyedBroadcastContext<K>, out: Collector<OUT>): void;
  onTimer?(
    timestamp: number,
    context: OnTimerContext<K> & ReadsBroadcastState,
    out: Collector<OUT>,
  ): void;
}
