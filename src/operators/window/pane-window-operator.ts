import { MIN_TIMESTAMP, present } from "../../base/index.ts";
import type {
  InternalTimerService,
  NamespaceCursor,
  NamespaceOptions,
  Triggerable,
} from "../../state/index.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { TIMER_SLICE } from "../function/key-timers.ts";
import { ownModule } from "../function/own-module.ts";
import { SideOutputs } from "../function/side-outputs.ts";
import { requireKeyed, type UserFunction } from "../function/user-function.ts";
import { NO_RECORD, userFunctionFailure } from "../function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorFactory,
  OperatorMetrics,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "../operator.ts";
import type { SlidingEventTimeWindows } from "./assigner/sliding-windows.ts";
import type { TimeWindow } from "./time-window.ts";
import type { TumblingEventTimeWindows } from "./assigner/tumbling-windows.ts";
import { type FoldedState, foldedContents } from "./window-contents.ts";
import { type WindowClocks, WindowFiring } from "./window-firing.ts";
import type { ProcessWindowFunction, WindowAggregation } from "./window-function.ts";
import type { WindowSetup } from "./window-setup.ts";

/** The assigners whose windows can be panes. */
export type PaneAssigner = TumblingEventTimeWindows | SlidingEventTimeWindows;

/** The folded values of all keys, a table per window. */
type Panes<IN, MID> = FoldedState<IN, MID, TimeWindow>;

/** A setup whose records are folded. */
export type PaneSetup<IN, ACC, MID, OUT, K> = WindowSetup<IN, ACC, MID, OUT, K, TimeWindow> & {
  readonly aggregation: Exclude<WindowAggregation<IN, ACC, MID>, { readonly kind: "list" }>;
};

/**
 * Tumbling and sliding windows of event time that are folded and fire once, at their end: the case that can be quick.
 *
 * @remarks
 * Its results are those of the general window operator. Instead of a timer per key and window it knows the windows that exist, and
 * fires one for all of its keys. What it keeps needs no timers: a window that is in state has not fired.
 *
 * Invariants:
 *
 * - P1. A window has a value of some key only if its last millisecond is above the watermark, or it is being fired.
 * - P2. `panes` holds every window that has a value, and `nextMaxTimestamp` is the least of their last milliseconds.
 * - P3. While `from <= timestamp < to`, the windows of a record are exactly `live`, of which none is late.
 */
