/**
 * The streams of the DataStream API. One file, because each kind of stream makes the others: a data stream a keyed one, that a
 * windowed one, and that a data stream again.
 */

import { type Duration, durationMs, StreamError } from "../base/index.ts";
import { printSink } from "../connectors/index.ts";
import {
  outputTypeOf,
  type Partitioner,
  type PhysicalTransformation,
  type Transformation,
} from "../graph/index.ts";
import {
  type AnyBroadcastDescriptor,
  applyFunction,
  type BroadcastProcessFunction,
  broadcastProcessOperator,
  type CoProcessFunction,
  coFlatMapOperator,
  coMapOperator,
  coProcessOperator,
  type Evictor,
  type FilterFunction,
  filterOperator,
  type FlatMapFunction,
  flatMapOperator,
  type GlobalWindow,
  GlobalWindows,
  keyedAggregateOperator,
  type KeyedBroadcastProcessFunction,
  keyedBroadcastProcessOperator,
  type KeyedCoProcessFunction,
  keyedCoProcessOperator,
  type KeyedProcessFunction,
  keyedProcessOperator,
  keyedReduceOperator,
  type MapFunction,
  mapOperator,
  type Operator,
  type OperatorFactory,
  type OutputTag,
  type ProcessFunction,
  processOperator,
  type ProcessWindowFunction,
  type ReduceFunction,
  requireSynchronousFunction,
  type Sink,
  sinkOperator,
  timestampsAndWatermarksOperator,
  type Trigger,
  type WatermarkStrategy,
  type Window,
  type WindowAggregation,
  type WindowAssigner,
  type WindowFunction,
  windowOperator,
} from "../operators/index.ts";
import { sameKeyKind, Types, type TypeSerializer } from "../serde/index.ts";
import type { AggregateFunction, MapStateDescriptor } from "../state/index.ts";
import {
  maxByOf,
  maxOf,
  minByOf,
  minOf,
  type NumericField,
  type OrderedField,
  sumOf,
} from "./aggregations.ts";
import { countWindows } from "./count-windows.ts";
import { declaredFieldType, fieldSelector } from "./key-field.ts";
import { type FoldedWindowFunction, foldedWindowFunctionMaker } from "./folded-window-function.ts";
import { DataStreamSink } from "./data-stream-sink.ts";
import type { FunctionOrMaker } from "./function-objects.ts";
import type { JobBuilder } from "./job-builder.ts";
import { splitAggregation } from "./pre-aggregation.ts";
import {
  disableChaining,
  setMaxParallelism,
  setName,
  setOutputType,
  setParallelism,
  setSlotSharingGroup,
  setUid,
  setUidHash,
  startNewChain,
} from "./operator-settings.ts";

/** Makes the key of a record. Must give the same key for the same record, always. */
export type KeySelector<T, K> = (value: T) => K;

/** What an operator's results are, where the function cannot tell. */
export interface ReturnsOption<OUT> {
  /** The declared type of the results: gives their codec between tasks. Undeclared results describe themselves, which takes more bytes. */
  readonly returns?: TypeSerializer<OUT> | undefined;
}

/** What incremental aggregation needs to know beside its function. */
export interface AggregateOptions<ACC, OUT> extends ReturnsOption<OUT> {
  /** The declared type of the accumulator, which is state. Undeclared it describes itself. */
  readonly accumulator?: TypeSerializer<ACC> | undefined;
}

/**
 * Records of one type on their way. Each call that says what happens to them returns the stream of the results; the stream
 * itself never changes.
 */
export class DataStream<T> {
  /** @internal */
  readonly builder: JobBuilder;
  /** @internal */
  readonly transformation: Transformation;

  /** @internal */
  constructor(builder: JobBuilder, transformation: Transformation) {
    this.builder = builder;
    this.transformation = transformation;
  }

  /**
   * One result for each record.
   *
   * @example
   * ```ts
   * stream.map((flight) => ({ origin: flight.origin, isLate: flight.delayMinutes > 15 }));
   * ```
   */
  map<OUT>(
    map: MapFunction<T, OUT>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    return this.transform(mapOperator<T, OUT>(map), options.returns);
  }

  /**
   * Any number of results for each record: those that the function returns or collects.
   *
   * @example
   * ```ts
   * lines.flatMap((line) => line.split(" "));
   * lines.flatMap<string>((line, out) => {
   *   for (const word of line.split(" ")) out.collect(word);
   * });
   * ```
   */
  flatMap<OUT>(
    flatMap: FlatMapFunction<T, OUT>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    return this.transform(flatMapOperator<T, OUT>(flatMap), options.returns);
  }

