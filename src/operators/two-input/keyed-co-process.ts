import { MIN_TIMESTAMP, present } from "../../base/index.ts";
import type { InternalTimerService, KeyedStateStore, Triggerable } from "../../state/index.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { KeyTimers, TIMER_SLICE, VOID_NAMESPACE } from "../function/key-timers.ts";
import { ownModule } from "../function/own-module.ts";
import type {
  Collector,
  KeyedCoProcessFunction,
  OnTimerContext,
  TimeDomain,
  TimerService,
} from "../function/process-function.ts";
import { SideOutputs } from "../function/side-outputs.ts";
import { NO_RECORD, userFunctionFailure } from "../function/user-function-failure.ts";
import { requireKeyed } from "../function/user-function.ts";
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

/** Collector and context of the record or timer at hand. */
class KeyedCoTurn<K, OUT> implements Collector<OUT>, OnTimerContext<K> {
  time: number = MIN_TIMESTAMP;
  domain: TimeDomain = "EVENT_TIME";
  timers: TimerService | undefined = undefined;
  private readonly keyed: KeyedStateStore;
  private readonly target: Output<OUT>;
  private readonly metrics: OperatorMetrics;
  private readonly sideOutputs: SideOutputs;

  constructor(context: OperatorContext, target: Output<OUT>) {
    this.keyed = requireKeyed(context, "A keyed co-process function");
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
    return present(this.timers, "timers exist before the first record");
  }

  timeDomain(): TimeDomain {
    return this.domain;
  }

  getCurrentKey(): K {
    return this.keyed.currentKey as K;
  }

  output<T>(tag: OutputTag<T>, value: T): void {
    this.sideOutputs.emit(tag, value, this.time);
  }
}

/**
 * Runs a {@link KeyedCoProcessFunction}: two inputs, with state and timers per key.
 *
 * @remarks
 * A watermark fires its timers in slices. What comes before the slices are through waits for them, so that nobody can tell.
 */
export class KeyedCoProcessOperator<K, IN1, IN2, OUT>
  extends FunctionOperator<KeyedCoProcessFunction<K, IN1, IN2, OUT>>
  implements TwoInputOperator<IN1, IN2>, Triggerable<null>
{
  private readonly output: Output<OUT>;
  private readonly turn: KeyedCoTurn<K, OUT>;
  private timers: InternalTimerService<null> | undefined = undefined;
  /** True while timers of `firingWatermark` are left over. */
  private isFiring = false;
  private firingWatermark: number = MIN_TIMESTAMP;

  constructor(
    userFunction: KeyedCoProcessFunction<K, IN1, IN2, OUT>,
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(userFunction, context);
    this.output = output;
    this.turn = new KeyedCoTurn<K, OUT>(context, output);
  }

  override initializeState(): void {
    this.timers = requireKeyed(this.context, "A timer").timerService(
      "user-timers",
      VOID_NAMESPACE,
      this,
    );
    this.turn.timers = new KeyTimers(this.timers);
    super.initializeState();
  }

  processElement1(value: IN1, timestamp: number): void {
    if (this.isFiring) this.finishFiring();
    this.turn.time = timestamp;
    try {
      this.function.processElement1(value, this.turn, this.turn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processElement1", value, error);
    }
  }

  processElement2(value: IN2, timestamp: number): void {
    if (this.isFiring) this.finishFiring();
    this.turn.time = timestamp;
    try {
      this.function.processElement2(value, this.turn, this.turn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processElement2", value, error);
    }
  }

  processWatermark(watermark: number): void {
    if (this.isFiring) this.finishFiring();
    this.isFiring = true;
    this.firingWatermark = watermark;
    this.continue();
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    if (this.isFiring) this.finishFiring();
    this.output.processWatermarkStatus(status);
  }

  continue(): boolean {
    if (!this.isFiring) return false;
    const timers = present(this.timers, "timers exist before the first watermark");
    if (!timers.advanceWatermarkSlice(this.firingWatermark, TIMER_SLICE)) return true;
    this.isFiring = false;
    this.output.processWatermark(this.firingWatermark);
    return false;
  }

  onEventTime(timestamp: number): void {
    this.turn.domain = "EVENT_TIME";
    this.turn.time = timestamp;
    this.callOnTimer(timestamp);
  }

  onProcessingTime(timestamp: number): void {
    this.turn.domain = "PROCESSING_TIME";
    this.turn.time = MIN_TIMESTAMP;
    this.callOnTimer(timestamp);
  }

  private callOnTimer(timestamp: number): void {
    try {
      this.function.onTimer?.(timestamp, this.turn, this.turn);
    } catch (error) {
      throw userFunctionFailure(this.context, "onTimer", NO_RECORD, error);
    }
  }

  private finishFiring(): void {
    while (this.continue());
  }
}

/**
 * `ConnectedStreams.process` with keys.
 *
 * @param makeFunction - Called once per subtask.
 */
export function keyedCoProcessOperator<K, IN1, IN2, OUT>(
  makeFunction: () => KeyedCoProcessFunction<K, IN1, IN2, OUT>,
): OperatorFactory<TwoInputOperator<IN1, IN2>, OUT> {
  return {
    kind: "Keyed-Co-Process",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { KeyedCoProcessOperator: Own } = ownModule(own, { KeyedCoProcessOperator });
      return new Own<K, IN1, IN2, OUT>(makeFunction(), parameters);
    },
  };
}
