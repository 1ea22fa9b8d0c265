import { parseFlatYaml } from "../../../base/index.ts";
import { compareExactly } from "../comparison.ts";
import type { ScenarioInstance, ScenarioKind } from "../scenario-kind.ts";

/** The flat configuration file of Flink 1.x. Of equal keys the last counts. */
export const flatYamlKind: ScenarioKind = {
  kind: "flat-yaml",
  start(): ScenarioInstance {
    let options: Readonly<Record<string, string>> = {};
    return {
      act(step) {
        const lines = step.list("lines").map(String);
        const { entries } = parseFlatYaml(lines.join("\n"));
        options = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
      },
      check: (_name, expected) => compareExactly(expected, { options }),
    };
  },
};
