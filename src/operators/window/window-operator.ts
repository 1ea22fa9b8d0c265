import { MAX_TIMESTAMP, MIN_TIMESTAMP, present } from "../../base/index.ts";
import type { InternalTimerService, NamespaceOptions, Triggerable } from "../../state/index.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { TIMER_SLICE } from "../function/key-timers.ts";
import { ownModule } from "../function/own-module.ts";
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
import {
  isFire,
  isPurge,
  noTriggerResult,
  type Trigger,
  type TriggerResult,
} from "./trigger/trigger.ts";
import type { Window, WindowAssigner, WindowAssignerContext } from "./assigner/window-assigner.ts";
import { type FiringContents, firingContents } from "./window-contents.ts";
import { WindowFiring } from "./window-firing.ts";
import type { ProcessWindowFunction } from "./window-function.ts";
import type { WindowSetup } from "./window-setup.ts";
import { WindowTriggerContext } from "./window-trigger-context.ts";

/**
 * Windows of any assigner whose windows do not merge, with any trigger and evictor.
 *
 * Invariants:
 *
 * - W1. A record whose windows are all past their cleanup time changes nothing: it is late data, or dropped.
 * - W2. Each live window of a key has a timer at its cleanup time; when that fires, contents, trigger state, state of the
 *   function and timers are gone.
 * - W3. At one timer, firing comes before cleaning.
 *
 * Source: Flink `WindowOperator`, `EvictingWindowOperator`.
 */
export class WindowOperator<IN, ACC, MID, OUT, K, W extends Window>
  extends FunctionOperator<UserFunction>
  implements OneInputOperator<IN>, Triggerable<W>, WindowAssignerContext
{
  private readonly setup: WindowSetup<IN, ACC, MID, OUT, K, W>;
  private readonly assigner: WindowAssigner<IN, W>;
  private readonly trigger: Trigger<IN, W>;
  private readonly output: Output<OUT>;
  private readonly metrics: OperatorMetrics;
  private readonly sideOutputs: SideOutputs;
  private parts: Parts<IN, OUT, K, W> | undefined = undefined;
  private isFiring = false;
  private firingWatermark: number = MIN_TIMESTAMP;

  constructor(
    setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(setup.makeFunction?.() ?? {}, context);
    this.setup = setup;
    this.assigner = setup.assigner.forSubtask?.(() => context.platform.random()) ?? setup.assigner;
    this.trigger = setup.trigger ?? setup.assigner.getDefaultTrigger();
    this.output = output;
    this.metrics = context.metrics;
    this.sideOutputs = new SideOutputs(context);
  }

  override initializeState(): void {
    const store = requireKeyed(this.context, "A window");
    const namespace: NamespaceOptions<W> = {
      ...this.assigner.windowKind,
      layout: "namespace-major",
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
      false,
    );
    this.parts = {
      timers,
      contents: firingContents(this.setup, store, namespace, firing),
      triggerContext: new WindowTriggerContext<W>(timers, store, namespace),
      firing,
    };
    if (this.context.isRestored && this.assigner.isEventTime) this.adoptPanes();
    super.initializeState();
  }

  /**
   * Sets the timers of windows that the operator for panes has left: it needs none, and none of its windows has fired. Happens when a
   * job is restored after its lateness or trigger was changed.
   */
  private adoptPanes(): void {
    const { contents, timers } = this.ready();
    const { tables } = contents;
    if (tables === undefined || timers.eventTimerCount() > 0) return;
    for (const window of tables.namespaces()) {
      const cursor = tables.cursor(window);
      while (cursor.advance()) {
        timers.registerEventTimeTimer(window, window.maxTimestamp());
        this.registerCleanup(window);
      }
    }
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
    const { timers, contents, triggerContext } = this.ready();
    let isSkipped = true;
    for (const window of this.assigner.assignWindows(value, timestamp, this)) {
      if (this.isLate(window, timers.currentWatermark)) continue;
      isSkipped = false;
      contents.setCurrentNamespace(window);
      contents.add(value, timestamp);
      triggerContext.window = window;
      const result = this.trigger.onElement(value, timestamp, window, triggerContext);
      if (result !== "CONTINUE") this.apply(result, window);
      this.registerCleanup(window);
    }
    if (isSkipped && this.isElementLate(timestamp, timers.currentWatermark)) {
      this.takeLate(value, timestamp);
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
    if (!this.ready().timers.advanceWatermarkSlice(this.firingWatermark, TIMER_SLICE)) return true;
    this.isFiring = false;
    this.output.processWatermark(this.firingWatermark);
    return false;
  }

  onEventTime(timestamp: number, window: W): void {
    this.onTimer(this.assigner.windowKind.only ?? window, timestamp, true);
  }

  onProcessingTime(timestamp: number, window: W): void {
    this.onTimer(this.assigner.windowKind.only ?? window, timestamp, false);
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
    const { contents, triggerContext, firing } = this.ready();
    contents.setCurrentNamespace(window);
    triggerContext.window = window;
    const result = isEventTime
      ? this.trigger.onEventTime(timestamp, window, triggerContext)
      : this.trigger.onProcessingTime(timestamp, window, triggerContext);
    if (result !== "CONTINUE") this.apply(result, window);
    if (isEventTime !== this.assigner.isEventTime || timestamp !== this.cleanupTime(window)) return;
    contents.setCurrentNamespace(window);
    contents.clear();
    this.trigger.clear(window, triggerContext);
    firing.clear(window);
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
}

/** {@link WindowOperator} as a factory. */
export function generalWindowOperator<IN, ACC, MID, OUT, K, W extends Window>(
  kind: string,
  setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  return {
    kind,
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { WindowOperator: Own } = ownModule(own, { WindowOperator });
      return new Own<IN, ACC, MID, OUT, K, W>(setup, parameters);
    },
  };
}
