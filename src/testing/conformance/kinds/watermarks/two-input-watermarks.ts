import { coMapOperator } from "../../../../operators/index.ts";
import { OperatorScenario } from "../../operator-scenario.ts";
import type { ScenarioKind } from "../../scenario-kind.ts";

const identity = (value: unknown): unknown => value;

export const twoInputWatermarksKind: ScenarioKind = {
  kind: "two-input-watermarks",
  start() {
    return OperatorScenario.start<unknown>({
      setup: { factory: coMapOperator(identity, identity), inputCount: 2 },
      isOrdered: true,
      act(step, harness) {
        const input = step.number("input") === 2 ? 2 : 1;
        harness.processElement(step.any("element"), step.time("timestamp"), { input });
      },
    });
  },
};
