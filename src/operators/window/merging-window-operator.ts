import { MAX_TIMESTAMP, MIN_TIMESTAMP, present, StreamError } from "../../base/index.ts";
import type { InternalTimerService, NamespaceOptions, Triggerable } from "../../state/index.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { TIMER_SLICE } from "../function/key-timers.ts";
import { ownModule } from "../function/own-module.ts";
import { recordExcerpt } from "../function/record-excerpt.ts";
import { SideOutputs } from "../function/side-outputs.ts";
import { type UserFunction, requireKeyed } from "../function/user-function.ts";
import { NO_RECORD, userFunctionFailure } from "../function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorFactory,
  OperatorMetrics,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "../operator.ts";
import { type MergedWindows, MergingWindowSet } from "./merging-window-set.ts";
import {
  isFire,
  isPurge,
  noTriggerResult,
  type Trigger,
  type TriggerResult,
} from "./trigger/trigger.ts";
import type {
  MergingWindowAssigner,
  Window,
  WindowAssignerContext,
} from "./assigner/window-assigner.ts";
import { type FiringContents, firingContents } from "./window-contents.ts";
import { WindowFiring } from "./window-firing.ts";
import type { ProcessWindowFunction } from "./window-function.ts";
import type { WindowSetup } from "./window-setup.ts";
import { WindowTriggerContext } from "./window-trigger-context.ts";

/**
 * Windows that grow together, with any trigger and evictor: sessions.
 *
 * @remarks
 * Contents lie under the window of one of the parts ({@link MergingWindowSet}); timers and trigger state belong to the window as
 * it is now. W1 to W3 of the operator for windows that do not merge hold, where late is judged after merging: a late record may
 * still join a live session.
 *
 * Source: Flink `WindowOperator`, `EvictingWindowOperator`.
 */
