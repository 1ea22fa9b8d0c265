import { StreamError } from "../../base/index.ts";
import type { OneInputOperator, OperatorFactory } from "../operator.ts";
import { mergingWindowOperator } from "./merging-window-operator.ts";
import { isMergingAssigner, type Window } from "./window-assigner.ts";
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
  if (!(setup.allowedLatenessMs >= 0)) {
    throw new StreamError("PARAMETER_INVALID", {
      what: "allowedLateness",
      problem: `${setup.allowedLatenessMs} ms is not a time of at least 0 ms`,
    });
  }
  if (!isMergingAssigner(assigner)) return generalWindowOperator(kind, setup);
  if (trigger.onMerge === undefined) {
    throw new StreamError("PARAMETER_INVALID", {
      what: `window(${assigner.name})`,
      problem: `its windows merge, and ${trigger.name} cannot`,
    });
  }
  return mergingWindowOperator(kind, setup, assigner);
}
