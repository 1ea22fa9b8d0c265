import { MIN_TIMESTAMP } from "../../base/index.ts";
import type { FlatMapFunction } from "../flat-map.ts";
import { ownModule } from "../function/own-module.ts";
import { requireSynchronousFunction } from "../function/synchronous.ts";
import type { Collector } from "../function/process-function.ts";
import { userFunctionFailure } from "../function/user-function-failure.ts";
import type {
  OperatorContext,
  OperatorFactory,
  OperatorMetrics,
  OperatorParameters,
  Output,
  TwoInputOperator,
  WatermarkStatus,
} from "../operator.ts";

class CoFlatMapCollector<OUT> implements Collector<OUT> {
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

/** Calls one of two functions, by input; each may give any number of results. */
export class CoFlatMapOperator<IN1, IN2, OUT> implements TwoInputOperator<IN1, IN2> {
  private readonly flatMap1: FlatMapFunction<IN1, OUT>;
  private readonly flatMap2: FlatMapFunction<IN2, OUT>;
  private readonly output: Output<OUT>;
  private readonly context: OperatorContext;
  private readonly collector: CoFlatMapCollector<OUT>;

  constructor(
    flatMap1: FlatMapFunction<IN1, OUT>,
    flatMap2: FlatMapFunction<IN2, OUT>,
    { context, output }: OperatorParameters<OUT>,
  ) {
    this.flatMap1 = flatMap1;
    this.flatMap2 = flatMap2;
    this.output = output;
    this.context = context;
    this.collector = new CoFlatMapCollector<OUT>(output, context.metrics);
  }

  processElement1(value: IN1, timestamp: number): void {
    this.collector.timestamp = timestamp;
    try {
      const results = this.flatMap1(value, this.collector);
      if (results !== undefined) for (const result of results) this.collector.collect(result);
    } catch (error) {
      throw userFunctionFailure(this.context, "flatMap1", value, error);
    }
  }

  processElement2(value: IN2, timestamp: number): void {
    this.collector.timestamp = timestamp;
    try {
      const results = this.flatMap2(value, this.collector);
      if (results !== undefined) for (const result of results) this.collector.collect(result);
    } catch (error) {
      throw userFunctionFailure(this.context, "flatMap2", value, error);
    }
  }

  processWatermark(watermark: number): void {
    this.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.output.processWatermarkStatus(status);
  }
}

/** `ConnectedStreams.flatMap`. */
export function coFlatMapOperator<IN1, IN2, OUT>(
  flatMap1: FlatMapFunction<IN1, OUT>,
  flatMap2: FlatMapFunction<IN2, OUT>,
): OperatorFactory<TwoInputOperator<IN1, IN2>, OUT> {
  requireSynchronousFunction("flatMap", flatMap1);
  requireSynchronousFunction("flatMap", flatMap2);
  return {
    kind: "Co-Flat Map",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { CoFlatMapOperator: Own } = ownModule(own, { CoFlatMapOperator });
      return new Own<IN1, IN2, OUT>(flatMap1, flatMap2, parameters);
    },
  };
}
