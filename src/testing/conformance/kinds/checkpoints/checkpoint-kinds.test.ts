import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { parseScenarioFile } from "../../scenario.ts";
import { runScenario } from "../../scenario-runner.ts";

const DIRECTORY = join(import.meta.dirname, "../../../../../../shared/conformance/checkpoints");

const scenarios = existsSync(DIRECTORY)
  ? readdirSync(DIRECTORY)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => parseScenarioFile(name, readFileSync(join(DIRECTORY, name), "utf8")))
  : [];

describe("what Flink does with checkpoints, as data", () => {
  test.skipIf(scenarios.length > 0)("the scenario files are not beside the repository", (context) =>
    context.skip(),
  );

  test.each(scenarios)("$id: $about", async (scenario) => {
    expect(await runScenario(scenario)).toEqual({ kind: "passed" });
  });
});
