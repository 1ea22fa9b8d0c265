import { MIN_TIMESTAMP, present, StreamError } from "../../base/index.ts";
import type {
  BroadcastState,
  InternalTimerService,
  KeyedStateStore,
  MapStateDescriptor,
  StateDescriptor,
  Triggerable,
} from "../../state/index.ts";
import type {
  KeyedBroadcastContext,
  KeyedBroadcastOnTimerContext,
  KeyedBroadcastProcessFunction,
  ReadOnlyBroadcastState,
  StateOf,
} from "../function/broadcast-function.ts";
import { type AnyBroadcastDescriptor, BroadcastStates } from "../function/broadcast-states.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { guardedStateAccess } from "../function/guarded-state-access.ts";
import { KeyTimers, TIMER_SLICE, VOID_NAMESPACE } from "../function/key-timers.ts";
import { ownModule } from "../function/own-module.ts";
import type { Collector, TimeDomain, TimerService } from "../function/process-function.ts";
import { SideOutputs } from "../function/side-outputs.ts";
import {
  type KeyedStateAccess,
  keyedStateAccess,
  requireKeyed,
} from "../function/user-function.ts";
import { NO_RECORD, userFunctionFailure } from "../function/user-function-failure.ts";
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

/** State and timers, once they are declared. */
interface Surroundings {
  readonly states: BroadcastStates;
  readonly timers: InternalTimerService<null>;
  readonly keyTimers: TimerService;
}

/** Collector and clocks of the record or timer at hand, on either side. */
class Turn<OUT> implements Collector<OUT> {
  time: number = MIN_TIMESTAMP;
  surroundings: Surroundings | undefined = undefined;
  protected readonly context: OperatorContext;
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
    return this.ready().timers.currentProcessingTime();
  }

  currentWatermark(): number {
    return this.ready().timers.currentWatermark;
  }

  output<T>(tag: OutputTag<T>, value: T): void {
    this.sideOutputs.emit(tag, value, this.time);
  }

  protected ready(): Surroundings {
    return present(this.surroundings, "state is declared before the first record");
  }
}

class KeyedSideTurn<K, OUT> extends Turn<OUT> implements KeyedBroadcastOnTimerContext<K> {
  domain: TimeDomain = "EVENT_TIME";

  getBroadcastState<BK, V>(descriptor: MapStateDescriptor<BK, V>): ReadOnlyBroadcastState<BK, V> {
    return this.ready().states.getReadOnly(descriptor);
  }

  timerService(): TimerService {
    return this.ready().keyTimers;
  }

  timeDomain(): TimeDomain {
    return this.domain;
  }

  getCurrentKey(): K {
    return requireKeyed(this.context, "The key").currentKey as K;
  }
}

class BroadcastSideTurn<K, OUT> extends Turn<OUT> implements KeyedBroadcastContext<K> {
  getBroadcastState<BK, V>(descriptor: MapStateDescriptor<BK, V>): BroadcastState<BK, V> {
    return this.ready().states.get(descriptor);
  }

  applyToKeyedState<D extends StateDescriptor>(
    descriptor: D,
    apply: (key: K, state: StateOf<D>) => void,
  ): void {
    const store = requireKeyed(this.context, `State "${descriptor.name}"`);
    const state = declare(store, descriptor) as StateOf<D>;
    store.applyToAllKeys(descriptor, (key) => apply(key as K, state));
  }
}

function declare(store: KeyedStateStore, descriptor: StateDescriptor): unknown {
  switch (descriptor.kind) {
    case "value":
      return store.valueState(descriptor);
    case "list":
      return store.listState(descriptor);
    case "map":
      return store.mapState(descriptor);
    case "reducing":
      return store.reducingState(descriptor);
    case "aggregating":
      return store.aggregatingState(descriptor);
  }
}

/**
 * Runs a {@link KeyedBroadcastProcessFunction}. The first input is keyed, the second broadcast.
 *
 * @remarks
 * While a broadcast record is processed there is no key: any use of keyed state is refused then.
 */
export class KeyedBroadcastProcessOperator<K, IN, BC, OUT>
  extends FunctionOperator<KeyedBroadcastProcessFunction<K, IN, BC, OUT>>
  implements TwoInputOperator<IN, BC>, Triggerable<null>
{
  private readonly descriptors: readonly AnyBroadcastDescriptor[];
  private readonly output: Output<OUT>;
  private readonly turn: KeyedSideTurn<K, OUT>;
  private readonly broadcastTurn: BroadcastSideTurn<K, OUT>;
  private hasKey = true;
  private timers: InternalTimerService<null> | undefined = undefined;
  private isFiring = false;
  private firingWatermark: number = MIN_TIMESTAMP;

  constructor(
    userFunction: KeyedBroadcastProcessFunction<K, IN, BC, OUT>,
    descriptors: readonly AnyBroadcastDescriptor[],
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(userFunction, context);
    this.descriptors = descriptors;
    this.output = output;
    this.turn = new KeyedSideTurn<K, OUT>(context, output);
    this.broadcastTurn = new BroadcastSideTurn<K, OUT>(context, output);
  }

  override initializeState(): void {
    const store = requireKeyed(this.context, "A keyed broadcast process function");
    this.timers = store.timerService("user-timers", VOID_NAMESPACE, this);
    const surroundings: Surroundings = {
      states: new BroadcastStates(this.context, this.descriptors),
      timers: this.timers,
      keyTimers: new KeyTimers(this.timers),
    };
    this.turn.surroundings = surroundings;
    this.broadcastTurn.surroundings = surroundings;
    super.initializeState();
  }

  processElement1(value: IN, timestamp: number): void {
    if (this.isFiring) this.finishFiring();
    this.turn.time = timestamp;
    try {
      this.function.processElement(value, this.turn, this.turn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processElement", value, error);
    }
  }

  processElement2(value: BC, timestamp: number): void {
    if (this.isFiring) this.finishFiring();
    this.broadcastTurn.time = timestamp;
    this.hasKey = false;
    try {
      this.function.processBroadcastElement(value, this.broadcastTurn, this.broadcastTurn);
    } catch (error) {
      throw userFunctionFailure(this.context, "processBroadcastElement", value, error);
    } finally {
      this.hasKey = true;
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

  protected override keyedStateAccess(): KeyedStateAccess {
    return guardedStateAccess(keyedStateAccess(this.context), (state) => {
      if (this.hasKey) return;
      throw new StreamError("KEYED_STREAM_REQUIRED", {
        operator: this.context.operatorName,
        what: `State "${state}" on the broadcast side`,
      });
    });
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
 * `KeyedStream.connect(broadcast).process`.
 *
 * @param makeFunction - Called once per subtask.
 * @param descriptors - The broadcast states.
 */
export function keyedBroadcastProcessOperator<K, IN, BC, OUT>(
  makeFunction: () => KeyedBroadcastProcessFunction<K, IN, BC, OUT>,
  descriptors: readonly AnyBroadcastDescriptor[],
): OperatorFactory<TwoInputOperator<IN, BC>, OUT> {
  return {
    kind: "Co-Process-Broadcast-Keyed",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { KeyedBroadcastProcessOperator: Own } = ownModule(own, {
        KeyedBroadcastProcessOperator,
      });
      return new Own<K, IN, BC, OUT>(makeFunction(), descriptors, parameters);
    },
  };
}
