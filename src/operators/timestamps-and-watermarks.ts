import { MAX_TIMESTAMP, MIN_TIMESTAMP, present, StreamError } from "../base/index.ts";
import { ownModule } from "./function/own-module.ts";
import { isTimestamp, noTimestamp } from "./function/timestamp-check.ts";
import { NO_RECORD, userFunctionFailure } from "./function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorContext,
  OperatorFactory,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "./operator.ts";
import { RestoredWatermarks } from "./watermark/restored-watermarks.ts";
import { WatermarkEmitter } from "./watermark/watermark-emitter.ts";
import type { WatermarkGenerator } from "./watermark/watermark-generator.ts";
import type { TimestampAssigner, WatermarkStrategy } from "./watermark/watermark-strategy.ts";

const WATERMARKS = "cutwater.watermarks";

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
  private readonly assigner: TimestampAssigner<T> | undefined;
  private readonly generator: WatermarkGenerator<T>;
  private readonly emitter: WatermarkEmitter;
  private watermarks: RestoredWatermarks | undefined = undefined;
  /** What had gone out at the cut, until it goes out again before the first record. */
  private owed: number = MIN_TIMESTAMP;
  private cancelTimer: (() => void) | undefined = undefined;

  constructor(strategy: WatermarkStrategy<T>, { context, output }: OperatorParameters<T>) {
    this.output = output;
    this.context = context;
    context.metrics.emitsOneForEach();
    this.assigner = strategy.timestampAssigner;
    this.generator = strategy.createGenerator(context.processingTime);
    this.emitter = new WatermarkEmitter(output);
    context.metrics.gauge("currentOutputWatermark", () => this.emitter.watermark);
  }

  initializeState(): void {
    const { operatorState, subtaskIndex, parallelism } = this.context;
    this.watermarks = new RestoredWatermarks(operatorState, subtaskIndex, WATERMARKS);
    this.owed = this.watermarks.emitted(parallelism);
  }

  open(): void {
    this.scheduleEmit();
  }

  snapshotState(): void {
    const watermark = Math.max(this.owed, this.emitter.watermark);
    present(this.watermarks, "state is declared before a snapshot").save(watermark, []);
  }

  processElement(value: T, timestamp: number): void {
    if (this.owed !== MIN_TIMESTAMP) this.emitOwed();
    let assigned = timestamp;
    if (this.assigner !== undefined) {
      try {
        assigned = this.assigner(value, timestamp);
      } catch (error) {
        throw userFunctionFailure(this.context, "extractTimestamp", value, error);
      }
      if (!isTimestamp(assigned)) throw this.noTimestamp(value, assigned);
    }
    this.output.processElement(value, assigned);
    try {
      this.generator.onEvent(value, assigned, this.emitter);
    } catch (error) {
      throw userFunctionFailure(this.context, "onEvent", value, error);
    }
  }

  processWatermark(watermark: number): void {
    if (watermark === MAX_TIMESTAMP) this.emitter.emitWatermark(watermark);
  }

  processWatermarkStatus(_status: WatermarkStatus): void {}

  finish(): void {
    this.emitPeriodically();
  }

  close(): void {
    this.cancelTimer?.();
  }

  private emitPeriodically(): void {
    try {
      this.generator.onPeriodicEmit(this.emitter);
    } catch (error) {
      throw userFunctionFailure(this.context, "onPeriodicEmit", NO_RECORD, error);
    }
  }

  private noTimestamp(value: T, assigned: number): unknown {
    return userFunctionFailure(this.context, "extractTimestamp", value, noTimestamp(assigned));
  }

  private emitOwed(): void {
    this.emitter.emitWatermark(this.owed);
    this.owed = MIN_TIMESTAMP;
  }

  private scheduleEmit(): void {
    const intervalMs = this.context.autoWatermarkIntervalMs;
    if (intervalMs <= 0) return;
    const { processingTime } = this.context;
    this.cancelTimer = processingTime.registerTimer(processingTime.nowMs() + intervalMs, () => {
      this.emitPeriodically();
      this.scheduleEmit();
    });
  }
}

/**
 * `DataStream.assignTimestampsAndWatermarks`.
 *
 * @throws StreamError PARAMETER_INVALID if the strategy asks for watermark alignment, which only a source can follow. (Flink passes over it.)
 */
export function timestampsAndWatermarksOperator<T>(
  strategy: WatermarkStrategy<T>,
): OperatorFactory<OneInputOperator<T>, T> {
  if (strategy.alignment !== undefined) {
    throw new StreamError("PARAMETER_INVALID", {
      what: "assignTimestampsAndWatermarks",
      problem: "watermark alignment, which holds sources back: give that strategy to fromSource",
    });
  }
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
