import {
  hasDerivedId,
  OPERATOR_MISSING,
  unmatched,
  unmatchedOperator,
} from "./unmatched-operator.ts";
import { finding, options, type Rule, strongest } from "../rule.ts";

/** Operator ids moved, because they are derived from the program's shape instead of being set. */
export const restoreOperatorIdsUnstable: Rule = {
  code: "restore-operator-ids-unstable",
  needs: ["logs", "settings"],
  examine(facts) {
    const best = strongest(facts, [OPERATOR_MISSING]);
    if (best === undefined) return undefined;
    const kind = unmatchedOperator(facts);
    const operator = unmatched(facts);
    return finding(
      facts,
      "restore-operator-ids-unstable",
      kind === "unstable" ? (hasDerivedId(facts) ? 0.79 : 0.9) : 0.4,
      best.match,
      { operatorId: operator?.id, operator: operator?.name, uid: operator?.uid },
      options(facts, ["pipeline.auto-generate-uids", "false"]),
    );
  },
};
