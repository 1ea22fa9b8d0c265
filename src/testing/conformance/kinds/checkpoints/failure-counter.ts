import {
  type CheckpointFailureReason,
  countSuccess,
  decideOnFailure,
  type FailureCount,
  NO_FAILURES,
} from "../../../../checkpoint/index.ts";
import { compareListed } from "../../compare-listed.ts";
import type { Fields } from "../../fields.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

/** Whether the last failure fails the job. A negative id stands for one that is not known. */
export const failureCounterKind: ScenarioKind = {
  kind: "failure-counter",
  start(config: Fields): ScenarioInstance {
    const tolerableCount = config.number("tolerable");
    let count: FailureCount = NO_FAILURES;
    let jobFails = false;
    return {
      act(step) {
        if (step.has("success")) {
          count = countSuccess(count, step.number("success"));
          return;
        }
        const id = step.number("failure");
        const decided = decideOnFailure(
          count,
          {
            checkpointId: id < 0 ? undefined : id,
            reason: step.text("reason") as CheckpointFailureReason,
            kind: step.boolean("savepoint", false) ? "SAVEPOINT" : "CHECKPOINT",
            isFromTask: false,
          },
          tolerableCount,
        );
        ({ count } = decided);
        jobFails = decided.decision.kind !== "tolerate";
      },
      check: (_name, expected) => compareListed(expected, { jobFails }),
    };
  },
};
