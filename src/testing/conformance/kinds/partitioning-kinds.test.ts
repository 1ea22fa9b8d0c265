import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { conformanceLines, runConformance } from "../index.ts";

const DIRECTORY = join(import.meta.dirname, "../../../../../shared/conformance/partitioning");

test.skipIf(!existsSync(DIRECTORY))("partitioning is as Flink's own tests say", async () => {
  const files = readdirSync(DIRECTORY).map((name) => ({
    path: name,
    text: readFileSync(join(DIRECTORY, name), "utf8"),
  }));
  const report = await runConformance(files);
  expect(report.failed, conformanceLines(report).join("\n")).toBe(0);
  expect(report.passed).toBeGreaterThan(0);
});

test("a wrong expectation about chains, ids or producers is a failure", async () => {
  const scenario = (kind: string, config: object, steps: readonly object[]) => ({
    path: kind,
    text: JSON.stringify({
      format: 1,
      area: "partitioning",
      group: kind,
      about: "",
      scenarios: [
        {
          id: kind,
          area: "partitioning",
          kind,
          about: "",
          flinkVersion: "2.3.0",
          source: "rule",
          config,
          steps,
        },
      ],
    }),
  });
  const operators = [{ id: "src" }, { id: "m", inputs: [{ from: "src" }] }];
  const report = await runConformance([
    scenario("job-graph", { operators }, [{ expect: { chains: [["src"], ["m"]] } }]),
    scenario("operator-id", {}, [{ uid: "a" }, { expect: { id: "00" } }]),
    scenario("pointwise", {}, [{ upstream: 2, downstream: 1 }, { expect: { inputsOf: [[0]] } }]),
  ]);
  expect(report.failed).toBe(3);
});
