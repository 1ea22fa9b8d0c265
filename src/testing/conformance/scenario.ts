import { errorText } from "../../base/index.ts";

/** One scenario of a file: what is built, what is done to it in order, and what must come of it. */
export interface Scenario {
  readonly id: string;
  readonly area: string;
  readonly kind: string;
  readonly about: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly steps: readonly ScenarioStep[];
}

export type ScenarioStep = Readonly<Record<string, unknown>>;

/** What became of one scenario. */
export type ScenarioOutcome =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly problem: string }
  /** The engine does not offer what the scenario is about. */
  | { readonly kind: "not-applicable"; readonly reason: string };

/** A scenario file that is not as the format demands, or asks for something that this runner does not know. */
export class ScenarioFault extends Error {
  override readonly name = "ScenarioFault";
}

/** Thrown by a kind for what the engine does not offer. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
}

/**
 * The scenarios of one file.
 *
 * @throws ScenarioFault naming the file, if it is no scenario file of format 1.
 */
export function parseScenarioFile(path: string, text: string): readonly Scenario[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new ScenarioFault(`${path} is not JSON: ${errorText(error)}`);
  }
  if (!isObject(file) || file["format"] !== 1)
    throw new ScenarioFault(`${path} is not of format 1`);
  const { scenarios } = file;
  if (!Array.isArray(scenarios)) throw new ScenarioFault(`${path} has no list of scenarios`);
  return scenarios.map((scenario: unknown, index) => toScenario(path, index, file, scenario));
}

function toScenario(
  path: string,
  index: number,
  file: Readonly<Record<string, unknown>>,
  value: unknown,
): Scenario {
  const place = `${path}, scenario ${index + 1}`;
  if (!isObject(value)) throw new ScenarioFault(`${place} is no object`);
  const { id, kind, about, steps } = value;
  const area = value["area"] ?? file["area"];
  if (typeof id !== "string" || typeof kind !== "string" || typeof area !== "string") {
    throw new ScenarioFault(`${place} lacks id, kind or area`);
  }
  const config = value["config"] ?? {};
  if (!isObject(config)) throw new ScenarioFault(`${id}: its config is no object`);
  if (!Array.isArray(steps) || !steps.every(isObject)) {
    throw new ScenarioFault(`${id}: its steps are no list of objects`);
  }
  return { id, area, kind, about: typeof about === "string" ? about : "", config, steps };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
