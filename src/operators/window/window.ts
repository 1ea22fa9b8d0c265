import { StreamError } from "../../base/index.ts";
import { requireSynchronous, requireSynchronousFunction } from "../function/synchronous.ts";
import type { OneInputOperator, OperatorFactory } from "../operator.ts";
import { mergingWindowOperator } from "./merging-window-operator.ts";
import { type PaneAssigner, type PaneSetup, paneWindowOperator } from "./pane-window-operator.ts";
import type { SessionSetup } from "./session-folding.ts";
import { sessionWindowOperator } from "./session-window-operator.ts";
import { EventTimeSessionWindows } from "./assigner/session-windows.ts";
import { SlidingEventTimeWindows } from "./assigner/sliding-windows.ts";
import { EventTimeTrigger } from "./trigger/event-time-trigger.ts";
import { TumblingEventTimeWindows } from "./assigner/tumbling-windows.ts";
import { isMergingAssigner, type Window } from "./assigner/window-assigner.ts";
import { generalWindowOperator } from "./window-operator.ts";
import type { WindowSetup } from "./window-setup.ts";

/**
 * The operator of `stream.keyBy(…).window(…)`.
 *
 * @throws StreamError PARAMETER_INVALID if trigger or lateness do not fit the windows.
 */
export function windowOperator<IN, ACC, MID, OUT, K, W extends Window>(
  setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  const { assigner } = setup;
  const trigger = setup.trigger ?? assigner.getDefaultTrigger();
  const kind = `Window(${assigner.name}, ${trigger.name})`;
  const { aggregation } = setup;
  if (aggregation.kind === "aggregate") requireSynchronous("a window", aggregation.aggregate);
  if (aggregation.kind === "reduce") requireSynchronousFunction("reduce", aggregation.reduce);
  if (!(setup.allowedLatenessMs >= 0)) {
    throw new StreamError("PARAMETER_INVALID", {
      what: "allowedLateness",
      problem: `${setup.allowedLatenessMs} ms is not a time of at least 0 ms`,
    });
  }
  if (!isMergingAssigner(assigner)) {
    const panes = asPanes(setup);
    return panes === undefined
      ? generalWindowOperator(kind, setup)
      : paneWindowOperator(kind, panes.setup, panes.assigner);
  }
  if (trigger.onMerge === undefined) {
    throw new StreamError("PARAMETER_INVALID", {
      what: `window(${assigner.name})`,
      problem: `its windows merge, and ${trigger.name} cannot`,
    });
  }
  if (
    assigner instanceof EventTimeSessionWindows &&
    setup.aggregation.kind !== "list" &&
    firesOnceAtEnd(setup)
  ) {
    const sessions = setup as unknown as SessionSetup<IN, ACC, MID, OUT, K>;
    return sessionWindowOperator(kind, sessions, assigner);
  }
  return mergingWindowOperator(kind, setup, assigner);
}

/** The setup as one for panes; undefined if its windows may do more than fire once at their end. */
function asPanes<IN, ACC, MID, OUT, K, W extends Window>(
  setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
):
  | { readonly setup: PaneSetup<IN, ACC, MID, OUT, K>; readonly assigner: PaneAssigner }
  | undefined {
  const { assigner, aggregation } = setup;
  const isPaneAssigner =
    assigner instanceof TumblingEventTimeWindows || assigner instanceof SlidingEventTimeWindows;
  if (!isPaneAssigner || aggregation.kind === "list" || !firesOnceAtEnd(setup)) return undefined;
  return { setup: setup as unknown as PaneSetup<IN, ACC, MID, OUT, K>, assigner };
}

function firesOnceAtEnd<IN, ACC, MID, OUT, K, W extends Window>(
  setup: WindowSetup<IN, ACC, MID, OUT, K, W>,
): boolean {
  const isDefault = setup.trigger === undefined || setup.trigger instanceof EventTimeTrigger;
  return isDefault && setup.evictor === undefined && setup.allowedLatenessMs === 0;
}
