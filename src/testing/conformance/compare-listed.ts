import { compareExactly } from "./comparison.ts";
import { isObject, ScenarioFault } from "./scenario.ts";

/** Compares the keys that the expectation lists; the others are free. Returns what differs, or undefined. */
export function compareListed(
  expected: unknown,
  actual: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!isObject(expected)) throw new ScenarioFault("An expectation of this kind is an object");
  for (const [name, value] of Object.entries(expected)) {
    if (!(name in actual))
      throw new ScenarioFault(`The answer ${name} is not known to this runner`);
    const problem = compareExactly(value, actual[name]);
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
}
