import type { TypeSerializer } from "../../serde/index.ts";
import type { ContentsAdder } from "./session-form.ts";
import type { TimeWindow } from "./time-window.ts";
import type { WindowAggregation } from "./window-function.ts";
import type { WindowSetup } from "./window-setup.ts";

/** A setup whose sessions are folded. */
export type SessionSetup<IN, ACC, MID, OUT, K> = WindowSetup<IN, ACC, MID, OUT, K, TimeWindow> & {
  readonly aggregation: Exclude<WindowAggregation<IN, ACC, MID>, { readonly kind: "list" }>;
};

/** How records are folded into a session. */
export interface SessionFolding<IN, ACC, MID> {
  readonly adder: ContentsAdder<IN, ACC>;
  first(value: IN): ACC;
  merge(a: ACC, b: ACC): ACC;
  result(contents: ACC): MID;
}

/** The folding that a setup asks for. */
export function sessionFolding<IN, ACC, MID>(
  aggregation: Exclude<WindowAggregation<IN, ACC, MID>, { readonly kind: "list" }>,
): SessionFolding<IN, ACC, MID> {
  if (aggregation.kind === "aggregate") {
    const { aggregate } = aggregation;
    return {
      adder: aggregate,
      first: (value) => aggregate.add(value, aggregate.createAccumulator()),
      merge: (a, b) => aggregate.merge(a, b),
      result: (contents) => aggregate.getResult(contents),
    };
  }
  // What is reduced is of the type of the records: IN, ACC and MID are one.
  const reduce = aggregation.reduce as unknown as (a: ACC, b: ACC) => ACC;
  return {
    adder: { add: (value, contents) => reduce(contents, value as unknown as ACC) },
    first: (value) => value as unknown as ACC,
    merge: reduce,
    result: (contents) => contents as unknown as MID,
  };
}

/** The type of what a session holds. */
export function contentsType<IN, ACC, MID, OUT, K>(
  setup: SessionSetup<IN, ACC, MID, OUT, K>,
): TypeSerializer<ACC> {
  if (setup.aggregation.kind === "aggregate") return setup.accumulatorType;
  return setup.recordType as unknown as TypeSerializer<ACC>;
}
