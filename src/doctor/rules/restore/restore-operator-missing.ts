import { OPERATOR_MISSING, unmatched, unmatchedOperator } from "./unmatched-operator.ts";
import { finding, options, type Rule, strongest } from "../rule.ts";

/** The new program has no operator for state that is stored. */
export const restoreOperatorMissing: Rule = {
  code: "restore-operator-missing",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, [OPERATOR_MISSING]);
    if (best === undefined) return undefined;
    const kind = unmatchedOperator(facts);
    const operator = unmatched(facts);
    return finding(
      facts,
      "restore-operator-missing",
      kind === "missing" ? 0.9 : 0.5,
      best.match,
      { operatorId: operator?.id, operator: operator?.name, uid: operator?.uid },
      options(facts, ["execution.state-recovery.ignore-unclaimed-state", "true"]),
    );
  },
};
