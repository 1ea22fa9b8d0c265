import type { OutputTag } from "../output-tag.ts";
import type { UserFunction } from "./user-function.ts";

/** Takes the results of a function. They carry the timestamp of the record or timer that caused them. */
export interface Collector<OUT> {
  collect(value: OUT): void;
}

export type TimeDomain = "EVENT_TIME" | "PROCESSING_TIME";

/** The clocks of an operator and, on keyed streams, timers of the current key. */
export interface TimerService {
  currentProcessingTime(): number;
  /** `MIN_TIMESTAMP` before the first watermark. */
  currentWatermark(): number;
  /**
   * Calls `onTimer` for this key once the watermark has reached `timestamp`. The same timer registered twice is one.
   *
   * @throws StreamError KEYED_STREAM_REQUIRED on a stream without keys; so do the next three.
   */
  registerEventTimeTimer(timestamp: number): void;
  registerProcessingTimeTimer(timestamp: number): void;
  deleteEventTimeTimer(timestamp: number): void;
  deleteProcessingTimeTimer(timestamp: number): void;
}

/** What a process function can reach while it has a record. Valid only during the call. */
export interface ProcessContext {
  /** Event time of the record in ms; undefined if it has none. */
  timestamp(): number | undefined;
  timerService(): TimerService;
  /** Sends to a side output, with the timestamp of the record. */
  output<T>(tag: OutputTag<T>, value: T): void;
}

export interface KeyedProcessContext<K> extends ProcessContext {
  getCurrentKey(): K;
}

/** In `onTimer` the timestamp is the timer's for event time, and undefined for processing time. */
export interface OnTimerContext<K> extends KeyedProcessContext<K> {
  timeDomain(): TimeDomain;
}

/** Any number of results per record, side outputs, state of the operator; no keys, no timers. */
export interface ProcessFunction<IN, OUT> extends UserFunction {
  processElement(value: IN, context: ProcessContext, out: Collector<OUT>): void;
}

/** With state and timers per key. */
export interface KeyedProcessFunction<K, IN, OUT> extends UserFunction {
  processElement(value: IN, context: KeyedProcessContext<K>, out: Collector<OUT>): void;
  onTimer?(timestamp: number, context: OnTimerContext<K>, out: Collector<OUT>): void;
}

/** Two inputs, no keys. */
export interface CoProcessFunction<IN1, IN2, OUT> extends UserFunction {
  processElement1(value: IN1, context: ProcessContext, out: Collector<OUT>): void;
  processElement2(value: IN2, context: ProcessContext, out: Collector<OUT>): void;
}

/** Two inputs with keys of one type: both see the same state and timers. */
export interface KeyedCoProcessFunction<K, IN1, IN2, OUT> extends UserFunction {
  processElement1(value: IN1, context: KeyedProcessContext<K>, out: Collector<OUT>): void;
  processElement2(value: IN2, context: KeyedProcessContext<K>, out: Collector<OUT>): void;
  onTimer?(timestamp: number, context: OnTimerContext<K>, out: Collector<OUT>): void;
}
