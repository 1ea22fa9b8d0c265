import type { Platform } from "../base/index.ts";
import { type Diagnosis, diagnoseEvidence } from "./diagnosis.ts";
import { type DoctorInput, readEvidence } from "./evidence/input-reader.ts";
import { RULES } from "./rules/index.ts";
import type { Rule } from "./rules/rule.ts";

export interface DiagnoseOptions {
  /** Which rules to ask; all by default. */
  readonly rules?: readonly Rule[];
}

/** Reads the inputs and says what is wrong, or that nothing is, or what is missing to tell. */
export async function diagnose(
  inputs: readonly DoctorInput[],
  platform: Platform,
  given: DiagnoseOptions = {},
): Promise<Diagnosis> {
  return diagnoseEvidence(await readEvidence(inputs, platform), given.rules ?? RULES);
}
