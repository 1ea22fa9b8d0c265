import { OPERATOR_MISSING, unmatched, unmatchedOperator } from "./unmatched-operator.ts";
import { finding, options, type Rule, strongest } from "../rule.ts";

/** An operator kept its name and changed its uid. */
export const restoreOperatorUidChanged: Rule = {
  code: "restore-operator-uid-changed",
  needs: ["logs", "metadata"],
  examine(facts) {
    const best = strongest(facts, [OPERATOR_MISSING]);
    if (best === undefined) return undefined;
    const kind = unmatchedOperator(facts);
    const operator = unmatched(facts);
    return finding(
      facts,
      "restore-operator-uid-changed",
      kind === "renamed" ? 0.9 : 0.35,
      best.match,
      { operatorId: operator?.id, operator: operator?.name, uid: operator?.uid },
      options(facts, "execution.state-recovery.ignore-unclaimed-state"),
    );
  },
};