  /** Those records for which the function returns true. */
  filter<S extends T>(filter: (value: T) => value is S): SingleOutputStreamOperator<S>;
  filter(filter: FilterFunction<T>): SingleOutputStreamOperator<T>;
  filter(filter: FilterFunction<T>): SingleOutputStreamOperator<T> {
    return this.transform(filterOperator<T>(filter), this.outputType);
  }

  /**
   * Any number of results for each record, with side outputs and operator state.
   *
   * @param processFunction - An object made here, or a function that makes one; each subtask gets one of its own.
   */
  process<OUT>(
    processFunction: FunctionOrMaker<ProcessFunction<T, OUT>>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const make = this.builder.functions.maker(processFunction, "process function");
    return this.transform(processOperator<T, OUT>(make), options.returns);
  }

  /**
   * Brings the records of one key to one subtask, where state and timers of that key live.
   *
   * @param key - Makes the key, or names the field that is the key.
   * @param keyType - Declares the type of the key, which decides its key group. A field of a declared struct has its declared type.
   * Otherwise an undeclared number counts as a double: declare `Types.int()` or `Types.long()` to share state with a Flink job
   * whose key is an int or long.
   *
   * @example
   * ```ts
   * flights.keyBy((flight) => flight.origin);
   * flights.keyBy("origin");
   * ```
   */
  keyBy<K>(key: KeySelector<T, K>, keyType?: TypeSerializer<K>): KeyedStream<T, K>;
  keyBy<F extends keyof T & string>(field: F, keyType?: TypeSerializer<T[F]>): KeyedStream<T, T[F]>;
  keyBy<K>(
    key: KeySelector<T, K> | (keyof T & string),
    keyType?: TypeSerializer<K>,
  ): KeyedStream<T, K> {
    const input = this.transformation;
    if (typeof key === "function") {
      return new KeyedStream(this.builder, { input, keySelector: key, declaredKeyType: keyType });
    }
    const fieldType = declaredFieldType(this.outputType, key) as TypeSerializer<K> | undefined;
    const keySelector: KeySelector<T, unknown> = fieldSelector(key);
    return new KeyedStream(this.builder, {
      input,
      keySelector: keySelector as KeySelector<T, K>,
      declaredKeyType: keyType ?? fieldType,
    });
  }

  /** All records of this stream and the others. No order holds among them. */
  union(...others: readonly DataStream<T>[]): DataStream<T> {
    if (others.length === 0) return new DataStream(this.builder, this.transformation);
    for (const other of others) requireSameJob(this, other, "union");
    return new DataStream(this.builder, {
      kind: "union",
      id: this.builder.nextId(),
      inputs: [this, ...others].map((stream) => stream.transformation),
    });
  }

  /** This stream and another, of whatever type, as the two inputs of one operator. */
  connect<U>(other: DataStream<U>): ConnectedStreams<T, U>;
  connect<U>(other: BroadcastStream<U>): BroadcastConnectedStream<T, U>;
  connect<U>(
    other: DataStream<U> | BroadcastStream<U>,
  ): ConnectedStreams<T, U> | BroadcastConnectedStream<T, U> {
    return other instanceof BroadcastStream
      ? new BroadcastConnectedStream<T, U>(this, other)
      : new ConnectedStreams<T, U>(this, other);
  }

  /** Spreads the records evenly over all subtasks, in turn. */
  rebalance(): DataStream<T> {
    return this.partition({ kind: "rebalance" });
  }

  /** Spreads the records evenly over a part of the subtasks: each subtask here has its own group there. */
  rescale(): DataStream<T> {
    return this.partition({ kind: "rescale" });
  }

  /** Sends each record to a subtask chosen by chance. */
  shuffle(): DataStream<T> {
    return this.partition({ kind: "shuffle" });
  }

  /**
   * Sends each record to all subtasks.
   *
   * @param states - Broadcast states that the function behind `connect(…).process(…)` keeps, the same in every subtask.
   *
   * @example
   * ```ts
   * const rules = mapState("rules", Types.string(), Rule);
   * orders
   *   .keyBy((order) => order.customer)
   *   .connect(ruleChanges.broadcast(rules))
   *   .process(new RuleCheck());
   * ```
   */
  broadcast(): DataStream<T>;
  broadcast(...states: readonly MapStateDescriptor<unknown, unknown>[]): BroadcastStream<T>;
  broadcast(
    ...states: readonly MapStateDescriptor<unknown, unknown>[]
  ): DataStream<T> | BroadcastStream<T> {
    const stream = this.partition({ kind: "broadcast" });
    return states.length === 0 ? stream : new BroadcastStream(stream, states);
  }

  /** Sends all records to the first subtask. */
  global(): DataStream<T> {
    return this.partition({ kind: "global" });
  }

