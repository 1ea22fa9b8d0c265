import { MIN_TIMESTAMP, present, StreamError } from "../../base/index.ts";
import type { InternalTimerService, KeyedStateStore, NamespaceOptions } from "../../state/index.ts";
import type { Collector } from "../function/process-function.ts";
import { SideOutputs } from "../function/side-outputs.ts";
import { type KeyedStateAccess, keyedStateAccess } from "../function/user-function.ts";
import { NO_RECORD, userFunctionFailure } from "../function/user-function-failure.ts";
import type { OperatorContext, Output } from "../operator.ts";
import type { OutputTag } from "../output-tag.ts";
import type { Window } from "./assigner/window-assigner.ts";
import type { ProcessWindowContext, ProcessWindowFunction } from "./window-function.ts";
import { WindowStateAccess } from "./window-state-access.ts";

/** What a window function can learn about time. */
export type WindowClocks = Pick<
  InternalTimerService<never>,
  "currentWatermark" | "currentProcessingTime"
>;

/** Runs a window's function when it fires: its context and collector. */
export class WindowFiring<OUT, K, W extends Window>
  implements Collector<OUT>, ProcessWindowContext<W>
{
  private readonly function: ProcessWindowFunction<unknown, OUT, K, W> | undefined;
  private readonly context: OperatorContext;
  private readonly store: KeyedStateStore;
  private readonly target: Output<OUT>;
  private readonly timers: WindowClocks;
  private readonly sideOutputs: SideOutputs;
  private readonly perWindow: KeyedStateAccess | undefined;
  private readonly overall: KeyedStateAccess;
  private current: W | undefined = undefined;
  private time: number = MIN_TIMESTAMP;

  constructor(
    userFunction: ProcessWindowFunction<unknown, OUT, K, W> | undefined,
    context: OperatorContext,
    store: KeyedStateStore,
    output: Output<OUT>,
    timers: WindowClocks,
    namespace: NamespaceOptions<W>,
    isMerging: boolean,
  ) {
    this.function = userFunction;
    this.context = context;
    this.store = store;
    this.target = output;
    this.timers = timers;
    this.sideOutputs = new SideOutputs(context);
    this.overall = keyedStateAccess(context);
    this.perWindow = isMerging
      ? undefined
      : new WindowStateAccess<W>(store, namespace, () => this.window);
  }

  /** Emits what the function makes of the contents; without a function, the contents. */
  fire(window: W, contents: readonly unknown[]): void {
    this.current = window;
    this.time = window.maxTimestamp();
    if (this.function === undefined) {
      for (const value of contents) this.collect(value as OUT);
      return;
    }
    try {
      this.function.process(this.store.currentKey as K, this, contents, this);
    } catch (error) {
      throw userFunctionFailure(this.context, "process", NO_RECORD, error);
    }
  }

  /** Lets the function clear its state of the window. */
  clear(window: W): void {
    if (this.function?.clear === undefined) return;
    this.current = window;
    this.time = window.maxTimestamp();
    try {
      this.function.clear(this);
    } catch (error) {
      throw userFunctionFailure(this.context, "clear", NO_RECORD, error);
    }
  }

  collect(value: OUT): void {
    this.context.metrics.numRecordsOut++;
    this.target.processElement(value, this.time);
  }

  get window(): W {
    return present(this.current, "a window is firing");
  }

  currentProcessingTime(): number {
    return this.timers.currentProcessingTime();
  }

  currentWatermark(): number {
    return this.timers.currentWatermark;
  }

  windowState(): KeyedStateAccess {
    if (this.perWindow !== undefined) return this.perWindow;
    throw new StreamError("PARAMETER_INVALID", {
      what: `windowState() in "${this.context.operatorName}"`,
      problem: "windows that merge have no state of their own",
    });
  }

  globalState(): KeyedStateAccess {
    return this.overall;
  }

  output<T>(tag: OutputTag<T>, value: T): void {
    this.sideOutputs.emit(tag, value, this.time);
  }
}
