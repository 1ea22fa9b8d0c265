import { MAX_TIMESTAMP, MIN_TIMESTAMP, present, StreamError } from "../base/index.ts";
import type { OperatorListState } from "../state/index.ts";
import { ownModule } from "./function/own-module.ts";
import { SideOutputs } from "./function/side-outputs.ts";
import { isTimestamp, noTimestamp } from "./function/timestamp-check.ts";
import { NO_RECORD, userFunctionFailure } from "./function/user-function-failure.ts";
import type {
  Operator,
  OperatorContext,
  OperatorFactory,
  OperatorParameters,
  Output,
} from "./operator.ts";
import type { OutputTag } from "./output-tag.ts";
import type { SourceSetup } from "./source-setup.ts";
import type {
  ReaderOutput,
  ReaderStatus,
  SourceReader,
  SourceReaderContext,
  SourceSplit,
} from "./source.ts";
import { RepeatingTimers } from "./watermark/repeating-timers.ts";
import { RestoredWatermarks } from "./watermark/restored-watermarks.ts";
import { pauseOrResumeSplits, SourceAlignment } from "./watermark/source-alignment.ts";
import { WatermarkEmitter } from "./watermark/watermark-emitter.ts";
import { Vacancy } from "./watermark/vacancy.ts";
import type { WatermarkGenerator, WatermarkOutput } from "./watermark/watermark-generator.ts";
import { WatermarkMultiplexer } from "./watermark/watermark-multiplexer.ts";
import { type TimestampAssigner, WatermarkStrategy } from "./watermark/watermark-strategy.ts";

/** Name of the state that holds the splits and their positions, as in Flink. */
const SPLITS = "SourceReaderState";
const WATERMARKS = "cutwater.source-watermarks";

/** What a record has before it gets a timestamp. A constant of this file: V8 knows that it is a number, and boxes no timestamp for it. */
const NO_TIMESTAMP: number = MIN_TIMESTAMP;

/** The part of the watermark of records that a reader does not say the split of. */
const NO_SPLIT = "";

/** What all outputs of one reader share. */
interface ReaderSurroundings<T> {
  readonly context: OperatorContext;
  readonly target: Output<T>;
  readonly strategy: WatermarkStrategy<T>;
  readonly multiplexer: WatermarkMultiplexer;
  readonly sideOutputs: SideOutputs;
  readonly outputs: Map<string, SplitOutput<T>>;
  /** Splits whose watermark was restored, and whose output the reader has not asked for yet. */
  readonly unasked: Set<string>;
  readonly alignment: SourceAlignment | undefined;
}

/** The output of one split: gives its records timestamps and makes its watermark. */
class SplitOutput<T> implements ReaderOutput<T> {
  private readonly surroundings: ReaderSurroundings<T>;
  private readonly target: Output<T>;
  private emittedCount = 0;
  private readonly assigner: TimestampAssigner<T> | undefined;
  /** Undefined if it would never do anything. */
  private readonly generator: WatermarkGenerator<T> | undefined;
  private readonly immediate: WatermarkOutput;
  private readonly deferred: WatermarkOutput;

  constructor(splitId: string, surroundings: ReaderSurroundings<T>) {
    const { context, target, strategy, multiplexer } = surroundings;
    this.surroundings = surroundings;
    this.target = target;
    context.metrics.countsOut(() => this.emittedCount);
    this.assigner = strategy.timestampAssigner;
    const clock = surroundings.alignment?.clockOf(splitId) ?? context.processingTime;
    const generator = strategy.createGenerator(clock);
    this.generator = "emitsNothing" in generator ? undefined : generator;
    multiplexer.register(splitId);
    this.immediate = multiplexer.immediateOutput(splitId);
    this.deferred = multiplexer.deferredOutput(splitId);
  }

  collect(record: T): void {
    this.collectWithTimestamp(record, NO_TIMESTAMP);
  }

