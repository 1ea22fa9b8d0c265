import { MIN_TIMESTAMP } from "../../../../base/index.ts";
import { timestampsAndWatermarksOperator } from "../../../../operators/index.ts";
import { OperatorScenario } from "../../operator-scenario.ts";
import type { ScenarioKind } from "../../scenario-kind.ts";
import { scenarioStrategy } from "./watermark-generator.ts";

export const assignTimestampsKind: ScenarioKind = {
  kind: "assign-timestamps",
  start(config) {
    const strategy = scenarioStrategy(config).withTimestampAssigner((element) => element);
    return OperatorScenario.start<number>({
      setup: {
        factory: timestampsAndWatermarksOperator(strategy),
        autoWatermarkIntervalMs: config.number("intervalMs", 200),
      },
      isOrdered: true,
      act(step, harness) {
        if (step.has("finish")) {
          if (step.boolean("finish")) harness.finish();
          return;
        }
        harness.processElement(step.time("element"), step.time("timestamp", MIN_TIMESTAMP));
      },
    });
  },
};