  /** Sends the records of each subtask to the one of the same index. Both must have the same parallelism. */
  forward(): DataStream<T> {
    return this.partition({ kind: "forward" });
  }

  /**
   * Sends each record to the subtask that a function chooses.
   *
   * @param key - What the function chooses by.
   * @param partition - Given the key and the number of subtasks, the index of one.
   */
  partitionCustom<K>(
    key: KeySelector<T, K>,
    partition: (key: K, subtaskCount: number) => number,
  ): DataStream<T> {
    return this.partition({
      kind: "custom",
      keySelector: key as KeySelector<unknown, unknown>,
      partition: partition as (key: unknown, subtaskCount: number) => number,
    });
  }

  /**
   * Groups all records into windows, whatever their keys, in one subtask. The key that window functions get is 0.
   *
   * @param assigner - Says which windows a record belongs to.
   */
  windowAll<W extends Window>(assigner: WindowAssigner<T, W>): WindowedStream<T, 0, W> {
    const keyed = new KeyedStream<T, 0>(this.builder, {
      input: this.transformation,
      keySelector: () => 0,
      declaredKeyType: Types.int() as TypeSerializer<0>,
    });
    return new WindowedStream({ stream: keyed, assigner, isNonParallel: true });
  }

  /**
   * Groups all records by count, in one subtask. See {@link KeyedStream.countWindow}.
   *
   * @throws StreamError PARAMETER_INVALID if a number is no whole number of at least 1.
   */
  countWindowAll(size: number, slide?: number): WindowedStream<T, 0, GlobalWindow> {
    return countWindows(this.windowAll(GlobalWindows.create()), size, slide);
  }

  /** Gives records their event time, and the stream its watermarks; those from before are dropped. */
  assignTimestampsAndWatermarks(strategy: WatermarkStrategy<T>): SingleOutputStreamOperator<T> {
    return this.transform(timestampsAndWatermarksOperator<T>(strategy), this.outputType);
  }

  /** Ends the stream in a sink. */
  sinkTo<C, W>(sink: Sink<T, C, W>): DataStreamSink {
    const operator = this.builder.addOperator(sinkOperator(sink), {
      inputs: [this.transformation],
      outputType: undefined,
      name: `Sink: ${sink.name}`,
    });
    return new DataStreamSink(operator);
  }

  /**
   * Prints each record to standard output.
   *
   * @param prefix - Stands before each line, with `:` and the subtask where there are several.
   */
  print(prefix?: string): DataStreamSink {
    return this.sinkTo(printSink<T>(prefix));
  }

  /** The type of the records, where it is declared. */
  protected get outputType(): TypeSerializer<T> | undefined {
    return outputTypeOf(this.transformation) as TypeSerializer<T> | undefined;
  }

  /** Adds an operator with this stream as its one input. */
  protected transform<OUT>(
    factory: OperatorFactory<Operator, OUT>,
    outputType: TypeSerializer<OUT> | undefined,
    keyType?: TypeSerializer<unknown>,
  ): SingleOutputStreamOperator<OUT> {
    const inputs = [this.transformation];
    const operator = this.builder.addOperator(factory, { inputs, outputType, keyType });
    return new SingleOutputStreamOperator<OUT>(this.builder, operator);
  }

  /** @internal */
  protected partition(partitioner: Partitioner): DataStream<T> {
    return new DataStream<T>(this.builder, {
      kind: "partition",
      id: this.builder.nextId(),
      input: this.transformation,
      partitioner,
    });
  }
}

/** The results of an operator, and the operator itself: what is set here holds for it, not for the stream. */
export class SingleOutputStreamOperator<T> extends DataStream<T> {
  /** @internal */
  declare readonly transformation: PhysicalTransformation;

  /** @internal */
  constructor(builder: JobBuilder, transformation: PhysicalTransformation) {
    super(builder, transformation);
  }

  /**
   * Names the operator's state for good: a restored state goes to the operator of the same uid, however the job has changed around
   * it. Give one to every operator that keeps state.
   *
   * @throws StreamError PARAMETER_INVALID if it is empty.
   */
  uid(uid: string): this {
    setUid(this.transformation, uid);
    return this;
  }

  /**
   * Looks for restored state under this operator id first, for state that was written before the operator had a uid.
   *
   * @param uidHash - 32 hexadecimal digits.
   * @throws StreamError PARAMETER_INVALID if it is something else.
   */
  setUidHash(uidHash: string): this {
    setUidHash(this.transformation, uidHash);
    return this;
  }

  /** Names the operator for people: in plans, metrics, logs. */
  name(name: string): this {
    setName(this.transformation, name);
    return this;
  }

