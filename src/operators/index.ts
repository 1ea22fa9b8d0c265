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
export { coFlatMapOperator } from "./co-flat-map.ts";
export { coMapOperator } from "./co-map.ts";
export { coProcessOperator } from "./co-process.ts";
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
export { keyedAggregateOperator } from "./keyed-aggregate.ts";
export { keyedCoProcessOperator } from "./keyed-co-process.ts";
export { keyedProcessOperator } from "./keyed-process.ts";
export { keyedReduceOperator, type ReduceFunction } from "./keyed-reduce.ts";
export { type MapFunction, mapOperator } from "./map.ts";
export { processOperator } from "./process.ts";
export { timestampsAndWatermarksOperator } from "./timestamps-and-watermarks.ts";
