import { type TimeWindow, type Window } from "../../../operators/index.ts";
import { compareUnordered } from "../comparison.ts";
import { isObject } from "../scenario.ts";
import type { ScenarioKind } from "../scenario-kind.ts";
import { scenarioAssigner } from "../window-scenario-config.ts";

export const windowAssignerKind: ScenarioKind = {
  kind: "window-assigner",
  start(config) {
    const assigner = scenarioAssigner(config.object("assigner"));
    let windows: readonly Window[] = [];
    return {
      act(step) {
        const now = step.has("now") ? step.time("now") : 0;
        const timestamp = step.has("timestamp") ? step.time("timestamp") : now;
        windows = assigner.assignWindows(["key", 0], timestamp, {
          currentProcessingTime: () => now,
        });
      },
      check(_name, expected) {
        if (!isObject(expected) || !Array.isArray(expected["windows"]))
          return "expected no windows";
        return compareUnordered(expected["windows"], windows.map(bounds));
      },
    };
  },
};

function bounds(window: Window): unknown {
  if (!("start" in window)) return "global";
  const { start, end } = window as TimeWindow;
  return [start, end];
}