  /**
   * How many subtasks the operator has.
   *
   * @throws StreamError PARAMETER_INVALID if it is no whole number from 1 to 32768, or if the operator can only have one.
   */
  setParallelism(parallelism: number): this {
    setParallelism(this.transformation, parallelism);
    return this;
  }

  /**
   * How many key groups the operator has: the most subtasks that its state can ever be spread over. Existing state fixes it.
   *
   * @throws StreamError PARAMETER_INVALID if it is no whole number from 1 to 32768.
   */
  setMaxParallelism(maxParallelism: number): this {
    setMaxParallelism(this.transformation, maxParallelism);
    return this;
  }

  /** Operators of different groups are never in one task. Those that follow are in this group too unless they name one. */
  slotSharingGroup(group: string): this {
    setSlotSharingGroup(this.transformation, group);
    return this;
  }

  /** Gives the operator a task of its own. */
  disableChaining(): this {
    disableChaining(this.transformation);
    return this;
  }

  /** Lets a task begin with this operator. */
  startNewChain(): this {
    startNewChain(this.transformation);
    return this;
  }

  /** Declares the type of the results, which gives their codec between tasks. */
  returns(type: TypeSerializer<T>): this {
    setOutputType(this.transformation, type);
    return this;
  }

  /** What the operator sent to a side output, or dropped there as late. */
  getSideOutput<U>(tag: OutputTag<U>): DataStream<U> {
    return new DataStream<U>(this.builder, {
      kind: "side-output",
      id: this.builder.nextId(),
      input: this.transformation,
      tag,
    });
  }
}

/** The records of a source. */
export class DataStreamSource<T> extends SingleOutputStreamOperator<T> {
  override name(name: string): this {
    return super.name(`Source: ${name}`);
  }
}

interface KeyedStreamParts<T, K> {
  readonly input: Transformation;
  readonly keySelector: KeySelector<T, K>;
  readonly declaredKeyType: TypeSerializer<K> | undefined;
}

/** A stream whose records lie, per key, in one subtask, so that operators on it have state and timers per key. */
export class KeyedStream<T, K> extends DataStream<T> {
  /** @internal */
  readonly keyType: TypeSerializer<K>;
  private readonly parts: KeyedStreamParts<T, K>;

  /** @internal */
  constructor(builder: JobBuilder, parts: KeyedStreamParts<T, K>) {
    requireSynchronousFunction("keyBy", parts.keySelector);
    const keyType = parts.declaredKeyType ?? Types.any<K>();
    super(builder, {
      kind: "partition",
      id: builder.nextId(),
      input: parts.input,
      partitioner: {
        kind: "hash",
        keySelector: parts.keySelector as KeySelector<unknown, unknown>,
        keyType,
      },
    });
    this.keyType = keyType;
    this.parts = parts;
  }

  /**
   * This stream by the key type of another where its own is not declared, so that equal keys of both meet.
   *
   * @internal
   */
  withKeyTypeOf<U>(other: KeyedStream<U, K>): KeyedStream<T, K> {
    const declaredKeyType = this.parts.declaredKeyType ?? other.parts.declaredKeyType;
    return new KeyedStream(this.builder, { ...this.parts, declaredKeyType });
  }

  /**
   * Any number of results for each record, with state and timers per key.
   *
   * @param processFunction - An object made here, or a function that makes one; each subtask gets one of its own.
   *
   * @example
   * ```ts
   * class CountAlert implements KeyedProcessFunction<string, Flight, string> {
   *   private count!: ValueState<number>;
   *   open(context: RuntimeContext) {
   *     this.count = context.getState(valueState("count", Types.int()));
   *   }
   *   processElement(flight: Flight, context: KeyedProcessContext<string>, out: Collector<string>) {
   *     const count = (this.count.value() ?? 0) + 1;
   *     this.count.update(count);
   *     if (count === 100) out.collect(`${context.getCurrentKey()} has its hundredth flight`);
   *   }
   * }
   * flights.keyBy((flight) => flight.origin).process(new CountAlert()).uid("alerts");
   * ```
   */
  override process<OUT>(
    processFunction: FunctionOrMaker<KeyedProcessFunction<K, T, OUT>>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const make = this.builder.functions.maker(processFunction, "keyed process function");
    return this.transform(keyedProcessOperator<K, T, OUT>(make), options.returns, this.keyType);
  }

  /** Per key, the reduction of all records so far; emitted for each record. The records' type, where declared, is that of the state. */
  reduce(reduce: ReduceFunction<T>): SingleOutputStreamOperator<T> {
    return this.reduceAs("Keyed Reduce", reduce);
  }

