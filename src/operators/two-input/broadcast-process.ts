import { MIN_TIMESTAMP, present } from "../../base/index.ts";
import type { BroadcastState, MapStateDescriptor } from "../../state/index.ts";
import type {
  BroadcastContext,
  BroadcastProcessFunction,
  ReadOnlyBroadcastState,
  ReadOnlyContext,
} from "../function/broadcast-function.ts";
import { type AnyBroadcastDescriptor, BroadcastStates } from "../function/broadcast-states.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { ownModule } from "../function/own-module.ts";
import type { Collector } from "../function/process-function.ts";
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

/** Collector and clocks of the record at hand, on either side. */
class BroadcastTurn<OUT> implements Collector<OUT> {
  time: number = MIN_TIMESTAMP;
  watermark: number = MIN_TIMESTAMP;
  states: BroadcastStates | undefined = undefined;
  private readonly context: OperatorContext;
  private readonly target: Output<OUT>;
  private readonly metrics: OperatorMetrics;
  private readonly sideOutputs: SideOutputs;

  constructor(context: OperatorContext, target: Output<OUT>) {
    this.context = context;
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

  currentProcessingTime(): number {
    return this.context.processingTime.nowMs();
  }

  currentWatermark(): number {
    return this.watermark;
  }

  output<T>(tag: OutputTag<T>, value: T): void {
    this.sideOutputs.emit(tag, value, this.time);
  }

  protected ready(): BroadcastStates {
    return present(this.states, "states are declared before the first record");
  }
}

class RecordTurn<OUT> extends BroadcastTurn<OUT> implements ReadOnlyContext {
  getBroadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): ReadOnlyBroadcastState<K, V> {
    return this.ready().getReadOnly(descriptor);
  }
}

class BroadcastRecordTurn<OUT> extends BroadcastTurn<OUT> implements BroadcastContext {
  getBroadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): BroadcastState<K, V> {
    return this.ready().get(descriptor);
  }
}

/** Runs a {@link BroadcastProcessFunction}. The second input is the broadcast one. */
export class BroadcastProcessOperator<IN, BC, OUT>
  extends FunctionOperator<BroadcastProcessFunction<IN, BC, OUT>>
  implements TwoInputOperator<IN, BC>
{
  private readonly descriptors: readonly AnyBroadcastDescriptor[];
  private readonly output: Output<OUT>;
  private readonly turn: RecordTurn<OUT>;
  private readonly broadcastTurn: BroadcastRecordTurn<OUT>;

  constructor(
    userFunction: BroadcastProcessFunction<IN, BC, OUT>,
    descriptors: readonly AnyBroadcastDescriptor[],
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(userFunction, context);
    this.descriptors = descriptors;
    this.output = output;
    this.turn = new RecordTurn<OUT>(context, output);
    this.broadcastTurn = new BroadcastRecordTurn<OUT>(context, output);
  }

  override initializeState(): void {
    const states = new BroadcastStates(this.context, this.descriptors);
    this.turn.states = states;
    this.broadcastTurn.states = states;
    super.initializeState();
  }

  processElement1(value: IN, timestamp: number): void {
    this.turn.time = timestamp;
    try {
      this.function.processElement(value, this.turn, this.turn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processElement", value, error);
    }
  }

  processElement2(value: BC, timestamp: number): void {
    this.broadcastTurn.time = timestamp;
    try {
      this.function.processBroadcastElement(value, this.broadcastTurn, this.broadcastTurn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processBroadcastElement", value, error);
    }
  }

  processWatermark(watermark: number): void {
    this.turn.watermark = watermark;
    this.broadcastTurn.watermark = watermark;
    this.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.output.processWatermarkStatus(status);
  }
}

/**
 * `DataStream.connect(broadcast).process`.
 *
 * @param makeFunction - Called once per subtask.
 * @param descriptors - The broadcast states.
 */
export function broadcastProcessOperator<IN, BC, OUT>(
  makeFunction: () => BroadcastProcessFunction<IN, BC, OUT>,
  descriptors: readonly AnyBroadcastDescriptor[],
): OperatorFactory<TwoInputOperator<IN, BC>, OUT> {
  return {
    kind: "Co-Process-Broadcast",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { BroadcastProcessOperator: Own } = ownModule(own, { BroadcastProcessOperator });
      return new Own<IN, BC, OUT>(makeFunction(), descriptors, parameters);
    },
  };
}
