import { operatorIdOfUid } from "../../../graph/index.ts";
import { compareExactly } from "../comparison.ts";
import type { ScenarioInstance, ScenarioKind } from "../scenario-kind.ts";

export const operatorIdKind: ScenarioKind = {
  kind: "operator-id",
  start(): ScenarioInstance {
    let id: string | undefined;
    return {
      act(step) {
        id = operatorIdOfUid(step.text("uid"));
      },
      check: (_name, expected) => compareExactly(expected, { id }),
    };
  },
};
