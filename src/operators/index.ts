export { type HistogramStatistics, QUANTILES } from "./metrics/histogram-window.ts";
export type { Counter, GaugeValue, Histogram, Meter, MetricGroup } from "./metrics/metric-group.ts";
export type { MetricPlace, RegisteredMetrics } from "./metrics/metric-registry.ts";
export { OperatorMeters } from "./metrics/operator-meters.ts";
export type {
  Input,
  OneInputOperator,
  Operator,
  OperatorContext,
  OperatorFactory,
  OperatorMetrics,
  OperatorParameters,
  Output,
  TwoInputOperator,
  WatermarkStatus,
} from "./operator.ts";
export { ownModule } from "./function/own-module.ts";
export { type OutputTag, outputTag } from "./output-tag.ts";
export type { Committer, PreparedCommit, Sink, SinkContext, SinkWriter } from "./sink.ts";
export type {
  ReaderOutput,
  ReaderStatus,
  Source,
  SourceReader,
  SourceReaderContext,
  SourceSplit,
  SplitEnumerator,
  SplitEnumeratorContext,
} from "./source.ts";
export { GLOBAL_WINDOW, GlobalWindow } from "./window/global-window.ts";
export { TimeWindow, windowStart } from "./window/time-window.ts";
export { requireSynchronousFunction } from "./function/synchronous.ts";
export {
  BoundedOutOfOrdernessWatermarks,
  NoWatermarks,
  type WatermarkGenerator,
  type WatermarkOutput,
  WatermarksWithIdleness,
} from "./watermark/watermark-generator.ts";
export {
  type TimestampAssigner,
  type WatermarkAlignment,
  type WatermarkGeneratorContext,
  WatermarkStrategy,
} from "./watermark/watermark-strategy.ts";
export { InputsWatermark } from "./watermark/combined-watermark.ts";
export { WatermarkEmitter } from "./watermark/watermark-emitter.ts";
export { WatermarkMultiplexer } from "./watermark/watermark-multiplexer.ts";
export { type ValveOutput, WatermarkValve } from "./watermark/watermark-valve.ts";
export { coFlatMapOperator } from "./two-input/co-flat-map.ts";
export { coMapOperator } from "./two-input/co-map.ts";
export { coProcessOperator } from "./two-input/co-process.ts";
export { type FilterFunction, filterOperator } from "./filter.ts";
export { type FlatMapFunction, flatMapOperator } from "./flat-map.ts";
export type {
  Collector,
  CoProcessFunction,
  KeyedCoProcessFunction,
  KeyedProcessContext,
  KeyedProcessFunction,
  OnTimerContext,
  ProcessContext,
  ProcessFunction,
  TimeDomain,
  TimerService,
} from "./function/process-function.ts";
export type {
  FunctionInitializationContext,
  FunctionSnapshotContext,
  KeyedStateAccess,
  RuntimeContext,
  UserFunction,
} from "./function/user-function.ts";
export { sinkOf, sinkOperator } from "./sink-operator.ts";
export { type SourceOperator, sourceOperator } from "./source-operator.ts";
export type { SourceSetup } from "./source-setup.ts";
export {
  countEvictor,
  deltaEvictor,
  type Evictor,
  type EvictorContext,
  timeEvictor,
  type TimestampedValue,
} from "./window/evictor.ts";
export { GlobalWindows, NEVER_TRIGGER } from "./window/assigner/global-windows.ts";
export {
  DynamicEventTimeSessionWindows,
  DynamicProcessingTimeSessionWindows,
  EventTimeSessionWindows,
  mergeTimeWindows,
  ProcessingTimeSessionWindows,
  type SessionGapExtractor,
} from "./window/assigner/session-windows.ts";
export {
  SlidingEventTimeWindows,
  SlidingProcessingTimeWindows,
} from "./window/assigner/sliding-windows.ts";
export {
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  type WindowStagger,
} from "./window/assigner/tumbling-windows.ts";
export {
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
} from "./window/trigger/continuous-triggers.ts";
export { CountTrigger } from "./window/trigger/count-trigger.ts";
export { type DeltaFunction, DeltaTrigger } from "./window/trigger/delta-trigger.ts";
export { EventTimeTrigger } from "./window/trigger/event-time-trigger.ts";
export {
  type ProcessingTimeoutOptions,
  ProcessingTimeoutTrigger,
} from "./window/trigger/processing-timeout-trigger.ts";
export { ProcessingTimeTrigger } from "./window/trigger/processing-time-trigger.ts";
export { PurgingTrigger } from "./window/trigger/purging-trigger.ts";
export {
  isFire,
  isPurge,
  type OnMergeContext,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
} from "./window/trigger/trigger.ts";
export { type PartialAggregate, preAggregateOperator } from "./window/pre-aggregate-operator.ts";
export { windowOperator } from "./window/window.ts";
export {
  GLOBAL_WINDOWS,
  type MergingWindowAssigner,
  TIME_WINDOWS,
  timeWindowsOfSize,
  type Window,
  type WindowAssigner,
  type WindowAssignerContext,
  type WindowKind,
  type WindowMerge,
} from "./window/assigner/window-assigner.ts";
export {
  applyFunction,
  type ProcessWindowContext,
  type ProcessWindowFunction,
  type WindowAggregation,
  type WindowFunction,
} from "./window/window-function.ts";
export type { WindowSetup } from "./window/window-setup.ts";
export {
  type FailurePlace,
  NO_RECORD,
  userFunctionFailure,
} from "./function/user-function-failure.ts";
export { keyedAggregateOperator } from "./keyed-aggregate.ts";
export { keyedCoProcessOperator } from "./two-input/keyed-co-process.ts";
export { keyedProcessOperator } from "./keyed-process.ts";
export { keyedReduceOperator, type ReduceFunction } from "./keyed-reduce.ts";
export { type MapFunction, mapOperator } from "./map.ts";
export { processOperator } from "./process.ts";
export { timestampsAndWatermarksOperator } from "./timestamps-and-watermarks.ts";
export { broadcastProcessOperator } from "./two-input/broadcast-process.ts";
export type {
  BroadcastContext,
  BroadcastProcessFunction,
  KeyedBroadcastContext,
  KeyedBroadcastOnTimerContext,
  KeyedBroadcastProcessFunction,
  KeyedReadOnlyContext,
  ReadOnlyBroadcastState,
  ReadOnlyContext,
  StateOf,
} from "./function/broadcast-function.ts";
export type { AnyBroadcastDescriptor } from "./function/broadcast-states.ts";
export { keyedBroadcastProcessOperator } from "./two-input/keyed-broadcast-process.ts";