  /** Per key, the aggregate of all records so far; emitted for each record. */
  aggregate<ACC, OUT>(
    aggregate: AggregateFunction<T, ACC, OUT>,
    options: AggregateOptions<ACC, OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const accumulatorType = options.accumulator ?? Types.any<ACC>();
    const factory = keyedAggregateOperator<T, ACC, OUT>(aggregate, accumulatorType);
    return this.transform(factory, options.returns, this.keyType);
  }

  /** Per key, the first record with the sum of a field over all records so far; emitted for each record. */
  sum(field: NumericField<T>): SingleOutputStreamOperator<T> {
    return this.reduceAs("Keyed Aggregation", sumOf<T>(field));
  }

  /** Per key, the first record with the smallest value of a field so far; emitted for each record. */
  min(field: OrderedField<T>): SingleOutputStreamOperator<T> {
    return this.reduceAs("Keyed Aggregation", minOf<T>(field));
  }

  /** Per key, the first record with the largest value of a field so far; emitted for each record. */
  max(field: OrderedField<T>): SingleOutputStreamOperator<T> {
    return this.reduceAs("Keyed Aggregation", maxOf<T>(field));
  }

  /** Per key, the record with the smallest value of a field so far; emitted for each record. */
  minBy(field: OrderedField<T>): SingleOutputStreamOperator<T> {
    return this.reduceAs("Keyed Aggregation", minByOf<T>(field));
  }

  /** Per key, the record with the largest value of a field so far; emitted for each record. */
  maxBy(field: OrderedField<T>): SingleOutputStreamOperator<T> {
    return this.reduceAs("Keyed Aggregation", maxByOf<T>(field));
  }

  /**
   * Groups the records of each key into windows.
   *
   * @param assigner - Says which windows a record belongs to.
   *
   * @example
   * ```ts
   * flights
   *   .keyBy((flight) => flight.origin)
   *   .window(EventTimeSessionWindows.withGap("10 min"))
   *   .aggregate(delays, (origin, window, summary) => ({ origin, start: window.start, ...summary }))
   *   .uid("bursts");
   * ```
   */
  window<W extends Window>(assigner: WindowAssigner<T, W>): WindowedStream<T, K, W> {
    return new WindowedStream({ stream: this, assigner, isNonParallel: false });
  }

  /**
   * Groups the records of each key by count.
   *
   * @param size - How many records make a window. What is left over at the end of the stream makes none.
   * @param slide - After how many records the next result comes; the first ones are of fewer than `size` records.
   * Undefined: after `size`.
   * @throws StreamError PARAMETER_INVALID if a number is no whole number of at least 1.
   */
  countWindow(size: number, slide?: number): WindowedStream<T, K, GlobalWindow> {
    return countWindows(this.window(GlobalWindows.create()), size, slide);
  }

  /** This stream and another with keys of the same type: one operator sees the state of a key from both. */
  override connect<U>(other: KeyedStream<U, K>): KeyedConnectedStreams<K, T, U>;
  override connect<U>(other: BroadcastStream<U>): KeyedBroadcastConnectedStream<K, T, U>;
  override connect<U>(other: DataStream<U>): ConnectedStreams<T, U>;
  override connect<U>(
    other: DataStream<U> | BroadcastStream<U>,
  ): ConnectedStreams<T, U> | BroadcastConnectedStream<T, U> {
    if (other instanceof BroadcastStream) {
      return new KeyedBroadcastConnectedStream<K, T, U>(this, other);
    }
    return other instanceof KeyedStream
      ? new KeyedConnectedStreams<K, T, U>(this, other as KeyedStream<U, K>)
      : new ConnectedStreams<T, U>(this, other);
  }

  private reduceAs(name: string, reduce: ReduceFunction<T>): SingleOutputStreamOperator<T> {
    const factory = keyedReduceOperator<T>(reduce, this.outputType ?? Types.any<T>());
    return this.transform(factory, this.outputType, this.keyType).name(name);
  }

  /** @throws StreamError PARAMETER_INVALID: the keys already say where each record goes. */
  protected override partition(partitioner: Partitioner): DataStream<T> {
    throw new StreamError("PARAMETER_INVALID", {
      what: "KeyedStream",
      problem: `its records lie where their keys say, so they cannot be spread by ${partitioner.kind} as well`,
    });
  }
}

interface WindowedStreamParts<T, K, W extends Window> {
  readonly stream: KeyedStream<T, K>;
  readonly assigner: WindowAssigner<T, W>;
  readonly isNonParallel: boolean;
  readonly trigger?: Trigger<T, W>;
  readonly evictor?: Evictor<T, W>;
  readonly allowedLatenessMs?: number;
  readonly lateOutput?: OutputTag<T>;
  readonly isPreAggregated?: boolean;
}

/** Records grouped by key and window, waiting to be told what becomes of each group. Never changes: each setting returns another. */
export class WindowedStream<T, K, W extends Window> {
  private readonly parts: WindowedStreamParts<T, K, W>;

