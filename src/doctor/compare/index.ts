import type { Diagnosis } from "../diagnosis.ts";
import { type Comparison, compareEnvironments } from "./compare-environments.ts";
import { environmentOf } from "./environment.ts";

export type { Comparison, Difference, Effect } from "./compare-environments.ts";
export { renderComparison, renderComparisonJson } from "./render-comparison.ts";

/** Lays the evidence of two diagnoses side by side. */
export function compareDiagnoses(left: Diagnosis, right: Diagnosis): Comparison {
  return compareEnvironments(environmentOf(left), environmentOf(right));
}
