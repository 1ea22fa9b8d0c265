import { slowWrite } from "./slow-write.ts";
import type { Rule } from "../rule.ts";

/** The storage takes even a small state too slowly. */
export const checkpointTimeoutSlowUpload: Rule = {
  code: "checkpoint-timeout-slow-upload",
  needs: ["rest", "logs"],
  examine: (facts) => slowWrite(facts, "checkpoint-timeout-slow-upload"),
};
