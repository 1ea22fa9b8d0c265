import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { describe, test } from "vitest";

import { runBarrierHandlerScenario } from "./barrier-handler.ts";
import {
  runCheckpointPlanScenario,
  runCheckpointRequestsScenario,
  runFailureCounterScenario,
  runRestartStrategyScenario,
  runRetainedCheckpointsScenario,
  runRetentionScenario,
} from "./checkpoint-decisions.ts";
import type { ConformanceScenario } from "./checkpoint-scenario.ts";

const DIRECTORY = join(import.meta.dirname, "../../../../../shared/conformance/checkpoints");

const RUNNERS: Readonly<Record<string, (scenario: ConformanceScenario) => void | Promise<void>>> = {
  "barrier-handler": runBarrierHandlerScenario,
  "checkpoint-plan": runCheckpointPlanScenario,
  "checkpoint-requests": runCheckpointRequestsScenario,
  "failure-counter": runFailureCounterScenario,
  "restart-strategy": runRestartStrategyScenario,
  "retained-checkpoints": runRetainedCheckpointsScenario,
  retention: runRetentionScenario,
};

const scenarios = existsSync(DIRECTORY)
  ? readdirSync(DIRECTORY)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => {
        const file = JSON.parse(readFileSync(join(DIRECTORY, name), "utf8")) as {
          readonly scenarios: readonly ConformanceScenario[];
        };
        return file.scenarios;
      })
  : [];

describe("what Flink does with checkpoints, as data", () => {
  test.skipIf(scenarios.length > 0)(
    "the scenario files are not beside the repository",
    (context) => {
      context.skip();
    },
  );
  test.each(scenarios.filter(({ kind }) => kind in RUNNERS))("$id", (scenario) =>
    RUNNERS[scenario.kind]?.(scenario),
  );
});
