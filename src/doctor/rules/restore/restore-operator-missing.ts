import { OPERATOR_MISSING, unmatchedOperator } from "./unmatched-operator.ts";
import { finding, options, type Rule, strongest } from "../rule.ts";

/** The new program has no operator for state that is stored. */
export const restoreOperatorMissing: Rule = {
  code: "restore-operator-missing",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, [OPERATOR_MISSING]);
    if (best === undefined) return undefined;
    const kind = unmatchedOperator(facts);
    const id = /operator ([0-9a-f]{32})/u.exec(facts.textOf(best.match.statement.event))?.[1];
    return finding(
      facts,
      "restore-operator-missing",
      kind === "missing" ? 0.9 : 0.5,
      best.match,
      { operatorId: id },
      options(facts, ["execution.state-recovery.ignore-unclaimed-state", "true"]),
    );
  },
};
