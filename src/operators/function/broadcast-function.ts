import type {
  AggregatingState,
  BroadcastState,
  ListState,
  MapState,
  MapStateDescriptor,
  ReducingState,
  StateDescriptor,
  ValueState,
} from "../../state/index.ts";
import type { OutputTag } from "../output-tag.ts";
import type { Collector, KeyedProcessContext, OnTimerContext } from "./process-function.ts";
import type { UserFunction } from "./user-function.ts";

/** Broadcast state as the side that is not broadcast sees it. */
export interface ReadOnlyBroadcastState<K, V> {
  get(key: K): V | undefined;
  contains(key: K): boolean;
  isEmpty(): boolean;
  /** In the order of the entries' canonical key bytes. */
  entries(): Iterable<readonly [K, V]>;
}

interface BroadcastClocks {
  /** Event time of the record in ms; undefined if it has none. */
  timestamp(): number | undefined;
  currentProcessingTime(): number;
  currentWatermark(): number;
  /** Sends to a side output, with the timestamp of the record. */
  output<T>(tag: OutputTag<T>, value: T): void;
}

/** What the side that is not broadcast can reach: the broadcast state, to read. */
export interface ReadOnlyContext extends BroadcastClocks {
  /** @throws StreamError PARAMETER_INVALID if the stream was not broadcast with this descriptor. */
  getBroadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): ReadOnlyBroadcastState<K, V>;
}

/** What the broadcast side can reach. Each subtask must make the same changes for the same record. */
export interface BroadcastContext extends BroadcastClocks {
  /** @throws StreamError PARAMETER_INVALID if the stream was not broadcast with this descriptor. */
  getBroadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): BroadcastState<K, V>;
}

/** The state that a descriptor declares. */
export type StateOf<D extends StateDescriptor> = D extends { readonly kind: "value" }
  ? ValueState<ValueOf<D>>
  : D extends { readonly kind: "list" }
    ? ListState<ValueOf<D>>
    : D extends MapStateDescriptor<infer K, infer V>
      ? MapState<K, V>
      : D extends { readonly kind: "reducing" }
        ? ReducingState<ValueOf<D>>
        : AggregatingState<unknown, unknown>;

type ValueOf<D> = D extends { readonly type: { read(input: never): infer T } } ? T : never;

export interface KeyedReadOnlyContext<K> extends ReadOnlyContext, KeyedProcessContext<K> {}

export interface KeyedBroadcastOnTimerContext<K> extends ReadOnlyContext, OnTimerContext<K> {}

export interface KeyedBroadcastContext<K> extends BroadcastContext {
  /** Calls the function with every key of this subtask that has a value in the state, and with the state of that key. */
  applyToKeyedState<D extends StateDescriptor>(
    descriptor: D,
    apply: (key: K, state: StateOf<D>) => void,
  ): void;
}

/** Records on one side, broadcast ones on the other; no keys. */
export interface BroadcastProcessFunction<IN, BC, OUT> extends UserFunction {
  processElement(value: IN, context: ReadOnlyContext, out: Collector<OUT>): void;
  processBroadcastElement(value: BC, context: BroadcastContext, out: Collector<OUT>): void;
}

/** Keyed records on one side, broadcast ones on the other. Only the keyed side has keyed state and timers. */
export interface KeyedBroadcastProcessFunction<K, IN, BC, OUT> extends UserFunction {
  processElement(value: IN, context: KeyedReadOnlyContext<K>, out: Collector<OUT>): void;
  processBroadcastElement(value: BC, context: KeyedBroadcastContext<K>, out: Collector<OUT>): void;
  onTimer?(timestamp: number, context: KeyedBroadcastOnTimerContext<K>, out: Collector<OUT>): void;
}
