import type { TypeSerializer } from "../../serde/index.ts";
import type { OutputTag } from "../output-tag.ts";
import type { Evictor } from "./evictor.ts";
import type { Trigger } from "./trigger/trigger.ts";
import type { Window, WindowAssigner } from "./assigner/window-assigner.ts";
import type { ProcessWindowFunction, WindowAggregation } from "./window-function.ts";

/** All that `stream.keyBy(…).window(…)…` says about one window operator. */
export interface WindowSetup<IN, ACC, MID, OUT, K, W extends Window> {
  readonly assigner: WindowAssigner<IN, W>;
  /** Undefined: the assigner's. */
  readonly trigger: Trigger<IN, W> | undefined;
  readonly evictor: Evictor<IN, W> | undefined;
  readonly allowedLatenessMs: number;
  readonly lateOutput: OutputTag<IN> | undefined;
  readonly aggregation: WindowAggregation<IN, ACC, MID>;
  /**
   * Makes the results when a window fires; called once per subtask. Undefined: what the window holds is the result. `MID` is the
   * record type for `list`.
   */
  readonly makeFunction: (() => ProcessWindowFunction<MID, OUT, K, W>) | undefined;
  readonly recordType: TypeSerializer<IN>;
  /** Used by `aggregate` only. */
  readonly accumulatorType: TypeSerializer<ACC>;
}
