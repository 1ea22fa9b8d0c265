import type { Fields } from "./fields.ts";
import type { Scenario, ScenarioStep } from "./scenario.ts";

/**
 * How scenarios of one kind are run. To add one: a file in `kinds/`, and a line in `kinds/index.ts`.
 */
export interface ScenarioKind {
  readonly kind: string;
  /**
   * Builds what the scenario is about. A kind that reads every field of the config it knows and then calls `config.done()`
   * fails clearly on one it does not know.
   *
   * @throws Anything, if the thing refuses the config: that is what `expectError` asks for.
   * @throws NotApplicable if the engine does not offer it. @throws ScenarioFault if the runner does not know the config.
   */
  start(
    config: Fields,
    steps: readonly ScenarioStep[],
  ): ScenarioInstance | Promise<ScenarioInstance>;
}

/** A kind that goes through the steps by itself. */
export interface WholeScenarioKind {
  readonly kind: string;
  /** @throws Anything if the scenario does not hold; NotApplicable if the engine does not offer what it is about. */
  run(scenario: Scenario): void | Promise<void>;
}

export interface ScenarioInstance {
  /** Executes an input step. Reads all of its fields; the runner checks that none is left. */
  act(step: Fields): void | Promise<void>;
  /**
   * Compares what has come out since the last expectation.
   *
   * @param name - The step's key that begins with `expect`, as `expect`, `expectTimers`.
   * @returns What differs, or undefined.
   */
  check(name: string, expected: unknown): string | undefined | Promise<string | undefined>;
  /** After the last step: output that no expectation covered, as text. */
  leftOver?(): string | undefined;
}