export class MergingWindowOperator<IN, ACC, MID, OUT, K, W extends Window>
  extends FunctionOperator<UserFunction>
  implements OneInputOperator<IN>, Triggerable<W>, WindowAssignerContext
{
  private readonly setup: WindowSetup<IN, ACC, MID, OUT, K, W>;
  private readonly assigner: MergingWindowAssigner<IN, W>;
  private readonly trigger: Trigger<IN, W>;
  private readonly output: Output<OUT>;
  private readonly metrics: OperatorMetrics;
  private readonly sideOutputs: SideOutputs;
  private parts: Parts<IN, OUT, K, W> | undefined = undefined;
  private isFiring = false;
  private firingWatermark: number = MIN_TIMESTAMP;

  constructor(
    setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
    assigner: MergingWindowAssigner<IN, W>,
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(setup.makeFunction?.() ?? {}, context);
    this.setup = setup;
    this.assigner = assigner;
    this.trigger = setup.trigger ?? setup.assigner.getDefaultTrigger();
    this.output = output;
    this.metrics = context.metrics;
    this.sideOutputs = new SideOutputs(context);
  }

  override initializeState(): void {
    const store = requireKeyed(this.context, "A window");
    const namespace: NamespaceOptions<W> = {
      ...this.assigner.windowKind,
      layout: "key-major",
    };
    const timers = store.timerService("window-timers", namespace, this);
    const firing = new WindowFiring<OUT, K, W>(
      this.setup.makeFunction === undefined
        ? undefined
        : (this.function as ProcessWindowFunction<unknown, OUT, K, W>),
      this.context,
      store,
      this.output,
      timers,
      namespace,
      true,
    );
    this.parts = {
      timers,
      contents: firingContents(this.setup, store, namespace, firing),
      triggerContext: new WindowTriggerContext<W>(timers, store, namespace),
      firing,
      windows: new MergingWindowSet<W>(this.assigner, store),
    };
    super.initializeState();
  }

  processElement(value: IN, timestamp: number): void {
    if (this.isFiring) this.finishFiring();
    try {
      this.takeElement(value, timestamp);
    } catch (error) {
      throw userFunctionFailure(this.context, "window", value, error);
    }
  }

  private takeElement(value: IN, timestamp: number): void {
    const { timers, contents, triggerContext, windows } = this.ready();
    windows.load();
    let isSkipped = true;
    for (const window of this.assigner.assignWindows(value, timestamp, this)) {
      const actual = windows.add(window, (merge) => this.merge(merge));
      if (this.isLate(actual, timers.currentWatermark)) {
        windows.retire(actual);
        continue;
      }
      isSkipped = false;
      contents.setCurrentNamespace(present(windows.stateWindow(actual), "the window was added"));
      contents.add(value, timestamp);
      triggerContext.window = actual;
      const result = this.trigger.onElement(value, timestamp, actual, triggerContext);
      if (result !== "CONTINUE") this.apply(result, actual);
      this.registerCleanup(actual);
    }
    windows.persist();
    if (isSkipped && this.isElementLate(timestamp, timers.currentWatermark)) {
      this.takeLate(value, timestamp);
    }
  }

  private merge({ result, merged, stateWindow, mergedStateWindows }: MergedWindows<W>): void {
    const { contents, triggerContext } = this.ready();
    this.refusePast(result);
    triggerContext.window = result;
    triggerContext.mergedWindows = merged;
    this.trigger.onMerge?.(result, triggerContext);
    triggerContext.mergedWindows = undefined;
    for (const window of merged) {
      triggerContext.window = window;
      this.trigger.clear(window, triggerContext);
      this.deleteCleanup(window);
    }
    contents.mergeNamespaces(stateWindow, mergedStateWindows);
  }

  private refusePast(window: W): void {
    const { timers } = this.ready();
    const now = this.assigner.isEventTime
      ? timers.currentWatermark
      : timers.currentProcessingTime();
    if (this.cleanupTime(window) > now) return;
    throw new StreamError("WINDOW_MERGED_INTO_THE_PAST", {
      operator: this.context.operatorName,
      window: recordExcerpt(window),
      watermark: now,
    });
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
    if (!this.ready().timers.advanceWatermarkSlice(this.firingWatermark, TIMER_SLICE)) return true;
    this.isFiring = false;
    this.output.processWatermark(this.firingWatermark);
    return false;
  }

  onEventTime(timestamp: number, window: W): void {
    this.onTimer(window, timestamp, true);
  }

  onProcessingTime(timestamp: number, window: W): void {
    this.onTimer(window, timestamp, false);
  }

  currentProcessingTime(): number {
    return this.ready().timers.currentProcessingTime();
  }

  private onTimer(window: W, timestamp: number, isEventTime: boolean): void {
    try {
      this.fireTimer(window, timestamp, isEventTime);
    } catch (error) {
      throw userFunctionFailure(this.context, "window", NO_RECORD, error);
    }
  }

  private fireTimer(window: W, timestamp: number, isEventTime: boolean): void {
    const { contents, triggerContext, firing, windows } = this.ready();
    windows.load();
    const stateWindow = windows.stateWindow(window);
    // The window has become part of another, and a trigger left its timer behind.
    if (stateWindow === undefined) return;
    contents.setCurrentNamespace(stateWindow);
    triggerContext.window = window;
    const result = isEventTime
      ? this.trigger.onEventTime(timestamp, window, triggerContext)
      : this.trigger.onProcessingTime(timestamp, window, triggerContext);
    if (result !== "CONTINUE") this.apply(result, window);
    if (isEventTime === this.assigner.isEventTime && timestamp === this.cleanupTime(window)) {
      contents.setCurrentNamespace(stateWindow);
      contents.clear();
      this.trigger.clear(window, triggerContext);
      firing.clear(window);
      windows.retire(window);
    }
    windows.persist();
  }

  /** What the trigger has said: W3's order is kept by the callers. */
  private apply(result: TriggerResult, window: W): void {
    const { contents } = this.ready();
    const [fires, purges] = [isFire(result), isPurge(result)];
    if (!fires && !purges) throw noTriggerResult(this.trigger.name, result);
    if (fires) contents.fire(window);
    if (purges) contents.clear();
  }

  private isLate(window: W, watermark: number): boolean {
    return this.assigner.isEventTime && this.cleanupTime(window) <= watermark;
  }

  private isElementLate(timestamp: number, watermark: number): boolean {
    return this.assigner.isEventTime && timestamp + this.setup.allowedLatenessMs <= watermark;
  }

  private takeLate(value: IN, timestamp: number): void {
    const { lateOutput } = this.setup;
    if (lateOutput !== undefined) this.sideOutputs.emit(lateOutput, value, timestamp);
    else this.metrics.numLateRecordsDropped++;
  }

  private cleanupTime(window: W): number {
    const maxTimestamp = window.maxTimestamp();
    return this.assigner.isEventTime ? maxTimestamp + this.setup.allowedLatenessMs : maxTimestamp;
  }

  private registerCleanup(window: W): void {
    const time = this.cleanupTime(window);
    if (time === MAX_TIMESTAMP) return;
    const { timers } = this.ready();
    if (this.assigner.isEventTime) timers.registerEventTimeTimer(window, time);
    else timers.registerProcessingTimeTimer(window, time);
  }

  private deleteCleanup(window: W): void {
    const time = this.cleanupTime(window);
    if (time === MAX_TIMESTAMP) return;
    const { timers } = this.ready();
    if (this.assigner.isEventTime) timers.deleteEventTimeTimer(window, time);
    else timers.deleteProcessingTimeTimer(window, time);
  }

  private ready(): Parts<IN, OUT, K, W> {
    return present(this.parts, "state is there before the first record");
  }

  private finishFiring(): void {
    while (this.continue());
  }
}

interface Parts<IN, OUT, K, W extends Window> {
  readonly timers: InternalTimerService<W>;
  readonly contents: FiringContents<IN, W>;
  readonly triggerContext: WindowTriggerContext<W>;
  readonly firing: WindowFiring<OUT, K, W>;
  readonly windows: MergingWindowSet<W>;
}

/** {@link MergingWindowOperator} as a factory. */
export function mergingWindowOperator<IN, ACC, MID, OUT, K, W extends Window>(
  kind: string,
  setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
  assigner: MergingWindowAssigner<IN, W>,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  return {
    kind,
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { MergingWindowOperator: Own } = ownModule(own, { MergingWindowOperator });
      return new Own<IN, ACC, MID, OUT, K, W>(setup, assigner, parameters);
    },
  };
}
