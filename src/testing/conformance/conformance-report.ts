import { parseScenarioFile, ScenarioFault, type ScenarioOutcome } from "./scenario.ts";
import { runScenario } from "./scenario-runner.ts";

/** A scenario file's text and where it came from. */
export interface ScenarioText {
  readonly path: string;
  readonly text: string;
}

/** What became of the scenarios of some files. */
export interface ConformanceReport {
  readonly results: readonly {
    readonly path: string;
    readonly area: string;
    readonly id: string;
    readonly about: string;
    readonly outcome: ScenarioOutcome;
  }[];
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
}

/** Runs all scenarios of the files. A file that cannot be read as one counts as a failure; so do two scenarios of one id. */
export async function runConformance(files: readonly ScenarioText[]): Promise<ConformanceReport> {
  const results: ConformanceReport["results"][number][] = [];
  const ids = new Set<string>();
  for (const { path, text } of files) {
    try {
      for (const scenario of parseScenarioFile(path, text)) {
        const outcome: ScenarioOutcome = ids.has(scenario.id)
          ? { kind: "failed", problem: "another scenario has the same id" }
          : await runScenario(scenario);
        ids.add(scenario.id);
        results.push({
          path,
          area: scenario.area,
          id: scenario.id,
          about: scenario.about,
          outcome,
        });
      }
    } catch (error) {
      if (!(error instanceof ScenarioFault)) throw error;
      const outcome: ScenarioOutcome = { kind: "failed", problem: error.message };
      results.push({ path, area: "unreadable", id: path, about: "", outcome });
    }
  }
  const count = (kind: ScenarioOutcome["kind"]): number =>
    results.filter((result) => result.outcome.kind === kind).length;
  return {
    results,
    passed: count("passed"),
    failed: count("failed"),
    notApplicable: count("not-applicable"),
  };
}

/** The report as lines for people: failures first, reasons of what does not apply, a line per area, the sum. */
export function conformanceLines(report: ConformanceReport): readonly string[] {
  const lines: string[] = [];
  for (const { id, about, outcome } of report.results) {
    if (outcome.kind === "failed") lines.push(`FAILED ${id} (${about})`, `  ${outcome.problem}`);
  }
  const areas = [...new Set(report.results.map((result) => result.area))].toSorted();
  for (const area of areas) {
    const outcomes = report.results
      .filter((result) => result.area === area)
      .map((result) => result.outcome);
    const passed = outcomes.filter((outcome) => outcome.kind === "passed").length;
    const failed = outcomes.filter((outcome) => outcome.kind === "failed").length;
    const other = outcomes.length - passed - failed;
    lines.push(`${area.padEnd(14)} ${passed} passed, ${failed} failed, ${other} not applicable`);
    for (const [reason, count] of reasons(outcomes))
      lines.push(`  ${count} not applicable: ${reason}`);
  }
  lines.push(
    `${report.passed} passed, ${report.failed} failed, ${report.notApplicable} not applicable`,
  );
  return lines;
}

function reasons(outcomes: readonly ScenarioOutcome[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) {
    if (outcome.kind !== "not-applicable") continue;
    counts.set(outcome.reason, (counts.get(outcome.reason) ?? 0) + 1);
  }
  return counts;
}