  /** @internal */
  constructor(parts: WindowedStreamParts<T, K, W>) {
    this.parts = parts;
  }

  /** Says when a window fires, instead of the assigner's own trigger. */
  trigger(trigger: Trigger<T, W>): WindowedStream<T, K, W> {
    return new WindowedStream({ ...this.parts, trigger });
  }

  /** Removes records before or after a window's function. All records of a window are then kept until it ends. */
  evictor(evictor: Evictor<T, W>): WindowedStream<T, K, W> {
    return new WindowedStream({ ...this.parts, evictor });
  }

  /**
   * How long after its end a window is kept, in event time: a record that comes meanwhile makes it fire again.
   *
   * @param lateness - Text such as `"1 min"`, or milliseconds.
   * @throws StreamError PARAMETER_INVALID if it is no time of at least 0 ms.
   */
  allowedLateness(lateness: Duration): WindowedStream<T, K, W> {
    return new WindowedStream({
      ...this.parts,
      allowedLatenessMs: durationMs(lateness, "allowedLateness"),
    });
  }

  /**
   * Folds the records of each subtask by key and window before they are exchanged: far fewer go to other slots. For tumbling windows of
   * event time that fire once; the fold must not depend on how records are grouped (docs/exchange.md).
   */
  preAggregate(): WindowedStream<T, K, W> {
    return new WindowedStream({ ...this.parts, isPreAggregated: true });
  }

  /** Sends records that come too late to a side output; otherwise they are dropped and counted. */
  sideOutputLateData(tag: OutputTag<T>): WindowedStream<T, K, W> {
    return new WindowedStream({ ...this.parts, lateOutput: tag });
  }

  /**
   * Folds the records of a window into one as they come, so that only this one is kept.
   *
   * @param windowFunction - Makes the result of a window, given what it was folded into; without it that is the result.
   */
  reduce(reduce: ReduceFunction<T>): SingleOutputStreamOperator<T>;
  reduce<OUT>(
    reduce: ReduceFunction<T>,
    windowFunction: FoldedWindowFunction<T, OUT, K, W>,
    options?: ReturnsOption<OUT>,
  ): SingleOutputStreamOperator<OUT>;
  reduce<OUT>(
    reduce: ReduceFunction<T>,
    windowFunction?: FoldedWindowFunction<T, OUT, K, W>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const type = windowFunction === undefined ? this.recordType : undefined;
    return this.fold(
      { kind: "reduce", reduce },
      windowFunction,
      options.returns ?? (type as TypeSerializer<OUT> | undefined),
    );
  }

  /**
   * Folds the records of a window into an accumulator as they come, so that only this is kept.
   *
   * @param windowFunction - Makes the result of a window, given the accumulator's result; without it that is the result.
   */
  aggregate<ACC, OUT>(
    aggregate: AggregateFunction<T, ACC, OUT>,
    windowFunction?: undefined,
    options?: AggregateOptions<ACC, OUT>,
  ): SingleOutputStreamOperator<OUT>;
  aggregate<ACC, MID, OUT>(
    aggregate: AggregateFunction<T, ACC, MID>,
    windowFunction: FoldedWindowFunction<MID, OUT, K, W>,
    options?: AggregateOptions<ACC, OUT>,
  ): SingleOutputStreamOperator<OUT>;
  aggregate<ACC, MID, OUT>(
    aggregate: AggregateFunction<T, ACC, MID>,
    windowFunction?: FoldedWindowFunction<MID, OUT, K, W>,
    options: AggregateOptions<ACC, OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    return this.fold(
      { kind: "aggregate", aggregate },
      windowFunction,
      options.returns,
      options.accumulator,
    );
  }

  /**
   * Makes the results of a window from all of its records, which are kept until it fires.
   *
   * @param processFunction - An object made here, or a function that makes one; each subtask gets one of its own.
   */
  process<OUT>(
    processFunction: FunctionOrMaker<ProcessWindowFunction<T, OUT, K, W>>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const make = this.parts.stream.builder.functions.maker(
      processFunction,
      "process window function",
    );
    return this.add<unknown, T, OUT>({ kind: "list" }, make, Types.any(), options.returns);
  }

  /**
   * Makes the results of a window from all of its records, which are kept until it fires.
   *
   * @param apply - Returns the results as an iterable, or gives them to the collector.
   */
  apply<OUT>(
    apply: WindowFunction<T, OUT, K, W>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    return this.add<unknown, T, OUT>(
      { kind: "list" },
      () => applyFunction(apply),
      Types.any(),
      options.returns,
    );
  }

