import { slowWrite } from "./slow-write.ts";
import type { Rule } from "../rule.ts";

/** The state is too large to be written within the time-out. */
export const checkpointTimeoutLargeState: Rule = {
  code: "checkpoint-timeout-large-state",
  needs: ["rest", "logs"],
  examine: (facts) => slowWrite(facts, "checkpoint-timeout-large-state"),
};
