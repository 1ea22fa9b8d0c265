import type {
  AggregatingState,
  AggregatingStateDescriptor,
  ListState,
  ListStateDescriptor,
  MapState,
  MapStateDescriptor,
  ReducingState,
  ReducingStateDescriptor,
  ValueState,
  ValueStateDescriptor,
} from "../../../state/index.ts";

/** What a window does now: emit, forget its contents, both or neither. */
export type TriggerResult = "CONTINUE" | "FIRE" | "PURGE" | "FIRE_AND_PURGE";

/** True for `FIRE` and `FIRE_AND_PURGE`. */
export function isFire(result: TriggerResult): boolean {
  return result === "FIRE" || result === "FIRE_AND_PURGE";
}

/** What to throw when a trigger of the user's has returned something else, such as nothing or a promise. */
export function noTriggerResult(triggerName: string, result: unknown): TypeError {
  return new TypeError(
    `the trigger ${triggerName} returned ${String(result)}, not CONTINUE, FIRE, PURGE or FIRE_AND_PURGE`,
  );
}

/** True for `PURGE` and `FIRE_AND_PURGE`. */
export function isPurge(result: TriggerResult): boolean {
  return result === "PURGE" || result === "FIRE_AND_PURGE";
}

/**
 * Decides when windows fire. One object serves all keys and windows of an operator: what it must remember of one lies in state
 * that it gets from its context.
 *
 * @remarks
 * A trigger without `onMerge` cannot be used with windows that merge.
 */
export interface Trigger<in T, in W> {
  /** As it appears in names: `EventTimeTrigger()`. */
  readonly name: string;
  /** Called for each record, after it was added to the window. */
  onElement(element: T, timestamp: number, window: W, context: TriggerContext): TriggerResult;
  /** A timer of event time that this trigger registered, or the window's end of life. */
  onEventTime(time: number, window: W, context: TriggerContext): TriggerResult;
  onProcessingTime(time: number, window: W, context: TriggerContext): TriggerResult;
  /** Windows have become this one. Timers of the old ones are gone; state is merged by the context on demand. */
  readonly onMerge?: ((window: W, context: OnMergeContext) => void) | undefined;
  /** The window is given up: deletes timers and state of the trigger. */
  clear(window: W, context: TriggerContext): void;
}

/** Time, timers and state of one key and window. */
export interface TriggerContext {
  getCurrentProcessingTime(): number;
  getCurrentWatermark(): number;
  registerEventTimeTimer(timestamp: number): void;
  registerProcessingTimeTimer(timestamp: number): void;
  deleteEventTimeTimer(timestamp: number): void;
  deleteProcessingTimeTimer(timestamp: number): void;
  getState<T>(descriptor: ValueStateDescriptor<T>): ValueState<T>;
  getListState<T>(descriptor: ListStateDescriptor<T>): ListState<T>;
  getMapState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V>;
  getReducingState<T>(descriptor: ReducingStateDescriptor<T>): ReducingState<T>;
  getAggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT>;
}

export interface OnMergeContext extends TriggerContext {
  /** Merges the state of the windows that became this one. Value and map state cannot be merged. */
  mergePartitionedState<T, IN, ACC, OUT>(
    descriptor:
      | ListStateDescriptor<T>
      | ReducingStateDescriptor<T>
      | AggregatingStateDescriptor<IN, ACC, OUT>,
  ): void;
}
