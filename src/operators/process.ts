import { MIN_TIMESTAMP } from "../base/index.ts";
import { ClockService } from "./function/clock-service.ts";
import { FunctionOperator } from "./function/function-operator.ts";
import { ownModule } from "./function/own-module.ts";
import type {
  Collector,
  ProcessContext,
  ProcessFunction,
  TimerService,
} from "./function/process-function.ts";
import { SideOutputs } from "./function/side-outputs.ts";
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
import type { OutputTag } from "./output-tag.ts";

/** Collector and context of the record at hand. */
class ProcessTurn<OUT> implements Collector<OUT>, ProcessContext {
  time: number = MIN_TIMESTAMP;
  readonly clock: ClockService;
  private readonly target: Output<OUT>;
  private readonly metrics: OperatorMetrics;
  private readonly sideOutputs: SideOutputs;

  constructor(context: OperatorContext, target: Output<OUT>) {
    this.clock = new ClockService(context, MIN_TIMESTAMP);
    this.target = target;
    this.metrics = context.metrics;
    this.sideOutputs = new SideOutputs(context);
  }

  collect(value: OUT): void {
    this.metrics.numRecordsOut++;
    this.target.processElement(value, this.time);
  }

  timestamp(): number | undefined {
    return this.time === MIN_TIMESTAMP ? undefined : this.time;
  }

  timerService(): TimerService {
    return this.clock;
  }

  output<T>(tag: OutputTag<T>, value: T): void {
    this.sideOutputs.emit(tag, value, this.time);
  }
}

/** Runs a {@link ProcessFunction} on a stream without keys. */
export class ProcessOperator<IN, OUT>
  extends FunctionOperator<ProcessFunction<IN, OUT>>
  implements OneInputOperator<IN>
{
  private readonly output: Output<OUT>;
  private readonly turn: ProcessTurn<OUT>;

  constructor(
    userFunction: ProcessFunction<IN, OUT>,
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(userFunction, context);
    this.output = output;
    this.turn = new ProcessTurn<OUT>(context, output);
  }

  processElement(value: IN, timestamp: number): void {
    this.turn.time = timestamp;
    try {
      this.function.processElement(value, this.turn, this.turn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processElement", value, error);
    }
  }

  processWatermark(watermark: number): void {
    this.turn.clock.watermark = watermark;
    this.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.output.processWatermarkStatus(status);
  }
}

/**
 * `DataStream.process`.
 *
 * @param makeFunction - Called once per subtask.
 */
export function processOperator<IN, OUT>(
  makeFunction: () => ProcessFunction<IN, OUT>,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  return {
    kind: "Process",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { ProcessOperator: Own } = ownModule(own, { ProcessOperator });
      return new Own<IN, OUT>(makeFunction(), parameters);
    },
  };
}
