import { deepStrictEqual } from "node:assert/strict";

/** One step: an input, or an expectation. */
export type ConformanceStep = Readonly<Record<string, unknown>>;

/** One scenario of a conformance file. */
export interface ConformanceScenario {
  readonly id: string;
  readonly kind: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly steps: readonly ConformanceStep[];
}

/** What a kind of scenario brings to {@link compareSteps}. */
export interface StepRunner {
  /** Carries out one input step; what came out of it. */
  perform(step: ConformanceStep): readonly unknown[];
  /** Answers of `expect…` keys other than `expect`. */
  readonly expectations: Readonly<Record<string, () => unknown>>;
}

/**
 * Runs the steps in order. `expect` compares all output since the `expect` before it.
 *
 * @throws AssertionError of Node at the first difference, or if output is left that nothing expected.
 */
export function compareSteps(scenario: ConformanceScenario, runner: StepRunner): void {
  let output: unknown[] = [];
  for (const [index, step] of scenario.steps.entries()) {
    const place = `${scenario.id}, step ${index}`;
    const expectation = Object.keys(step).find((key) => key.startsWith("expect"));
    if (expectation === undefined) {
      output.push(...runner.perform(step));
    } else if (expectation === "expect") {
      assertSame(output, step["expect"], place);
      output = [];
    } else {
      const answer = runner.expectations[expectation];
      if (answer === undefined) throw new Error(`${place}: unknown expectation ${expectation}`);
      assertSame(answer(), step[expectation], place);
    }
  }
  assertSame(output, [], `${scenario.id}, left over`);
}

/** Compares by content. */
export function assertSame(actual: unknown, expected: unknown, place: string): void {
  const message = `${place}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
  deepStrictEqual(actual, expected, message);
}
