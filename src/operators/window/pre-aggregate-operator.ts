import { MIN_TIMESTAMP } from "../../base/index.ts";
import { keyHash, keyIdentity, type KeyKind } from "../../serde/index.ts";
import { ownModule } from "../function/own-module.ts";
import { userFunctionFailure } from "../function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorContext,
  OperatorFactory,
  OperatorMetrics,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "../operator.ts";
import type { TumblingEventTimeWindows } from "./assigner/tumbling-windows.ts";
import type { TimeWindow } from "./time-window.ts";

/** What the records of one key and window were folded into on their side of an exchange. */
export interface PartialAggregate<K, ACC> {
  readonly key: K;
  readonly folded: ACC;
}

/** What is folded, and how. */
export interface PreAggregateSetup<IN, ACC, K> {
  readonly assigner: TumblingEventTimeWindows;
  readonly keySelector: (value: IN) => K;
  readonly keyKind: KeyKind;
  readonly first: (value: IN) => ACC;
  readonly add: (value: IN, folded: ACC) => ACC;
}

/** Keys of all windows together that are held; then all goes out. Bounds the memory and what one barrier sends. */
const MAX_HELD = 65_536;

type Table<K, ACC> = Map<unknown, { readonly key: K; folded: ACC }>;

/**
 * Folds records by key and window before they are exchanged by key, so that one record for each key and window goes over instead of all.
 *
 * @remarks
 * The window operator behind it gives the results that it gives without: each fold has the time of its window's last millisecond, and leaves
 * before anything by which its window could be closed. What is held needs no state, for nothing is held across a barrier.
 *
 * Invariants:
 *
 * - A1. A fold leaves before the watermark that reaches its window's end, as the one at the end of data does, before this input becomes
 *   idle, and before a barrier.
 * - A2. A record whose window has ended by the watermark here is not held: it is late exactly if it would be without this operator, and is
 *   counted alone.
 */
export class PreAggregateOperator<IN, ACC, K> implements OneInputOperator<IN> {
  private readonly setup: PreAggregateSetup<IN, ACC, K>;
  private readonly output: Output<PartialAggregate<K, ACC>>;
  private readonly context: OperatorContext;
  private readonly metrics: OperatorMetrics;
  private readonly held: Map<
    number,
    { readonly window: TimeWindow; readonly folds: Table<K, ACC> }
  > = new Map();
  private heldCount = 0;
  private watermark: number = MIN_TIMESTAMP;
  /** The window of the last record, while it may be held. */
  private from: number = Number.POSITIVE_INFINITY;
  private to: number = Number.NEGATIVE_INFINITY;
  private folds: Table<K, ACC> = new Map();

  constructor(
    setup: PreAggregateSetup<IN, ACC, K>,
    { context, output }: OperatorParameters<PartialAggregate<K, ACC>>,
  ) {
    this.setup = setup;
    this.output = output;
    this.context = context;
    this.metrics = context.metrics;
  }

  processElement(value: IN, timestamp: number): void {
    if (!(timestamp >= this.from && timestamp < this.to) && !this.select(value, timestamp)) return;
    const key = this.keyOf(value);
    const identity = typeof key === "number" ? key : keyIdentity(key, this.setup.keyKind);
    const fold = this.folds.get(identity);
    if (fold === undefined) {
      this.folds.set(identity, { key, folded: this.firstOf(value) });
      if (++this.heldCount === MAX_HELD) this.flush(Number.POSITIVE_INFINITY);
      return;
    }
    try {
      fold.folded = this.setup.add(value, fold.folded);
    } catch (error) {
      throw userFunctionFailure(this.context, "aggregate", value, error);
    }
  }

  processWatermark(watermark: number): void {
    this.watermark = watermark;
    this.flush(watermark);
    this.output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.flush(Number.POSITIVE_INFINITY);
    this.output.processWatermarkStatus(status);
  }

  prepareSnapshotPreBarrier(): void {
    this.releaseHeld();
  }

  releaseHeld(): void {
    this.flush(Number.POSITIVE_INFINITY);
  }

  /** Finds the window of a record. Returns false if the record went out at once, since its window has ended here. */
  private select(value: IN, timestamp: number): boolean {
    const { assigner } = this.setup;
    const [window] = assigner.assignWindows(value, timestamp, this.clocks()) as readonly [
      TimeWindow,
    ];
    if (window.maxTimestamp() <= this.watermark) {
      this.emit({ key: this.keyOf(value), folded: this.firstOf(value) }, window);
      return false;
    }
    this.from = window.start;
    this.to = window.end;
    let held = this.held.get(window.start);
    if (held === undefined) {
      held = { window, folds: new Map() };
      this.held.set(window.start, held);
    }
    this.folds = held.folds;
    return true;
  }

  /** Sends the folds of all windows that end by then, the oldest first. */
  private flush(watermark: number): void {
    const due = [...this.held.values()]
      .filter(({ window }) => window.maxTimestamp() <= watermark)
      .sort((a, b) => a.window.start - b.window.start);
    if (due.length === 0) return;
    this.from = Number.POSITIVE_INFINITY;
    this.to = Number.NEGATIVE_INFINITY;
    for (const { window, folds } of due) {
      this.held.delete(window.start);
      this.heldCount -= folds.size;
      for (const fold of folds.values()) this.emit(fold, window);
    }
  }

  private emit(fold: PartialAggregate<K, ACC>, window: TimeWindow): void {
    this.metrics.numRecordsOut++;
    this.output.processElement(fold, window.maxTimestamp());
  }

  private keyOf(value: IN): K {
    try {
      return this.setup.keySelector(value);
    } catch (error) {
      throw userFunctionFailure(this.context, "keyBy", value, error);
    }
  }

  private firstOf(value: IN): ACC {
    const { keySelector, keyKind, first } = this.setup;
    try {
      // A key that cannot be used is found while its record is at hand.
      keyHash(keySelector(value), keyKind);
    } catch (error) {
      throw userFunctionFailure(this.context, "keyBy", value, error);
    }
    try {
      return first(value);
    } catch (error) {
      throw userFunctionFailure(this.context, "aggregate", value, error);
    }
  }

  private clocks(): { currentProcessingTime(): number } {
    return { currentProcessingTime: () => this.context.processingTime.nowMs() };
  }
}

/** {@link PreAggregateOperator} as a factory. */
export function preAggregateOperator<IN, ACC, K>(
  setup: PreAggregateSetup<IN, ACC, K>,
): OperatorFactory<OneInputOperator<IN>, PartialAggregate<K, ACC>> {
  return {
    kind: `PreAggregate(${setup.assigner.name})`,
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { PreAggregateOperator: Own } = ownModule(own, { PreAggregateOperator });
      return new Own<IN, ACC, K>(setup, parameters);
    },
  };
}