export class PaneWindowOperator<IN, ACC, MID, OUT, K>
  extends FunctionOperator<UserFunction>
  implements OneInputOperator<IN>, Triggerable<TimeWindow>
{
  private readonly setup: PaneSetup<IN, ACC, MID, OUT, K>;
  private readonly assigner: PaneAssigner;
  private readonly output: Output<OUT>;
  private readonly metrics: OperatorMetrics;
  private readonly sideOutputs: SideOutputs;
  private state: Panes<IN, MID> | undefined = undefined;
  private firing: WindowFiring<OUT, K, TimeWindow> | undefined = undefined;
  /** Timers left by the general operator, which had this state before; nothing happens when they fire. */
  private oldTimers: InternalTimerService<TimeWindow> | undefined = undefined;
  private readonly panes: Map<number | string, TimeWindow> = new Map();
  private nextMaxTimestamp: number = Number.POSITIVE_INFINITY;
  private watermark: number = MIN_TIMESTAMP;
  private from: number = Number.POSITIVE_INFINITY;
  private to: number = Number.NEGATIVE_INFINITY;
  private live: readonly TimeWindow[] = [];
  private isSingle = false;
  private isFiring = false;
  /** Windows that are due, the next one last. */
  private due: TimeWindow[] = [];
  private cursor: NamespaceCursor<MID> | undefined = undefined;

  constructor(
    setup: PaneSetup<IN, ACC, MID, OUT, K>,
    assigner: PaneAssigner,
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(setup.makeFunction?.() ?? {}, context);
    this.setup = setup;
    this.assigner =
      "slideMs" in assigner ? assigner : assigner.forSubtask(() => context.platform.random());
    this.output = output;
    this.metrics = context.metrics;
    this.sideOutputs = new SideOutputs(context);
  }

  override initializeState(): void {
    const { context, setup } = this;
    const store = requireKeyed(context, "A window");
    const namespace: NamespaceOptions<TimeWindow> = {
      ...this.assigner.windowKind,
      layout: "namespace-major",
    };
    const types = { record: setup.recordType, accumulator: setup.accumulatorType };
    const state = foldedContents(setup.aggregation, types, store, namespace);
    this.state = state;
    if (setup.makeFunction !== undefined) {
      const userFunction = this.function as ProcessWindowFunction<unknown, OUT, K, TimeWindow>;
      const clocks = this.clocks();
      this.firing = new WindowFiring(
        userFunction,
        context,
        store,
        this.output,
        clocks,
        namespace,
        false,
      );
    }
    for (const window of state.namespaces()) this.know(window);
    if (context.isRestored) this.oldTimers = store.timerService("window-timers", namespace, this);
    super.initializeState();
  }

  processElement(value: IN, timestamp: number): void {
    if (this.isFiring) this.finishFiring();
    if (!(timestamp >= this.from && timestamp < this.to) && !this.select(value, timestamp)) return;
    const state = this.state as Panes<IN, MID>;
    try {
      if (this.isSingle) {
        state.add(value);
        return;
      }
      for (const window of this.live) {
        state.setCurrentNamespace(window);
        state.add(value);
      }
    } catch (error) {
      throw userFunctionFailure(this.context, "aggregate", value, error);
    }
  }

  processWatermark(watermark: number): void {
    if (this.isFiring) this.finishFiring();
    this.watermark = watermark;
    if (this.oldTimers !== undefined) this.oldTimers.advanceWatermark(watermark);
    if (watermark < this.nextMaxTimestamp) {
      this.output.processWatermark(watermark);
      return;
    }
    this.beginFiring(watermark);
    this.continue();
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    if (this.isFiring) this.finishFiring();
    this.output.processWatermarkStatus(status);
  }

  prepareSnapshotPreBarrier(): void {
    if (this.isFiring) this.finishFiring();
  }

  continue(): boolean {
    if (!this.isFiring) return false;
    try {
      if (this.fireSlice()) return true;
    } catch (error) {
      throw userFunctionFailure(this.context, "window", NO_RECORD, error);
    }
    this.isFiring = false;
    this.output.processWatermark(this.watermark);
    return false;
  }

  /** Fires windows that are due. Returns true if some are left. */
  private fireSlice(): boolean {
    const state = present(this.state, "state is there before the first watermark");
    let budget = TIMER_SLICE;
    for (let window = this.due.at(-1); window !== undefined; window = this.due.at(-1)) {
      const cursor = (this.cursor ??= state.cursor(window));
      const maxTimestamp = window.maxTimestamp();
      while (cursor.advance()) {
        this.fire(window, maxTimestamp, cursor.value());
        if (--budget === 0) return true;
      }
      state.clearNamespace(window);
      this.cursor = undefined;
      this.due.pop();
    }
    return false;
  }

  onEventTime(): void {}
  onProcessingTime(): void {}

  private fire(window: TimeWindow, maxTimestamp: number, value: MID): void {
    if (this.firing === undefined) {
      this.metrics.numRecordsOut++;
      this.output.processElement(value as unknown as OUT, maxTimestamp);
      return;
    }
    this.firing.fire(window, [value]);
    this.firing.clear(window);
  }

  /** Finds the windows of a record outside of `from` and `to`. Returns false if it has none that is open. */
  private select(value: IN, timestamp: number): boolean {
    const windows = this.assigner.assignWindows(value, timestamp, this.clocks());
    const live = windows.filter((window) => window.maxTimestamp() > this.watermark);
    if (live.length === 0) {
      if (timestamp <= this.watermark) this.takeLate(value, timestamp);
      return false;
    }
    const { from, to } = sameWindows(this.assigner, windows, timestamp);
    this.from = from;
    this.to = to;
    this.live = live;
    this.isSingle = live.length === 1;
    for (const window of live) this.know(window);
    const [only] = live;
    if (this.isSingle && only !== undefined) this.state?.setCurrentNamespace(only);
    return true;
  }

  private takeLate(value: IN, timestamp: number): void {
    const { lateOutput } = this.setup;
    if (lateOutput !== undefined) this.sideOutputs.emit(lateOutput, value, timestamp);
    else this.metrics.numLateRecordsDropped++;
  }

  private know(window: TimeWindow): void {
    const identity = this.assigner.windowKind.identity(window);
    if (this.panes.has(identity)) return;
    this.panes.set(identity, window);
    this.nextMaxTimestamp = Math.min(this.nextMaxTimestamp, window.maxTimestamp());
  }

  private beginFiring(watermark: number): void {
    this.isFiring = true;
    this.forgetSelection();
    this.nextMaxTimestamp = Number.POSITIVE_INFINITY;
    for (const [identity, window] of this.panes) {
      const maxTimestamp = window.maxTimestamp();
      if (maxTimestamp > watermark) {
        this.nextMaxTimestamp = Math.min(this.nextMaxTimestamp, maxTimestamp);
        continue;
      }
      this.panes.delete(identity);
      this.due.push(window);
    }
    this.due.sort((a, b) => b.end - a.end || b.start - a.start);
  }

  /** The state's current namespace is about to change, and windows may become late. */
  private forgetSelection(): void {
    this.from = Number.POSITIVE_INFINITY;
    this.to = Number.NEGATIVE_INFINITY;
  }

  private clocks(): WindowClocks {
    const watermark = (): number => this.watermark;
    return {
      get currentWatermark() {
        return watermark();
      },
      currentProcessingTime: () => this.context.processingTime.nowMs(),
    };
  }

  private finishFiring(): void {
    while (this.continue());
  }
}

/** The times around `timestamp` whose records have the same windows. */
function sameWindows(
  assigner: PaneAssigner,
  windows: readonly TimeWindow[],
  timestamp: number,
): { readonly from: number; readonly to: number } {
  const [newest] = windows;
  if (newest === undefined) return { from: timestamp, to: timestamp };
  // Not by class: an instance of this module may have classes of its own.
  if (!("slideMs" in assigner)) return { from: newest.start, to: newest.end };
  const { sizeMs, slideMs } = assigner;
  const oldest = windows.at(-1) ?? newest;
  // The window after the newest is not reached yet, the oldest is not left, and the one before it is.
  return {
    from: Math.max(newest.start, oldest.start - slideMs + sizeMs),
    to: Math.min(newest.start + slideMs, oldest.end),
  };
}

/** {@link PaneWindowOperator} as a factory. */
export function paneWindowOperator<IN, ACC, MID, OUT, K>(
  kind: string,
  setup: PaneSetup<IN, ACC, MID, OUT, K>,
  assigner: PaneAssigner,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  return {
    kind,
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { PaneWindowOperator: Own } = ownModule(own, { PaneWindowOperator });
      return new Own<IN, ACC, MID, OUT, K>(setup, assigner, parameters);
    },
  };
}
