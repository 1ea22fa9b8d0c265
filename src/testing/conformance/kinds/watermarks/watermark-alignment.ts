import { AlignmentGroup } from "../../../../runtime/index.ts";
import { compareExactly } from "../../comparison.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

/** What the coordinator announces to the group of the reader that has just reported. */
export const watermarkAlignmentKind: ScenarioKind = {
  kind: "watermark-alignment",
  start(config): ScenarioInstance {
    const maxDriftMs = config.number("maxDriftMs");
    config.done();
    const groups = new Map<string, AlignmentGroup>();
    let maxAllowed: number | undefined = undefined;
    return {
      act(step) {
        const name = step.text("group");
        const group = groups.get(name) ?? new AlignmentGroup();
        groups.set(name, group);
        group.report(String(step.number("subtask")), step.time("report"));
        maxAllowed = group.maxAllowed(maxDriftMs);
      },
      check: (_name, expected) => compareExactly(expected, { maxAllowed }),
    };
  },
};
