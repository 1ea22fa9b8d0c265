/**
 * Stateful stream processing for TypeScript with Flink's exactly-once checkpoints.
 *
 * @packageDocumentation
 */

// Jobs and streams.
export {
  type AggregateOptions,
  BroadcastConnectedStream,
  BroadcastStream,
  type CheckpointingMode,
  ConnectedStreams,
  DataStream,
  DataStreamSink,
  DataStreamSource,
  defineJob,
  type FoldedWindowFunction,
  type FunctionOrMaker,
  type JobDefinition,
  type JobFunction,
  KeyedBroadcastConnectedStream,
  KeyedConnectedStreams,
  KeyedStream,
  type KeySelector,
  type NumericField,
  type OrderedField,
  type ReturnsOption,
  SingleOutputStreamOperator,
  StreamExecutionEnvironment,
  WindowedStream,
} from "./api/index.ts";

// Running a job from code.
export { type JobClient, run, runAsync, type RunContext, type RunSettings } from "./api/index.ts";
export type { JobResult, JobStatus, OperatorMetricsSnapshot } from "./runtime/index.ts";

// Functions.
export type {
  BroadcastContext,
  BroadcastProcessFunction,
  Collector,
  CoProcessFunction,
  Counter,
  FilterFunction,
  FlatMapFunction,
  FunctionInitializationContext,
  FunctionSnapshotContext,
  GaugeValue,
  Histogram,
  KeyedBroadcastContext,
  KeyedBroadcastOnTimerContext,
  KeyedBroadcastProcessFunction,
  KeyedCoProcessFunction,
  KeyedProcessContext,
  KeyedProcessFunction,
  KeyedReadOnlyContext,
  KeyedStateAccess,
  MapFunction,
  Meter,
  MetricGroup,
  OnTimerContext,
  OperatorMetrics,
  ProcessContext,
  ProcessFunction,
  ReadOnlyBroadcastState,
  ReadOnlyContext,
  ReduceFunction,
  RuntimeContext,
  StateOf,
  TimeDomain,
  TimerService,
  UserFunction,
} from "./operators/index.ts";
export { type OutputTag, outputTag } from "./operators/index.ts";

// Types.
export {
  type DefaultedSerializer,
  type Of,
  type OptionalSerializer,
  type StructOf,
  type TypeFactory,
  Types,
  type TypeSerializer,
  type UnionOf,
} from "./serde/index.ts";

// State.
export {
  aggregatingState,
  listState,
  mapState,
  reducingState,
  type StateOptions,
  timeToLive,
  type TimeToLiveOptions,
  valueState,
} from "./api/index.ts";
export type {
  AggregateFunction,
  AggregatingState,
  AggregatingStateDescriptor,
  BroadcastState,
  ListState,
  ListStateDescriptor,
  MapState,
  MapStateDescriptor,
  OperatorListState,
  OperatorStateStore,
  ReducingState,
  ReducingStateDescriptor,
  StateTtlConfig,
  ValueState,
  ValueStateDescriptor,
} from "./state/index.ts";

// Event time.
export {
  type TimestampAssigner,
  type WatermarkGenerator,
  type WatermarkGeneratorContext,
  type WatermarkOutput,
  WatermarkStrategy,
} from "./operators/index.ts";
export { MAX_TIMESTAMP, MIN_TIMESTAMP } from "./base/index.ts";

// Windows.
export { CountEvictor, DeltaEvictor, TimeEvictor } from "./api/index.ts";
export {
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  type DeltaFunction,
  DeltaTrigger,
  EventTimeSessionWindows,
  EventTimeTrigger,
  type Evictor,
  type EvictorContext,
  GlobalWindow,
  GlobalWindows,
  type MergingWindowAssigner,
  type OnMergeContext,
  ProcessingTimeoutTrigger,
  ProcessingTimeSessionWindows,
  ProcessingTimeTrigger,
  type ProcessWindowContext,
  type ProcessWindowFunction,
  PurgingTrigger,
  type SessionGapExtractor,
  SlidingEventTimeWindows,
  SlidingProcessingTimeWindows,
  TIME_WINDOWS,
  type TimestampedValue,
  TimeWindow,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
  TumblingEventTimeWindows,
  TumblingProcessingTimeWindows,
  type Window,
  type WindowAssigner,
  type WindowAssignerContext,
  type WindowFunction,
  type WindowKind,
  type WindowMerge,
  type WindowStagger,
} from "./operators/index.ts";

// Sources and sinks.
export {
  type BadRecord,
  BadRecordError,
  type BadRecordPolicy,
  collectionSource,
  type CollectSink,
  collectSink,
  csv,
  type CsvOptions,
  fileSink,
  type FileSinkOptions,
  fileSource,
  type FileSourceOptions,
  functionSource,
  type FunctionSourceOptions,
  type GeneratorOptions,
  generatorSource,
  ndjson,
  type PrintOptions,
  printSink,
  readRecords,
  type RecordDecoder,
  type RecordFormat,
  type SourceFunction,
  type SourceFunctionContext,
  text,
} from "./connectors/index.ts";
export type {
  Committer,
  PreparedCommit,
  ReaderOutput,
  ReaderStatus,
  Sink,
  SinkContext,
  SinkWriter,
  Source,
  SourceReader,
  SourceReaderContext,
  SourceSplit,
  SplitEnumerator,
  SplitEnumeratorContext,
} from "./operators/index.ts";

// Configuration, errors, and what a connector of one's own may need.
export {
  Configuration,
  type ConfigurationEntry,
  type Duration,
  type ErrorCode,
  type ErrorDetails,
  type ErrorDomain,
  type FileSystem,
  isStreamError,
  type Logger,
  type Platform,
  StreamError,
} from "./base/index.ts";

// The job graph.
export {
  type JobGraph,
  type JobPlan,
  type JobPlanInput,
  type JobPlanNode,
  jobPlanOf,
  renderPlan,
} from "./graph/index.ts";
