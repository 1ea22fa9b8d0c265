import { errorText } from "../../base/index.ts";
import { Fields } from "./fields.ts";
import { NOT_OFFERED, SCENARIO_KINDS } from "./kinds/index.ts";
import { NotApplicable, type Scenario, ScenarioFault, type ScenarioOutcome } from "./scenario.ts";
import type { ScenarioInstance } from "./scenario-kind.ts";

const KINDS = new Map(SCENARIO_KINDS.map((kind) => [kind.kind, kind]));

/** Runs one scenario. Whatever goes wrong is in the outcome. */
export async function runScenario(scenario: Scenario): Promise<ScenarioOutcome> {
  const reason = NOT_OFFERED.get(scenario.kind);
  if (reason !== undefined) return { kind: "not-applicable", reason };
  try {
    const problem = await runSteps(scenario);
    return problem === undefined ? { kind: "passed" } : { kind: "failed", problem };
  } catch (error) {
    if (error instanceof NotApplicable) return { kind: "not-applicable", reason: error.message };
    return {
      kind: "failed",
      problem: error instanceof ScenarioFault ? error.message : describe(error),
    };
  }
}

async function runSteps(scenario: Scenario): Promise<string | undefined> {
  const kind = KINDS.get(scenario.kind);
  if (kind === undefined)
    throw new ScenarioFault(`The kind \`${scenario.kind}\` is not known to this runner`);
  if ("run" in kind) {
    await kind.run(scenario);
    return undefined;
  }
  const config = new Fields(scenario.config, "config");
  let instance: ScenarioInstance | undefined;
  const { steps } = scenario;
  const begun = await attempt(async () => {
    instance = await kind.start(config, steps);
    config.done();
  });
  if (expectsError(steps[0])) {
    if (steps.length > 1) throw new ScenarioFault("There are steps after the refused config");
    return errorProblem(begun, 0);
  }
  // What is refused when it is built may be expected to fail at its first use.
  if (begun !== undefined && expectsError(steps[1]) && steps.length === 2) return undefined;
  if (begun !== undefined) throw begun.error;
  if (instance === undefined) throw new ScenarioFault("The kind has built nothing");
  for (const [index, step] of steps.entries()) {
    const place = `step ${index + 1}`;
    const expectations = Object.keys(step).filter((name) => name.startsWith("expect"));
    if (expectations.length > 1) throw new ScenarioFault(`${place} has more than one expectation`);
    const [expectation] = expectations;
    // Compared with the step before it.
    if (expectation === "expectError") continue;
    if (expectation !== undefined) {
      const problem = await instance.check(expectation, step[expectation]);
      if (problem !== undefined) return `${place}: ${problem}`;
      continue;
    }
    const failure = await act(instance, step, place);
    if (expectsError(steps[index + 1])) {
      const problem = errorProblem(failure, index + 1);
      if (problem !== undefined) return problem;
    } else if (failure !== undefined) throw failure.error;
  }
  const left = instance.leftOver?.();
  return left === undefined ? undefined : `after the last step: ${left}`;
}

async function act(
  instance: ScenarioInstance,
  step: Readonly<Record<string, unknown>>,
  place: string,
): Promise<Failure | undefined> {
  const fields = new Fields(step, place);
  const failure = await attempt(() => instance.act(fields));
  if (failure === undefined) fields.done();
  return failure;
}

interface Failure {
  readonly error: unknown;
}

/** Runs it; an error of the thing under test is returned, one of the runner is thrown. */
async function attempt(action: () => void | Promise<void>): Promise<Failure | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof ScenarioFault || error instanceof NotApplicable) throw error;
    return { error };
  }
}

function expectsError(step: Readonly<Record<string, unknown>> | undefined): boolean {
  return step?.["expectError"] === true;
}

function errorProblem(failure: Failure | undefined, index: number): string | undefined {
  return failure === undefined
    ? `step ${index + 1}: expected a failure, and there was none`
    : undefined;
}

function describe(error: unknown): string {
  const text = `failed with ${error instanceof Error ? error.name : "an error"}: ${errorText(error)}`;
  const place =
    error instanceof Error
      ? error.stack?.split("\n").find((line) => /^\s+at /.test(line))
      : undefined;
  return place === undefined ? text : `${text} (${place.trim()})`;
}