  private get recordType(): TypeSerializer<T> | undefined {
    return outputTypeOf(this.parts.stream.transformation) as TypeSerializer<T> | undefined;
  }

  private fold<ACC, MID, OUT>(
    aggregation: WindowAggregation<T, ACC, MID>,
    windowFunction: FoldedWindowFunction<MID, OUT, K, W> | undefined,
    outputType: TypeSerializer<OUT> | undefined,
    accumulatorType: TypeSerializer<ACC> = Types.any<ACC>(),
  ): SingleOutputStreamOperator<OUT> {
    const make = foldedWindowFunctionMaker(windowFunction, this.parts.stream.builder.functions);
    return this.add(aggregation, make, accumulatorType, outputType);
  }

  private add<ACC, MID, OUT>(
    aggregation: WindowAggregation<T, ACC, MID>,
    makeFunction: (() => ProcessWindowFunction<MID, OUT, K, W>) | undefined,
    accumulatorType: TypeSerializer<ACC>,
    outputType: TypeSerializer<OUT> | undefined,
  ): SingleOutputStreamOperator<OUT> {
    const { stream, assigner, isNonParallel, isPreAggregated = false } = this.parts;
    const { builder, transformation, keyType } = stream;
    if (isPreAggregated) {
      const { parts } = this;
      const half = splitAggregation<T, ACC, MID, K>(parts, aggregation, accumulatorType);
      const keyed = new KeyedStream(builder, half.keyed);
      const windows = new WindowedStream({
        stream: keyed,
        assigner: half.assigner<W>(),
        isNonParallel,
      });
      return windows.add(half.aggregation, makeFunction, half.accumulatorType, outputType);
    }
    const factory = windowOperator<T, ACC, MID, OUT, K, W>({
      assigner,
      trigger: this.parts.trigger,
      evictor: this.parts.evictor,
      allowedLatenessMs: this.parts.allowedLatenessMs ?? 0,
      lateOutput: this.parts.lateOutput,
      aggregation,
      makeFunction,
      recordType: this.recordType ?? Types.any<T>(),
      accumulatorType,
    });
    const inputs = [transformation];
    const operator = builder.addOperator(factory, { inputs, keyType, outputType, isNonParallel });
    return new SingleOutputStreamOperator<OUT>(builder, operator);
  }
}

/** Two streams, each one input of the operator that follows. */
export class ConnectedStreams<IN1, IN2> {
  protected readonly first: DataStream<IN1>;
  protected readonly second: DataStream<IN2>;

  /** @internal */
  constructor(first: DataStream<IN1>, second: DataStream<IN2>) {
    requireSameJob(first, second, "connect");
    this.first = first;
    this.second = second;
  }

  /** One result for each record, by a function for each input. */
  map<OUT>(
    map1: MapFunction<IN1, OUT>,
    map2: MapFunction<IN2, OUT>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    return this.transform(coMapOperator<IN1, IN2, OUT>(map1, map2), options.returns);
  }

  /** Any number of results for each record, by a function for each input. */
  flatMap<OUT>(
    flatMap1: FlatMapFunction<IN1, OUT>,
    flatMap2: FlatMapFunction<IN2, OUT>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    return this.transform(coFlatMapOperator<IN1, IN2, OUT>(flatMap1, flatMap2), options.returns);
  }

  /**
   * Any number of results for each record of either input.
   *
   * @param processFunction - An object made here, or a function that makes one; each subtask gets one of its own.
   */
  process<OUT>(
    processFunction: FunctionOrMaker<CoProcessFunction<IN1, IN2, OUT>>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const make = this.first.builder.functions.maker(processFunction, "co-process function");
    return this.transform(coProcessOperator<IN1, IN2, OUT>(make), options.returns);
  }

  /** Brings the records of one key, from both inputs, to one subtask. */
  keyBy<K>(
    key1: KeySelector<IN1, K>,
    key2: KeySelector<IN2, K>,
    keyType?: TypeSerializer<K>,
  ): KeyedConnectedStreams<K, IN1, IN2> {
    return new KeyedConnectedStreams(
      this.first.keyBy(key1, keyType),
      this.second.keyBy(key2, keyType),
    );
  }

  protected transform<OUT>(
    factory: OperatorFactory<Operator, OUT>,
    outputType: TypeSerializer<OUT> | undefined,
    keyType?: TypeSerializer<unknown>,
  ): SingleOutputStreamOperator<OUT> {
    const { builder } = this.first;
    const inputs = [this.first.transformation, this.second.transformation];
    return new SingleOutputStreamOperator<OUT>(
      builder,
      builder.addOperator(factory, { inputs, outputType, keyType }),
    );
  }
}

