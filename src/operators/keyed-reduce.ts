import { present } from "../base/index.ts";
import type { TypeSerializer } from "../serde/index.ts";
import type { ValueState } from "../state/index.ts";
import { ownModule } from "./function/own-module.ts";
import { requireSynchronousFunction } from "./function/synchronous.ts";
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

/** Combines what has been accumulated with one more value of the same type. */
export type ReduceFunction<T> = (accumulated: T, value: T) => T;

/** Per key, the reduction of all records so far; emitted for each record. The first record is emitted as it is. */
export class KeyedReduceOperator<T> implements OneInputOperator<T> {
  private readonly reduce: ReduceFunction<T>;
  private readonly type: TypeSerializer<T>;
  private readonly output: Output<T>;
  private readonly context: OperatorContext;
  private state: ValueState<T> | undefined = undefined;

  constructor(
    reduce: ReduceFunction<T>,
    type: TypeSerializer<T>,
    { context, output }: OperatorParameters<T>,
  ) {
    this.reduce = reduce;
    this.type = type;
    this.output = output;
    this.context = context;
    context.metrics.emitsOneForEach();
  }

  initializeState(): void {
    this.state = requireKeyed(this.context, "reduce").valueState<T>({
      kind: "value",
      name: "_op_state",
      ttl: undefined,
      type: this.type,
    });
  }

  processElement(value: T, timestamp: number): void {
    const state = present(this.state, "state is there before the first record");
    const accumulated = state.value();
    let result = value;
    if (accumulated !== undefined) {
      try {
        result = this.reduce(accumulated, value);
      } catch (error) {
        throw userFunctionFailure(this.context, "reduce", value, error);
      }
    }
    state.update(result);
    this.output.processElement(result, timestamp);
  }

  processWatermark(watermark: number): void {
    this.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.output.processWatermarkStatus(status);
  }
}

/** `KeyedStream.reduce`. */
export function keyedReduceOperator<T>(
  reduce: ReduceFunction<T>,
  type: TypeSerializer<T>,
): OperatorFactory<OneInputOperator<T>, T> {
  requireSynchronousFunction("reduce", reduce);
  return {
    kind: "Keyed Reduce",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { KeyedReduceOperator: Own } = ownModule(own, { KeyedReduceOperator });
      return new Own<T>(reduce, type, parameters);
    },
  };
}
