import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  conformanceLines,
  runConformance,
  type ScenarioText,
} from "../src/testing/conformance/index.ts";

const OWN = fileURLToPath(new URL("golden/conformance/", import.meta.url));
const FLINK = fileURLToPath(new URL("../../shared/conformance/", import.meta.url));

function scenarioTexts(folder: string): readonly ScenarioText[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(`${folder}/${path}`, "utf8") }));
}

function fileOf(scenario: object): ScenarioText {
  return {
    path: "made.json",
    text: JSON.stringify({ format: 1, area: "made", scenarios: [scenario] }),
  };
}

async function outcomeOf(scenario: object): Promise<string> {
  const [result] = (
    await runConformance([fileOf({ id: "x", area: "made", about: "", ...scenario })])
  ).results;
  return result?.outcome.kind === "failed" ? result.outcome.problem : String(result?.outcome.kind);
}

test("the engine's own scenarios pass", async () => {
  const report = await runConformance(scenarioTexts(OWN));
  expect(conformanceLines(report).join("\n")).toMatch(/^5 passed, 0 failed, 0 not applicable$/m);
});

describe.skipIf(!existsSync(FLINK))("Flink's restated tests (needs ../shared/conformance)", () => {
  test("all of them pass, but for what is not offered yet", async () => {
    const report = await runConformance(scenarioTexts(FLINK));
    const failed = report.results.filter(({ outcome }) => outcome.kind === "failed");
    expect(failed).toEqual([]);
    expect(report.passed).toBeGreaterThan(400);
  });
});

describe("the runner fails clearly", () => {
  const valve = { kind: "watermark-valve", config: { channels: 1 } };

  test("on another output than expected", async () => {
    const steps = [{ watermark: 5, channel: 0 }, { expect: [{ watermark: 6 }] }];
    expect(await outcomeOf({ ...valve, steps })).toContain('expected [{"watermark":6}]');
  });

  test("on output that nothing expected", async () => {
    const steps = [{ watermark: 5, channel: 0 }];
    expect(await outcomeOf({ ...valve, steps })).toContain("after the last step");
  });

  test("on a kind, a config and a step that it does not know", async () => {
    expect(await outcomeOf({ kind: "teleport", steps: [] })).toContain("`teleport`");
    const config = { channels: 1, colour: "red" };
    expect(await outcomeOf({ ...valve, config, steps: [] })).toContain("`colour`");
    const steps = [{ watermark: 5, channel: 0, speed: 3 }];
    expect(await outcomeOf({ ...valve, steps })).toContain("`speed`");
  });

  test("on an error that was expected and did not come", async () => {
    const steps = [{ watermark: 5, channel: 0 }, { expectError: true }];
    expect(await outcomeOf({ ...valve, steps })).toContain("expected a failure");
  });

  test("on a file that is none", async () => {
    const report = await runConformance([{ path: "broken.json", text: "{" }]);
    expect(report.failed).toBe(1);
    expect(conformanceLines(report).join("\n")).toContain("broken.json is not JSON");
  });

  test("on records in the wrong place among watermarks", async () => {
    const config = {
      assigner: { type: "tumblingEventTime", sizeMs: 10 },
      contents: "list",
      function: "sum",
    };
    const fired = { element: ["a", 1], timestamp: 9 };
    const run = (expected: readonly object[]): Promise<string> =>
      outcomeOf({
        kind: "window-operator",
        config,
        steps: [{ element: ["a", 1], timestamp: 5 }, { watermark: 9 }, { expect: expected }],
      });
    expect(await run([fired, { watermark: 9 }])).toBe("passed");
    expect(await run([{ watermark: 9 }, fired])).toContain("output: expected");
  });
});