  collectWithTimestamp(record: T, timestamp: number): void {
    let assigned = timestamp;
    if (this.assigner !== undefined) {
      try {
        assigned = this.assigner(record, timestamp);
      } catch (error) {
        throw userFunctionFailure(this.surroundings.context, "extractTimestamp", record, error);
      }
      if (!isTimestamp(assigned)) {
        const { context } = this.surroundings;
        throw userFunctionFailure(context, "extractTimestamp", record, noTimestamp(assigned));
      }
    }
    this.emittedCount++;
    this.target.processElement(record, assigned);
    if (this.generator === undefined) return;
    try {
      this.generator.onEvent(record, assigned, this.immediate);
    } catch (error) {
      throw userFunctionFailure(this.surroundings.context, "onEvent", record, error);
    }
  }

  collectSide<R>(tag: OutputTag<R>, record: R): void {
    this.surroundings.sideOutputs.emit(tag, record, MIN_TIMESTAMP);
  }

  outputForSplit(splitId: string): ReaderOutput<T> {
    return askedOutputOf(splitId, this.surroundings);
  }

  releaseOutputForSplit(splitId: string): void {
    release(splitId, this.surroundings);
  }

  onPeriodicEmit(): void {
    try {
      this.generator?.onPeriodicEmit(this.deferred);
    } catch (error) {
      throw userFunctionFailure(this.surroundings.context, "onPeriodicEmit", NO_RECORD, error);
    }
  }

  /** The watermark that the split had at the cut; goes out with the next update. */
  restoreWatermark(watermark: number): void {
    this.deferred.emitWatermark(watermark);
  }
}

function outputOf<T>(splitId: string, surroundings: ReaderSurroundings<T>): SplitOutput<T> {
  const known = surroundings.outputs.get(splitId);
  if (known !== undefined) return known;
  const output = new SplitOutput<T>(splitId, surroundings);
  surroundings.outputs.set(splitId, output);
  return output;
}

function askedOutputOf<T>(splitId: string, surroundings: ReaderSurroundings<T>): SplitOutput<T> {
  surroundings.unasked.delete(splitId);
  return outputOf(splitId, surroundings);
}

function release<T>(splitId: string, surroundings: ReaderSurroundings<T>): void {
  const { outputs, multiplexer, unasked } = surroundings;
  unasked.delete(splitId);
  if (outputs.delete(splitId)) multiplexer.unregister(splitId);
  surroundings.alignment?.release(splitId);
}

/** What a reader gets first: records go to a split of their own if it never asks for a split's output. */
class MainOutput<T> implements ReaderOutput<T> {
  private readonly surroundings: ReaderSurroundings<T>;
  private own: SplitOutput<T> | undefined = undefined;

  constructor(surroundings: ReaderSurroundings<T>) {
    this.surroundings = surroundings;
  }

  collect(record: T): void {
    this.collectWithTimestamp(record, NO_TIMESTAMP);
  }

  collectWithTimestamp(record: T, timestamp: number): void {
    const { own } = this;
    // Two calls: after one that follows a call of `makeOwn`, V8 would load anew what it knows of the record.
    if (own === undefined) this.makeOwn().collectWithTimestamp(record, timestamp);
    else own.collectWithTimestamp(record, timestamp);
  }

  collectSide<R>(tag: OutputTag<R>, record: R): void {
    this.surroundings.sideOutputs.emit(tag, record, MIN_TIMESTAMP);
  }

  outputForSplit(splitId: string): ReaderOutput<T> {
    return askedOutputOf(splitId, this.surroundings);
  }

  releaseOutputForSplit(splitId: string): void {
    release(splitId, this.surroundings);
  }

  /** The reader does not say the split of its records: restored splits get no watermark of their own, and must not hold back the others'. */
  private makeOwn(): SplitOutput<T> {
    for (const splitId of this.surroundings.unasked) release(splitId, this.surroundings);
    this.own = outputOf(NO_SPLIT, this.surroundings);
    return this.own;
  }
}

/**
 * Drives a source's reader in a task.
 *
 * @remarks
 * Splits and their positions are operator state: at a restore each subtask gets those that it is given back and goes on where the
 * snapshot stood. Watermarks are made per split.
 *
 * Source: Flink `SourceOperator`, `ProgressiveTimestampsAndWatermarks`.
 */
