import { POSITION_GONE, positionGone } from "./source-position.ts";
import { finding, type Rule, strongest } from "../rule.ts";

/** The position in the checkpoint lacks its beginning, so the source seems to have lost it. */
export const cdcRestoredOffsetIncomplete: Rule = {
  code: "cdc-restored-offset-incomplete",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, POSITION_GONE);
    if (best === undefined) return undefined;
    const kind = positionGone(facts);
    return kind === "incomplete"
      ? finding(facts, "cdc-restored-offset-incomplete", 0.93, best.match, {}, [])
      : undefined;
  },
};
