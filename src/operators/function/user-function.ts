import { type Logger, StreamError } from "../../base/index.ts";
import type {
  AggregatingState,
  AggregatingStateDescriptor,
  KeyedStateStore,
  ListState,
  ListStateDescriptor,
  MapState,
  MapStateDescriptor,
  OperatorStateStore,
  ReducingState,
  ReducingStateDescriptor,
  ValueState,
  ValueStateDescriptor,
} from "../../state/index.ts";
import type { OperatorContext, OperatorMetrics } from "../operator.ts";

/** Gives a user function its keyed state. Every call on the state concerns the key of the current record. */
export interface KeyedStateAccess {
  getState<T>(descriptor: ValueStateDescriptor<T>): ValueState<T>;
  getListState<T>(descriptor: ListStateDescriptor<T>): ListState<T>;
  getMapState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V>;
  getReducingState<T>(descriptor: ReducingStateDescriptor<T>): ReducingState<T>;
  getAggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT>;
}

/** What a user function can learn about where it runs, and its state. */
export interface RuntimeContext extends KeyedStateAccess {
  readonly jobName: string;
  readonly operatorName: string;
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly maxParallelism: number;
  /** 0 at the first start; one more after each restart. */
  readonly attempt: number;
  /** The operator's metrics; those of the function go in here, too. Flink calls it the metric group. */
  readonly metrics: OperatorMetrics;
  readonly log: Logger;
}

/** What `initializeState` gets. */
export interface FunctionInitializationContext {
  /** True if this attempt started from a checkpoint or savepoint. */
  readonly isRestored: boolean;
  readonly operatorState: OperatorStateStore;
  readonly keyedState: KeyedStateAccess;
}

/** What `snapshotState` gets. */
export interface FunctionSnapshotContext {
  readonly checkpointId: number;
}

/**
 * The life of a user function that is an object. All methods are optional; each subtask has an object of its own.
 *
 * @remarks
 * Order: `initializeState`, `open`, records and timers with `snapshotState` between them, `close` (also after a failure).
 */
export interface UserFunction {
  /** Declares operator state and reads what was restored. */
  initializeState?(context: FunctionInitializationContext): void;
  /** Prepares the function: gets keyed state, opens connections. No record comes before it is done. */
  open?(context: RuntimeContext): void | Promise<void>;
  /** Before each snapshot: puts into operator state what lives in fields. Must be quick. */
  snapshotState?(context: FunctionSnapshotContext): void;
  /** The checkpoint is complete everywhere. */
  notifyCheckpointComplete?(checkpointId: number): void | Promise<void>;
  notifyCheckpointAborted?(checkpointId: number): void;
  close?(): void | Promise<void>;
}

/** Keyed state for user functions. @throws StreamError KEYED_STREAM_REQUIRED where there is no key. */
export function keyedStateAccess(context: OperatorContext): KeyedStateAccess {
  const keyed = (name: string): KeyedStateStore => requireKeyed(context, `State "${name}"`);
  return {
    getState: (descriptor) => keyed(descriptor.name).valueState(descriptor),
    getListState: (descriptor) => keyed(descriptor.name).listState(descriptor),
    getMapState: (descriptor) => keyed(descriptor.name).mapState(descriptor),
    getReducingState: (descriptor) => keyed(descriptor.name).reducingState(descriptor),
    getAggregatingState: (descriptor) => keyed(descriptor.name).aggregatingState(descriptor),
  };
}

/**
 * The keyed state of an operator.
 *
 * @throws StreamError KEYED_STREAM_REQUIRED if its input is not keyed.
 */
export function requireKeyed(context: OperatorContext, what: string): KeyedStateStore {
  if (context.keyed !== undefined) return context.keyed;
  throw new StreamError("KEYED_STREAM_REQUIRED", { operator: context.operatorName, what });
}

/** The context that `open` gets. */
export function runtimeContext(
  context: OperatorContext,
  keyedState: KeyedStateAccess,
): RuntimeContext {
  return {
    ...keyedState,
    jobName: context.jobName,
    operatorName: context.operatorName,
    subtaskIndex: context.subtaskIndex,
    parallelism: context.parallelism,
    maxParallelism: context.maxParallelism,
    attempt: context.attempt,
    metrics: context.metrics,
    log: context.log,
  };
}
