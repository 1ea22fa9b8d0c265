export {
  causeFact,
  CAUSES,
  type CauseCode,
  isCauseCode,
  type TrianglePlace,
} from "./cause-codes.ts";
export { type Diagnosis, diagnoseEvidence, type Verdict } from "./diagnosis.ts";
export type { DoctorInput } from "./evidence/input-reader.ts";
export { readEvidence } from "./evidence/input-reader.ts";
export type { Finding, Remedy } from "./rules/rule.ts";
export { RULES } from "./rules/index.ts";
export { diagnose } from "./diagnose.ts";
export { isReadBy, sameOption } from "./analysis/option-names.ts";