export class SourceOperator<T, S extends SourceSplit> implements Operator {
  private readonly setup: SourceSetup<T, S>;
  private readonly context: OperatorContext;
  private readonly emitter: WatermarkEmitter;
  private readonly surroundings: ReaderSurroundings<T>;
  private readonly output: ReaderOutput<T>;
  private reader: SourceReader<T, S> | undefined = undefined;
  private readonly vacancy: Vacancy;
  private restored: readonly S[] = [];
  private readonly timers: RepeatingTimers;
  private hasEnded = false;
  private isReaderReady = true;
  private watermarks: RestoredWatermarks | undefined = undefined;
  /** Set until the watermarks of the cut have gone out again. */
  private owesWatermarks: boolean;

  constructor(setup: SourceSetup<T, S>, { context, output }: OperatorParameters<T>) {
    this.setup = setup;
    this.context = context;
    this.emitter = new WatermarkEmitter(output);
    const { metrics, processingTime } = context;
    this.timers = new RepeatingTimers(processingTime);
    metrics.gauge("currentOutputWatermark", () => this.emitter.watermark);
    const strategy = setup.watermarks ?? WatermarkStrategy.noWatermarks<T>();
    const { alignment } = strategy;
    this.vacancy = new Vacancy(strategy.idlenessMs, processingTime);
    this.surroundings = {
      context,
      target: output,
      strategy,
      alignment: alignment && new SourceAlignment(processingTime, metrics, alignment),
      multiplexer: new WatermarkMultiplexer(this.emitter),
      sideOutputs: new SideOutputs(context),
      outputs: new Map(),
      unasked: new Set(),
    };
    this.output = new MainOutput<T>(this.surroundings);
    this.owesWatermarks = context.isRestored;
  }

  initializeState(): void {
    const { context, setup } = this;
    const state = this.splitState();
    this.restored = state.get();
    this.watermarks = new RestoredWatermarks(
      context.operatorState,
      context.subtaskIndex,
      WATERMARKS,
    );
    const readerContext: SourceReaderContext = {
      subtaskIndex: context.subtaskIndex,
      parallelism: context.parallelism,
      platform: context.platform,
      files: context.files,
      log: context.log,
      metrics: context.metrics,
      sendSplitRequest: setup.sendSplitRequest,
      available: () =>
        context.execute(() => {
          this.isReaderReady = true;
        }),
      fail: (error) => context.fail(error),
    };
    this.reader = setup.source.createReader(readerContext, setup.ownReader);
    this.reader.initializeState?.(context.operatorState, context.isRestored);
  }

  open(): void {
    const reader = this.ready();
    reader.start();
    if (this.restored.length > 0) reader.addSplits(this.restored);
    this.timers.every(this.context.autoWatermarkIntervalMs, () => this.emitPeriodically());
    const { alignment } = this.surroundings.strategy;
    if (alignment !== undefined) this.timers.every(alignment.updateIntervalMs, () => this.report());
  }

  addSplits(splits: readonly S[]): void {
    const reader = this.ready();
    // It counts from the first, also while it has no record.
    if (reader.pauseOrResumeSplits !== undefined)
      for (const { splitId } of splits) outputOf(splitId, this.surroundings);
    reader.addSplits(splits);
    this.isReaderReady = true;
  }

  /** Those of its alignment group are so far that the reader may go on up to this watermark. */
  allowUpTo(maxAllowed: number): void {
    const { alignment } = this.surroundings;
    if (alignment === undefined || this.hasEnded) return;
    alignment.allow(maxAllowed);
    this.align();
  }

  notifyNoMoreSplits(): void {
    this.ready().notifyNoMoreSplits();
    this.isReaderReady = true;
  }

