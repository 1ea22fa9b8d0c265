import { mergeTimeWindows, TimeWindow } from "../../../operators/index.ts";
import { canonicalText, compareUnordered } from "../comparison.ts";
import { toTime } from "../fields.ts";
import { isObject, ScenarioFault } from "../scenario.ts";
import type { ScenarioKind } from "../scenario-kind.ts";

export const mergeWindowsKind: ScenarioKind = {
  kind: "merge-windows",
  start() {
    let merges: readonly unknown[] = [];
    return {
      act(step) {
        const windows = step.list("merge").map(toWindow);
        merges = mergeTimeWindows(windows).map(({ merged, result }) => ({
          result: [result.start, result.end],
          merged: merged.map(({ start, end }) => [start, end]),
        }));
      },
      check(_name, expected) {
        if (!Array.isArray(expected)) throw new ScenarioFault("`expect` is no list");
        return compareUnordered(expected.map(withSortedParts), merges.map(withSortedParts));
      },
    };
  },
};

function toWindow(value: unknown): TimeWindow {
  const [start, end] = Array.isArray(value) ? value.map(toTime) : [];
  if (start === undefined || end === undefined)
    throw new ScenarioFault("A window is no pair of times");
  return new TimeWindow(start, end);
}

function withSortedParts(merge: unknown): unknown {
  if (!isObject(merge) || !Array.isArray(merge["merged"])) return merge;
  return { ...merge, merged: merge["merged"].map(canonicalText).toSorted() };
}