/** Two streams with keys of one type. */
export class KeyedConnectedStreams<K, IN1, IN2> extends ConnectedStreams<IN1, IN2> {
  private readonly keyType: TypeSerializer<K>;

  /** @internal */
  constructor(stream1: KeyedStream<IN1, K>, stream2: KeyedStream<IN2, K>) {
    const first = stream1.withKeyTypeOf(stream2);
    const second = stream2.withKeyTypeOf(stream1);
    super(first, second);
    if (!sameKeyKind(first.keyType.keyKind, second.keyType.keyKind)) {
      throw new StreamError("PARAMETER_INVALID", {
        what: "connect",
        problem: `the keys of one stream are ${first.keyType.typeName}, those of the other ${second.keyType.typeName}`,
      });
    }
    this.keyType = first.keyType;
  }

  /**
   * Any number of results for each record of either input, with state and timers per key.
   *
   * @param processFunction - An object made here, or a function that makes one; each subtask gets one of its own.
   */
  override process<OUT>(
    processFunction: FunctionOrMaker<KeyedCoProcessFunction<K, IN1, IN2, OUT>>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const make = this.first.builder.functions.maker(processFunction, "keyed co-process function");
    const factory = keyedCoProcessOperator<K, IN1, IN2, OUT>(make);
    return this.transform(factory, options.returns, this.keyType);
  }
}

/** A stream whose records go to every subtask of the operator that it is connected to, with the states that this operator keeps. */
export class BroadcastStream<T> {
  /** @internal */
  readonly stream: DataStream<T>;
  /** @internal */
  readonly states: readonly AnyBroadcastDescriptor[];

  /** @internal */
  constructor(stream: DataStream<T>, states: readonly MapStateDescriptor<unknown, unknown>[]) {
    this.stream = stream;
    this.states = states as readonly unknown[] as readonly AnyBroadcastDescriptor[];
  }
}

/** A stream whose records go to one subtask each, and one whose records go to all. */
export class BroadcastConnectedStream<IN, BC> {
  protected readonly first: DataStream<IN>;
  protected readonly second: BroadcastStream<BC>;

  /** @internal */
  constructor(first: DataStream<IN>, second: BroadcastStream<BC>) {
    requireSameJob(first, second.stream, "connect");
    this.first = first;
    this.second = second;
  }

  /**
   * Any number of results for each record of either input. Only the broadcast side may change the broadcast states.
   *
   * @param processFunction - An object made here, or a function that makes one; each subtask gets one of its own.
   */
  process<OUT>(
    processFunction: FunctionOrMaker<BroadcastProcessFunction<IN, BC, OUT>>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const { functions } = this.first.builder;
    const make = functions.maker(processFunction, "broadcast process function");
    return this.transform(broadcastProcessOperator(make, this.second.states), options.returns);
  }

  protected transform<OUT>(
    factory: OperatorFactory<Operator, OUT>,
    outputType: TypeSerializer<OUT> | undefined,
    keyType?: TypeSerializer<unknown>,
  ): SingleOutputStreamOperator<OUT> {
    const { builder } = this.first;
    const inputs = [this.first.transformation, this.second.stream.transformation];
    const operator = builder.addOperator(factory, { inputs, outputType, keyType });
    return new SingleOutputStreamOperator<OUT>(builder, operator);
  }
}

/** A stream with keys, and one whose records go to all subtasks. */
export class KeyedBroadcastConnectedStream<K, IN, BC> extends BroadcastConnectedStream<IN, BC> {
  private readonly keyType: TypeSerializer<K>;

  /** @internal */
  constructor(first: KeyedStream<IN, K>, second: BroadcastStream<BC>) {
    super(first, second);
    this.keyType = first.keyType;
  }

  /**
   * Any number of results for each record of either input, with state and timers per key on the keyed side. Only the broadcast
   * side may change the broadcast states; it reaches keyed state by walking over all keys.
   *
   * @param processFunction - An object made here, or a function that makes one; each subtask gets one of its own.
   */
  override process<OUT>(
    processFunction: FunctionOrMaker<KeyedBroadcastProcessFunction<K, IN, BC, OUT>>,
    options: ReturnsOption<OUT> = {},
  ): SingleOutputStreamOperator<OUT> {
    const { functions } = this.first.builder;
    const make = functions.maker(processFunction, "keyed broadcast process function");
    const factory = keyedBroadcastProcessOperator(make, this.second.states);
    return this.transform(factory, options.returns, this.keyType);
  }
}

function requireSameJob(
  first: { readonly builder: JobBuilder },
  second: { readonly builder: JobBuilder },
  what: string,
): void {
  if (first.builder === second.builder) return;
  throw new StreamError("PARAMETER_INVALID", {
    what,
    problem: "the streams belong to different jobs",
  });
}