  /**
   * Emits up to about `maxRecords` records. At the end of a bounded source the watermark after the last record follows.
   *
   * @returns What the task does next: call again, wait, or end.
   */
  emitNext(maxRecords: number): ReaderStatus {
    if (this.hasEnded) return "END";
    if (!this.isReaderReady || this.surroundings.alignment?.isHeldBack === true) return "NOTHING";
    if (this.owesWatermarks) this.emitRestoredWatermarks();
    const status = this.ready().pollNext(this.output, maxRecords);
    if (status === "NOTHING") this.isReaderReady = false;
    if (status === "END") this.stop(true);
    else this.align();
    return status;
  }

  /** Reads nothing more; with `drain` all event time has passed. */
  stop(drain: boolean): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.timers.cancel();
    if (drain) this.emitter.emitWatermark(MAX_TIMESTAMP);
    if (this.surroundings.alignment !== undefined) this.setup.reportWatermark(MAX_TIMESTAMP);
  }

  snapshotState(checkpointId: number): void {
    this.splitState().update(this.ready().snapshotState(checkpointId));
    const watermarks = present(this.watermarks, "state is declared before a snapshot");
    if (!this.owesWatermarks)
      watermarks.save(this.emitter.watermark, this.surroundings.multiplexer.watermarks());
  }

  notifyCheckpointComplete(checkpointId: number): Promise<void> | void {
    return this.ready().notifyCheckpointComplete?.(checkpointId);
  }

  notifyCheckpointAborted(checkpointId: number): void {
    this.ready().notifyCheckpointAborted?.(checkpointId);
  }

  async close(): Promise<void> {
    this.timers.cancel();
    await this.reader?.close();
  }

  /** Before the first record: what had gone out at the cut goes out again, so that what was late is late again. */
  private emitRestoredWatermarks(): void {
    this.owesWatermarks = false;
    const watermarks = present(this.watermarks, "state is declared before records are read");
    this.emitter.emitWatermark(watermarks.emitted(this.context.parallelism));
    for (const { splitId } of this.restored) {
      outputOf(splitId, this.surroundings).restoreWatermark(watermarks.ofSplit(splitId));
      this.surroundings.unasked.add(splitId);
    }
    this.restored = [];
    this.surroundings.multiplexer.onPeriodicEmit();
  }

  private emitPeriodically(): void {
    const { outputs, multiplexer } = this.surroundings;
    if (outputs.size === 0) return this.vacancy.onPeriodicEmit(this.emitter);
    this.vacancy.end(this.emitter);
    for (const output of outputs.values()) output.onPeriodicEmit();
    multiplexer.onPeriodicEmit();
    this.align();
  }

  /** Holds back what is ahead of the group, and lets on what no longer is. */
  private align(): void {
    const { alignment, multiplexer, outputs } = this.surroundings;
    if (alignment === undefined) return;
    const splits = multiplexer.watermarks().filter(([splitId]) => splitId !== NO_SPLIT);
    const { watermark } = this.emitter;
    if (pauseOrResumeSplits(this.ready(), alignment.update(watermark, splits))) return;
    if (outputs.size > 1 && !this.setup.allowsUnalignedSplits)
      throw new StreamError("SPLITS_NOT_ALIGNABLE", { operator: this.context.operatorName });
  }

  private report(): void {
    const { watermark, isIdle } = this.emitter;
    if (watermark !== MIN_TIMESTAMP) this.setup.reportWatermark(isIdle ? MAX_TIMESTAMP : watermark);
  }

  private splitState(): OperatorListState<S> {
    const type = this.setup.source.splitSerializer;
    return this.context.operatorState.listState<S>({ name: SPLITS, type });
  }

  private ready(): SourceReader<T, S> {
    return present(this.reader, "the reader is made before the source is opened");
  }
}

/** A source as an operator; the runtime drives it. */
export function sourceOperator<T, S extends SourceSplit>(
  setup: SourceSetup<T, S>,
): OperatorFactory<SourceOperator<T, S>, T> {
  return {
    kind: "Source",
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { SourceOperator: Own } = ownModule(own, { SourceOperator });
      return new Own<T, S>(setup, parameters);
    },
  };
}
