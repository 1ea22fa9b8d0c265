import { POSITION_GONE, positionGone } from "./source-position.ts";
import { finding, type Rule, strongest } from "../rule.ts";

/** The source system no longer has the position that the checkpoint stores. */
export const sourcePositionPurged: Rule = {
  code: "source-position-purged",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, POSITION_GONE);
    if (best === undefined || positionGone(facts) === "incomplete") return undefined;
    const confidence = /trouble|note/u.test(best.match.statement.role) ? 0.88 : best.confidence;
    const postgres = /WAL|replication slot|LSN/u.test(best.match.statement.text);
    const proposals = postgres
      ? [
          {
            key: "max_slot_wal_keep_size",
            current: facts.settingNamed("max_slot_wal_keep_size")?.value,
            proposed: undefined,
          },
        ]
      : [];
    return finding(facts, "source-position-purged", confidence, best.match, {}, proposals);
  },
};
