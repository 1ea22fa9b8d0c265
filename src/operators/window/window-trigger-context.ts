import { assert, present } from "../../base/index.ts";
import type {
  AggregatingState,
  AggregatingStateDescriptor,
  InternalTimerService,
  KeyedStateStore,
  ListState,
  ListStateDescriptor,
  MapState,
  MapStateDescriptor,
  NamespaceOptions,
  ReducingState,
  ReducingStateDescriptor,
  ValueState,
  ValueStateDescriptor,
} from "../../state/index.ts";
import { isTimestamp, noTimestamp } from "../function/timestamp-check.ts";
import type { OnMergeContext } from "./trigger/trigger.ts";
import { WindowStateAccess } from "./window-state-access.ts";

/** What a window operator's trigger can reach: time, timers and state of the current key and of `window`. */
export class WindowTriggerContext<W> implements OnMergeContext {
  /** Set by the operator before each call of the trigger. */
  window: W | undefined = undefined;
  /** Only during `onMerge`: the windows that became `window`. */
  mergedWindows: readonly W[] | undefined = undefined;
  private readonly timers: InternalTimerService<W>;
  private readonly states: WindowStateAccess<W>;

  constructor(
    timers: InternalTimerService<W>,
    store: KeyedStateStore,
    namespace: NamespaceOptions<W>,
  ) {
    this.timers = timers;
    this.states = new WindowStateAccess<W>(store, namespace, () => this.currentWindow());
  }

  getCurrentProcessingTime(): number {
    return this.timers.currentProcessingTime();
  }

  getCurrentWatermark(): number {
    return this.timers.currentWatermark;
  }

  registerEventTimeTimer(timestamp: number): void {
    if (!isTimestamp(timestamp)) throw noTimestamp(timestamp);
    this.timers.registerEventTimeTimer(this.currentWindow(), timestamp);
  }

  registerProcessingTimeTimer(timestamp: number): void {
    if (!isTimestamp(timestamp)) throw noTimestamp(timestamp);
    this.timers.registerProcessingTimeTimer(this.currentWindow(), timestamp);
  }

  deleteEventTimeTimer(timestamp: number): void {
    this.timers.deleteEventTimeTimer(this.currentWindow(), timestamp);
  }

  deleteProcessingTimeTimer(timestamp: number): void {
    this.timers.deleteProcessingTimeTimer(this.currentWindow(), timestamp);
  }

  getState<T>(descriptor: ValueStateDescriptor<T>): ValueState<T> {
    return this.states.getState(descriptor);
  }

  getListState<T>(descriptor: ListStateDescriptor<T>): ListState<T> {
    return this.states.getListState(descriptor);
  }

  getMapState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V> {
    return this.states.getMapState(descriptor);
  }

  getReducingState<T>(descriptor: ReducingStateDescriptor<T>): ReducingState<T> {
    return this.states.getReducingState(descriptor);
  }

  getAggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT> {
    return this.states.getAggregatingState(descriptor);
  }

  mergePartitionedState<T, IN, ACC, OUT>(
    descriptor:
      | ListStateDescriptor<T>
      | ReducingStateDescriptor<T>
      | AggregatingStateDescriptor<IN, ACC, OUT>,
  ): void {
    assert(this.mergedWindows !== undefined, "state is merged only in onMerge");
    this.states.merge(descriptor, this.mergedWindows);
  }

  private currentWindow(): W {
    return present(this.window, "the trigger is called for a window");
  }
}
