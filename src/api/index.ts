export type { NumericField, OrderedField } from "./aggregations.ts";
export {
  type AggregateOptions,
  BroadcastConnectedStream,
  BroadcastStream,
  ConnectedStreams,
  DataStream,
  DataStreamSource,
  KeyedBroadcastConnectedStream,
  KeyedConnectedStreams,
  KeyedStream,
  type KeySelector,
  type ReturnsOption,
  SingleOutputStreamOperator,
  WindowedStream,
} from "./data-stream.ts";
export { DataStreamSink } from "./data-stream-sink.ts";
export { CountEvictor, DeltaEvictor, TimeEvictor } from "./evictors.ts";
export type { FoldedWindowFunction } from "./folded-window-function.ts";
export type { FunctionOrMaker } from "./function-objects.ts";
export { defineJob, type JobDefinition, type JobFunction } from "./job-definition.ts";
export {
  aggregatingState,
  listState,
  mapState,
  reducingState,
  type StateOptions,
  timeToLive,
  type TimeToLiveOptions,
  valueState,
} from "./state-descriptors.ts";
export {
  type CheckpointingMode,
  StreamExecutionEnvironment,
} from "./stream-execution-environment.ts";
export type { JobClient } from "./run/job-client.ts";
export { run, runAsync, type RunContext } from "./run/run.ts";
export type { RunSettings } from "./run/run-configuration.ts";
export {
  checkServerAddress,
  isLoopback,
  SERVER_OPTIONS,
  type ServerSettings,
} from "./run/server-options.ts";
export {
  OPTION_GROUPS,
  type OptionGroup,
  RUN_OPTIONS,
  type RunOptions,
} from "./run/run-options.ts";
