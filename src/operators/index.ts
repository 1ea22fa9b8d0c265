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
export type { Committer, Sink, SinkContext, SinkWriter } from "./sink.ts";
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
