import type { AggregateFunction } from "../../state/index.ts";
import type { Collector } from "../function/process-function.ts";
import type { KeyedStateAccess, UserFunction } from "../function/user-function.ts";
import type { ReduceFunction } from "../keyed-reduce.ts";
import type { OutputTag } from "../output-tag.ts";

/** What a window function can reach while a window fires. Valid only during the call. */
export interface ProcessWindowContext<W> {
  readonly window: W;
  currentProcessingTime(): number;
  currentWatermark(): number;
  /** State of this key and window; cleared in `clear`. Not for windows that merge. */
  windowState(): KeyedStateAccess;
  /** State of this key over all windows. */
  globalState(): KeyedStateAccess;
  /** Sends to a side output, with the timestamp of the window's results. */
  output<T>(tag: OutputTag<T>, value: T): void;
}

/** Makes a window's results when it fires: from all of its records, or from the one value they were folded into. */
export interface ProcessWindowFunction<IN, OUT, K, W> extends UserFunction {
  process(
    key: K,
    context: ProcessWindowContext<W>,
    elements: Iterable<IN>,
    out: Collector<OUT>,
  ): void;
  /** The window is given up: clears what the function keeps in `windowState()`. */
  clear?(context: ProcessWindowContext<W>): void;
}

/** The plain form of {@link ProcessWindowFunction}, for `apply`: returns the results as an iterable, or gives them to the collector. */
export type WindowFunction<IN, OUT, K, W> = (
  key: K,
  window: W,
  elements: Iterable<IN>,
  out: Collector<OUT>,
) => Iterable<OUT> | void;

/** A {@link WindowFunction} as an object. */
export function applyFunction<IN, OUT, K, W>(
  apply: WindowFunction<IN, OUT, K, W>,
): ProcessWindowFunction<IN, OUT, K, W> {
  return {
    process(key, context, elements, out) {
      const results = apply(key, context.window, elements, out);
      if (results !== undefined) for (const result of results) out.collect(result);
    },
  };
}

/** How the records of a window are kept until it fires. */
export type WindowAggregation<IN, ACC, MID> =
  /** All of them, in order of arrival. */
  | { readonly kind: "list" }
  /** Folded into one value of the same type, which for this case is `MID` as well. */
  | { readonly kind: "reduce"; readonly reduce: ReduceFunction<IN & MID> }
  /** Folded into an accumulator. */
  | { readonly kind: "aggregate"; readonly aggregate: AggregateFunction<IN, ACC, MID> };
