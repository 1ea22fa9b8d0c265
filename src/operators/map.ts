import { ownModule } from "./function/own-module.ts";
import { requireSynchronousFunction } from "./function/synchronous.ts";
import { userFunctionFailure } from "./function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorContext,
  OperatorFactory,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "./operator.ts";

/** One result per record. */
export type MapFunction<IN, OUT> = (value: IN) => OUT;

/** Calls a function for each record and emits what it returns, with the record's timestamp. */
export class MapOperator<IN, OUT> implements OneInputOperator<IN> {
  private readonly map: MapFunction<IN, OUT>;
  private readonly output: Output<OUT>;
  private readonly context: OperatorContext;

  constructor(map: MapFunction<IN, OUT>, { context, output }: OperatorParameters<OUT>) {
    this.map = map;
    this.output = output;
    this.context = context;
    context.metrics.emitsOneForEach();
  }

  processElement(value: IN, timestamp: number): void {
    let result: OUT;
    try {
      result = this.map(value);
    } catch (error) {
      throw userFunctionFailure(this.context, "map", value, error);
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

/** `DataStream.map`. */
export function mapOperator<IN, OUT>(
  map: MapFunction<IN, OUT>,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  requireSynchronousFunction("map", map);
  return {
    kind: "Map",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { MapOperator: Own } = ownModule(own, { MapOperator });
      return new Own<IN, OUT>(map, parameters);
    },
  };
}
