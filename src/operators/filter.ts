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

/** True for the records that stay. */
export type FilterFunction<T> = (value: T) => boolean;

/** Lets those records pass for which a function returns true. */
export class FilterOperator<T> implements OneInputOperator<T> {
  private readonly filter: FilterFunction<T>;
  private readonly output: Output<T>;
  private readonly context: OperatorContext;
  private emittedCount = 0;

  constructor(filter: FilterFunction<T>, { context, output }: OperatorParameters<T>) {
    this.filter = filter;
    this.output = output;
    this.context = context;
    context.metrics.countsOut(() => this.emittedCount);
  }

  processElement(value: T, timestamp: number): void {
    let stays: boolean;
    try {
      stays = this.filter(value);
    } catch (error) {
      throw userFunctionFailure(this.context, "filter", value, error);
    }
    if (!stays) return;
    this.emittedCount++;
    this.output.processElement(value, timestamp);
  }

  processWatermark(watermark: number): void {
    this.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.output.processWatermarkStatus(status);
  }
}

/** `DataStream.filter`. */
export function filterOperator<T>(
  filter: FilterFunction<T>,
): OperatorFactory<OneInputOperator<T>, T> {
  requireSynchronousFunction("filter", filter);
  return {
    kind: "Filter",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { FilterOperator: Own } = ownModule(own, { FilterOperator });
      return new Own<T>(filter, parameters);
    },
  };
}
