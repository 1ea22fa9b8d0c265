import { ownModule } from "../function/own-module.ts";
import { requireSynchronousFunction } from "../function/synchronous.ts";
import { userFunctionFailure } from "../function/user-function-failure.ts";
import type { MapFunction } from "../map.ts";
import type {
  OperatorContext,
  OperatorFactory,
  OperatorParameters,
  Output,
  TwoInputOperator,
  WatermarkStatus,
} from "../operator.ts";

/** Calls one of two functions, by input, and emits what it returns. */
export class CoMapOperator<IN1, IN2, OUT> implements TwoInputOperator<IN1, IN2> {
  private readonly map1: MapFunction<IN1, OUT>;
  private readonly map2: MapFunction<IN2, OUT>;
  private readonly output: Output<OUT>;
  private readonly context: OperatorContext;

  constructor(
    map1: MapFunction<IN1, OUT>,
    map2: MapFunction<IN2, OUT>,
    { context, output }: OperatorParameters<OUT>,
  ) {
    this.map1 = map1;
    this.map2 = map2;
    this.output = output;
    this.context = context;
    context.metrics.emitsOneForEach();
  }

  processElement1(value: IN1, timestamp: number): void {
    let result: OUT;
    try {
      result = this.map1(value);
    } catch (error) {
      throw userFunctionFailure(this.context, "map1", value, error);
    }
    this.output.processElement(result, timestamp);
  }

  processElement2(value: IN2, timestamp: number): void {
    let result: OUT;
    try {
      result = this.map2(value);
    } catch (error) {
      throw userFunctionFailure(this.context, "map2", value, error);
    }
    this.output.processElement(result, timestamp);
  }

  processWatermark(watermark: number): void {
    this.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.output.processWatermarkStatus(status);
  }
}

/** `ConnectedStreams.map`. */
export function coMapOperator<IN1, IN2, OUT>(
  map1: MapFunction<IN1, OUT>,
  map2: MapFunction<IN2, OUT>,
): OperatorFactory<TwoInputOperator<IN1, IN2>, OUT> {
  requireSynchronousFunction("map", map1);
  requireSynchronousFunction("map", map2);
  return {
    kind: "Co-Map",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { CoMapOperator: Own } = ownModule(own, { CoMapOperator });
      return new Own<IN1, IN2, OUT>(map1, map2, parameters);
    },
  };
}
