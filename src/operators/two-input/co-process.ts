import { MIN_TIMESTAMP } from "../../base/index.ts";
import { ClockService } from "../function/clock-service.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { ownModule } from "../function/own-module.ts";
import type {
  Collector,
  CoProcessFunction,
  ProcessContext,
  TimerService,
} from "../function/process-function.ts";
import { SideOutputs } from "../function/side-outputs.ts";
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
import type { OutputTag } from "../output-tag.ts";

/** Collector and context of the record at hand. */
class CoProcessTurn<OUT> implements Collector<OUT>, ProcessContext {
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

/** Runs a {@link CoProcessFunction} on two streams without keys. */
export class CoProcessOperator<IN1, IN2, OUT>
  extends FunctionOperator<CoProcessFunction<IN1, IN2, OUT>>
  implements TwoInputOperator<IN1, IN2>
{
  private readonly output: Output<OUT>;
  private readonly turn: CoProcessTurn<OUT>;

  constructor(
    userFunction: CoProcessFunction<IN1, IN2, OUT>,
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(userFunction, context);
    this.output = output;
    this.turn = new CoProcessTurn<OUT>(context, output);
  }

  processElement1(value: IN1, timestamp: number): void {
    this.turn.time = timestamp;
    try {
      this.function.processElement1(value, this.turn, this.turn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processElement1", value, error);
    }
  }

  processElement2(value: IN2, timestamp: number): void {
    this.turn.time = timestamp;
    try {
      this.function.processElement2(value, this.turn, this.turn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processElement2", value, error);
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
 * `ConnectedStreams.process` without keys.
 *
 * @param makeFunction - Called once per subtask.
 */
export function coProcessOperator<IN1, IN2, OUT>(
  makeFunction: () => CoProcessFunction<IN1, IN2, OUT>,
): OperatorFactory<TwoInputOperator<IN1, IN2>, OUT> {
  return {
    kind: "Co-Process",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { CoProcessOperator: Own } = ownModule(own, { CoProcessOperator });
      return new Own<IN1, IN2, OUT>(makeFunction(), parameters);
    },
  };
}
