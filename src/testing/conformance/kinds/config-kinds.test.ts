import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

import { runConformance } from "../conformance-report.ts";
import { runScenario } from "../scenario-runner.ts";
import type { ScenarioStep } from "../scenario.ts";

const folder = fileURLToPath(new URL("../../../../../shared/conformance/config/", import.meta.url));

function scenario(kind: string, steps: readonly ScenarioStep[]): Parameters<typeof runScenario>[0] {
  return { id: "own", area: "config", kind, about: "", config: {}, steps };
}

describe("kind values", () => {
  test("a duration is read in nanoseconds and written with its largest unit", async () => {
    const steps = [
      { parseDuration: "10 micro" },
      { expect: { nanos: "10000" } },
      { formatDurationNs: "90000000000" },
      { expect: { text: "90 s" } },
    ];
    expect(await runScenario(scenario("values", steps))).toEqual({ kind: "passed" });
  });

  test("a text that is no size fails, as expectError asks", async () => {
    const steps = [{ parseMemory: "1 gig" }, { expectError: true }];
    expect(await runScenario(scenario("values", steps))).toEqual({ kind: "passed" });
  });

  test("a wrong expectation is found", async () => {
    const steps = [{ parseMemory: "1", defaultUnit: "MEGA_BYTES" }, { expect: { bytes: "1" } }];
    expect((await runScenario(scenario("values", steps))).kind).toBe("failed");
  });
});

describe("kind flat-yaml", () => {
  test("of equal keys the last counts", async () => {
    const steps = [{ lines: ["k: 1", "k: 2"] }, { expect: { options: { k: "2" } } }];
    expect(await runScenario(scenario("flat-yaml", steps))).toEqual({ kind: "passed" });
  });
});

test.skipIf(!existsSync(folder))("all restated configuration tests of Flink pass", async () => {
  const files = readdirSync(folder).map((name) => ({
    path: name,
    text: readFileSync(`${folder}${name}`, "utf8"),
  }));
  const report = await runConformance(files);
  expect(report.results.length).toBeGreaterThan(20);
  expect(report.results.filter(({ outcome }) => outcome.kind !== "passed")).toEqual([]);
});
