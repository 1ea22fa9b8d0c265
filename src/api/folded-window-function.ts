import type { ProcessWindowFunction } from "../operators/index.ts";
import type { FunctionObjects } from "./function-objects.ts";

/**
 * Makes a window's result from the one value that its records were folded into: as a plain function, which returns the result,
 * or as an object, which may give any number of them and has state.
 */
export type FoldedWindowFunction<IN, OUT, K, W> =
  | ((key: K, window: W, value: IN) => OUT)
  | ProcessWindowFunction<IN, OUT, K, W>;

/** Makes the function objects of a window operator that folds; undefined if the value itself is the result. */
export function foldedWindowFunctionMaker<IN, OUT, K, W>(
  windowFunction: FoldedWindowFunction<IN, OUT, K, W> | undefined,
  functions: FunctionObjects,
): (() => ProcessWindowFunction<IN, OUT, K, W>) | undefined {
  if (windowFunction === undefined) return undefined;
  if (typeof windowFunction !== "function")
    return functions.maker(windowFunction, "process window function");
  return () => ({
    process(key, { window }, values, out) {
      for (const value of values) out.collect(windowFunction(key, window, value));
    },
  });
}
