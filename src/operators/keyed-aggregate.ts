import type { TypeSerializer } from "../serde/index.ts";
import type { AggregateFunction, RollingState } from "../state/index.ts";
import { ownModule } from "./function/own-module.ts";
import { requireSynchronous } from "./function/synchronous.ts";
import { requireKeyed } from "./function/user-function.ts";
import { userFunctionFailure } from "./function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorContext,
  OperatorFactory,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "./operator.ts";

/**
 * Per key, the aggregate of all records so far; emitted for each record.
 *
 * @remarks
 * Flink has `aggregate` on windows only; this is its `reduce` with another type for what is accumulated.
 */
export class KeyedAggregateOperator<IN, ACC, OUT> implements OneInputOperator<IN> {
  private readonly aggregate: AggregateFunction<IN, ACC, OUT>;
  private readonly accumulatorType: TypeSerializer<ACC>;
  private readonly output: Output<OUT>;
  private readonly context: OperatorContext;
  private state: RollingState<IN, OUT> | undefined = undefined;

  constructor(
    aggregate: AggregateFunction<IN, ACC, OUT>,
    accumulatorType: TypeSerializer<ACC>,
    { context, output }: OperatorParameters<OUT>,
  ) {
    this.aggregate = aggregate;
    this.accumulatorType = accumulatorType;
    this.output = output;
    this.context = context;
    context.metrics.emitsOneForEach();
  }

  initializeState(): void {
    this.state = requireKeyed(this.context, "aggregate").rollingState<IN, ACC, OUT>({
      kind: "aggregating",
      name: "_op_state",
      ttl: undefined,
      accumulatorType: this.accumulatorType,
      aggregate: this.aggregate,
    });
  }

  processElement(value: IN, timestamp: number): void {
    const state = this.state as RollingState<IN, OUT>;
    let result: OUT;
    try {
      result = state.addAndGet(value);
    } catch (error) {
      throw userFunctionFailure(this.context, "aggregate", value, error);
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

/** `KeyedStream.aggregate`: rolling. */
export function keyedAggregateOperator<IN, ACC, OUT>(
  aggregate: AggregateFunction<IN, ACC, OUT>,
  accumulatorType: TypeSerializer<ACC>,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  requireSynchronous("aggregate", aggregate);
  return {
    kind: "Keyed Aggregation",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { KeyedAggregateOperator: Own } = ownModule(own, { KeyedAggregateOperator });
      return new Own<IN, ACC, OUT>(aggregate, accumulatorType, parameters);
    },
  };
}
