import type { FileSystem, Logger, Platform } from "../base/index.ts";
import type { KeyedStateStore, OperatorStateStore, ProcessingTimeService } from "../state/index.ts";
import type { MetricGroup } from "./metrics/metric-group.ts";
import type { OutputTag } from "./output-tag.ts";

/**
 * The operator contract: what runs inside a task, in every execution (simulated, embedded, behind a process border).
 *
 * Rules that hold for every operator:
 *
 * - O1. An operator knows nothing of threads, channels or the graph; it sees its context and its output.
 * - O2. Every call is synchronous and comes in the task's turn; nothing is emitted outside a call, a timer, or a mailbox action.
 * - O3. What is emitted during a call belongs to the element of that call.
 * - O4. Between two calls nothing remains in an operator but state (keyed, operator), what its `snapshotState` puts there, and what it sends
 *   out before each snapshot (`prepareSnapshotPreBarrier`) and when it is asked to (`releaseHeld`).
 * - O5. Values are never changed in place behind the state.
 * - O6. No result depends on an order that lives only in memory.
 */

/** IDLE: no records are expected for now, so this input does not hold back the watermark. */
export type WatermarkStatus = "ACTIVE" | "IDLE";

/**
 * Something that takes stream elements: an operator, or the end of a chain. An operator's output *is* the next operator's
 * input, so that a chain is direct calls.
 */
export interface Input<IN> {
  /** @param timestamp - Event time in ms, or `MIN_TIMESTAMP` if the record has none. */
  processElement(value: IN, timestamp: number): void;
  /** Event time has reached `watermark`; ascending. An operator fires what is due, then forwards it. */
  processWatermark(watermark: number): void;
  processWatermarkStatus(status: WatermarkStatus): void;
}

/** Where an operator sends what it emits. */
export type Output<OUT> = Input<OUT>;

/** Metrics of one operator, under Flink's names, and those of the user's functions. */
export interface OperatorMetrics extends MetricGroup {
  /** Has the operator's own count of what it emits, or one of several, added to {@link numRecordsOut}. A field of its own costs least. */
  countsOut(emitted: () => number): void;
  /** Says, once, that each record leads to one: what went out is then what came in, and is not counted again. */
  emitsOneForEach(): void;
  /** Counted by whoever hands records over: a chain needs no counter on each side of a call. */
  readonly numRecordsIn: number;
  /** Counted up for each record that the operator emits, unless it emits one for each. */
  numRecordsOut: number;
  numLateRecordsDropped: number;
}

/** What an operator can reach. Everything that is not a function of its inputs comes through here. */
export interface OperatorContext {
  readonly jobName: string;
  /** Flink's job id, 32 hex digits. */
  readonly jobId: string;
  /** The operator's name as people read it. */
  readonly operatorName: string;
  /** Flink's operator id, 32 hex digits. */
  readonly operatorId: string;
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly maxParallelism: number;
  readonly attempt: number;
  readonly log: Logger;
  readonly metrics: OperatorMetrics;
  readonly processingTime: ProcessingTimeService;
  readonly platform: Platform;
  readonly files: FileSystem;
  /** Keyed state; undefined where no input is keyed. */
  readonly keyed: KeyedStateStore | undefined;
  readonly operatorState: OperatorStateStore;
  /** True if this attempt started from a checkpoint or savepoint. */
  readonly isRestored: boolean;
  /** The checkpoint or savepoint from which this attempt started. */
  readonly restoredCheckpointId: number | undefined;
  /** True if the job takes checkpoints: what is to be published then waits for them. */
  readonly isCheckpointed: boolean;
  /** Milliseconds between periodic watermarks (`pipeline.auto-watermark-interval`); 0 is never. */
  readonly autoWatermarkIntervalMs: number;
  /** Where the records of a side output go. Records to a tag that nobody reads are dropped. */
  sideOutput<T>(tag: OutputTag<T>): Output<T>;
  /**
   * Runs the action in the task's turn, soon. The only way back from something asynchronous.
   * Actions of one operator run in the order in which they were given.
   */
  execute(action: () => void): void;
  /** Fails the task, from anywhere. */
  fail(error: unknown): void;
}

/**
 * One operator of one subtask.
 *
 * @remarks
 * Life: constructor; `initializeState` and `open` (head of the chain last); elements; for each checkpoint
 * `prepareSnapshotPreBarrier` (head first), then `snapshotState` (tail first); `finish` at the end of data (head first; may
 * emit); `close` always, also after a failure. All but `processElement`… are optional.
 */
export interface Operator {
  /** Declares state and reads what was restored. Before `open`. */
  initializeState?(): void;
  /** May be asynchronous: the task takes no element before it is done. */
  open?(): void | Promise<void>;
  /** Before the barrier goes out: may emit, must be quick. */
  prepareSnapshotPreBarrier?(checkpointId: number): void;
  /** Sends out what it holds beside its state. Asked before changes of state are told to whoever goes on from them without a snapshot. */
  releaseHeld?(): void;
  /**
   * The synchronous part of the snapshot: puts what must survive into its state. Keyed and operator state are taken by the
   * task afterwards.
   *
   * @returns Work that must be durable before the checkpoint is acknowledged (a sink's flush), or nothing.
   */
  snapshotState?(checkpointId: number): Promise<void> | void;
  /** The checkpoint is complete everywhere: now side effects may be published. */
  notifyCheckpointComplete?(checkpointId: number): Promise<void> | void;
  notifyCheckpointAborted?(checkpointId: number): void;
  /** No further element comes. May emit. */
  finish?(): void;
  close?(): Promise<void> | void;
  /**
   * False while the operator can take no element (a sink whose writes are behind, a full queue of requests). Asked by the task before
   * each batch; the operator calls `context.execute` when it can again.
   */
  isAvailable?(): boolean;
  /**
   * Work left over from the last call (a watermark that fires many timers does so in slices). While this returns true the
   * task calls it again, when the output has room, and takes no further element.
   */
  continue?(): boolean;
}

export interface OneInputOperator<IN> extends Operator, Input<IN> {}

/** An operator with two logical inputs, whose watermarks are combined by the task before they reach it. */
export interface TwoInputOperator<IN1, IN2> extends Operator {
  processElement1(value: IN1, timestamp: number): void;
  processElement2(value: IN2, timestamp: number): void;
  /** Minimum over both inputs. */
  processWatermark(watermark: number): void;
  processWatermarkStatus(status: WatermarkStatus): void;
}

/** What a factory gets to make one operator. */
export interface OperatorParameters<OUT> {
  readonly context: OperatorContext;
  readonly output: Output<OUT>;
}

/**
 * Makes the operators of one node of the graph.
 *
 * @remarks
 * `moduleUrl` is the `import.meta.url` of the file that holds the class. The runtime imports that file once per operator of a job
 * (`importModuleInstance`) and hands the instance to `create`, so that each operator keeps its own type feedback; without one
 * (`undefined`) the shared class is used.
 */
export interface OperatorFactory<O extends Operator = Operator, OUT = unknown> {
  /** The kind as it appears in generated names: `Map`, `Filter`, `Window(…)`. */
  readonly kind: string;
  readonly moduleUrl: string;
  create(own: unknown, parameters: OperatorParameters<OUT>): O;
}
