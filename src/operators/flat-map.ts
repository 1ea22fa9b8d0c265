import { MIN_TIMESTAMP } from "../base/index.ts";
import { ownModule } from "./function/own-module.ts";
import { requireSynchronousFunction } from "./function/synchronous.ts";
import type { Collector } from "./function/process-function.ts";
import { userFunctionFailure } from "./function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorContext,
  OperatorFactory,
  OperatorMetrics,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "./operator.ts";

/** Any number of results per record: returned as an iterable, or given to the collector during the call. */
export type FlatMapFunction<IN, OUT> = (value: IN, out: Collector<OUT>) => Iterable<OUT> | void;

class FlatMapCollector<OUT> implements Collector<OUT> {
  timestamp: number = MIN_TIMESTAMP;
  private readonly output: Output<OUT>;
  private readonly metrics: OperatorMetrics;

  constructor(output: Output<OUT>, metrics: OperatorMetrics) {
    this.output = output;
    this.metrics = metrics;
  }

  collect(value: OUT): void {
    this.metrics.numRecordsOut++;
    this.output.processElement(value, this.timestamp);
  }
}

/** Calls a function for each record; its results get the record's timestamp. */
export class FlatMapOperator<IN, OUT> implements OneInputOperator<IN> {
  private readonly flatMap: FlatMapFunction<IN, OUT>;
  private readonly output: Output<OUT>;
  private readonly context: OperatorContext;
  private readonly collector: FlatMapCollector<OUT>;

  constructor(flatMap: FlatMapFunction<IN, OUT>, { context, output }: OperatorParameters<OUT>) {
    this.flatMap = flatMap;
    this.output = output;
    this.context = context;
    this.collector = new FlatMapCollector<OUT>(output, context.metrics);
  }

  processElement(value: IN, timestamp: number): void {
    this.collector.timestamp = timestamp;
    try {
      const results = this.flatMap(value, this.collector);
      if (results !== undefined) for (const result of results) this.collector.collect(result);
    } catch (error) {
      throw userFunctionFailure(this.context, "flatMap", value, error);
    }
  }

  processWatermark(watermark: number): void {
    this.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.output.processWatermarkStatus(status);
  }
}

/** `DataStream.flatMap`. */
export function flatMapOperator<IN, OUT>(
  flatMap: FlatMapFunction<IN, OUT>,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  requireSynchronousFunction("flatMap", flatMap);
  return {
    kind: "Flat Map",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { FlatMapOperator: Own } = ownModule(own, { FlatMapOperator });
      return new Own<IN, OUT>(flatMap, parameters);
    },
  };
}
