import { MAX_TIMESTAMP } from "../base/index.ts";
import { ownModule } from "./function/own-module.ts";
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
import { WatermarkEmitter } from "./watermark/watermark-emitter.ts";
import type { WatermarkGenerator } from "./watermark/watermark-generator.ts";
import type { TimestampAssigner, WatermarkStrategy } from "./watermark/watermark-strategy.ts";

/**
 * Gives the records of a stream new timestamps and makes its watermarks anew.
 *
 * @remarks
 * A record is forwarded before its generator sees it, so a watermark that the record causes follows the record. Watermarks and
 * statuses from upstream are swallowed, except the last watermark of a bounded input.
 *
 * Source: Flink `TimestampsAndWatermarksOperator`.
 */
export class TimestampsAndWatermarksOperator<T> implements OneInputOperator<T> {
  private readonly output: Output<T>;
  private readonly context: OperatorContext;
  private readonly metrics: OperatorMetrics;
  private readonly assigner: TimestampAssigner<T> | undefined;
  private readonly generator: WatermarkGenerator<T>;
  private readonly emitter: WatermarkEmitter;
  private cancelTimer: (() => void) | undefined = undefined;

  constructor(strategy: WatermarkStrategy<T>, { context, output }: OperatorParameters<T>) {
    this.output = output;
    this.context = context;
    this.metrics = context.metrics;
    this.assigner = strategy.timestampAssigner;
    this.generator = strategy.createGenerator(context.processingTime);
    this.emitter = new WatermarkEmitter(output);
  }

  open(): void {
    this.scheduleEmit();
  }

  processElement(value: T, timestamp: number): void {
    this.metrics.numRecordsIn++;
    let assigned = timestamp;
    if (this.assigner !== undefined) {
      try {
        assigned = this.assigner(value, timestamp);
      } catch (error) {
        throw userFunctionFailure(this.context, "extractTimestamp", value, error);
      }
    }
    this.metrics.numRecordsOut++;
    this.output.processElement(value, assigned);
    this.generator.onEvent(value, assigned, this.emitter);
  }

  processWatermark(watermark: number): void {
    if (watermark === MAX_TIMESTAMP) this.emitter.emitWatermark(watermark);
  }

  processWatermarkStatus(_status: WatermarkStatus): void {}

  finish(): void {
    this.generator.onPeriodicEmit(this.emitter);
  }

  close(): void {
    this.cancelTimer?.();
  }

  private scheduleEmit(): void {
    const intervalMs = this.context.autoWatermarkIntervalMs;
    if (intervalMs <= 0) return;
    const { processingTime } = this.context;
    this.cancelTimer = processingTime.registerTimer(processingTime.nowMs() + intervalMs, () => {
      this.generator.onPeriodicEmit(this.emitter);
      this.scheduleEmit();
    });
  }
}

/** `DataStream.assignTimestampsAndWatermarks`. */
export function timestampsAndWatermarksOperator<T>(
  strategy: WatermarkStrategy<T>,
): OperatorFactory<OneInputOperator<T>, T> {
  return {
    kind: "Timestamps/Watermarks",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { TimestampsAndWatermarksOperator: Own } = ownModule(own, {
        TimestampsAndWatermarksOperator,
      });
      return new Own<T>(strategy, parameters);
    },
  };
}
