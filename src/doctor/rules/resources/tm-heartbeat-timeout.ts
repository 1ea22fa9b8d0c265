import { BY_ELIMINATION, finding, options, type Rule, strongest } from "../rule.ts";
import { durationText, parseDurationMs } from "../../analysis/quantities.ts";

const CLUES = [{ text: /[Hh]eartbeat of TaskManager with id (\S+) +timed out/u, confidence: 0.97 }];

/** A TaskManager did not answer for longer than the heartbeat's time-out. */
export const tmHeartbeatTimeout: Rule = {
  code: "tm-heartbeat-timeout",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, CLUES);
    if (best === undefined) return undefined;
    const current = parseDurationMs(facts.setting("heartbeat.timeout")?.value) ?? 50_000;
    const confidence = Math.min(BY_ELIMINATION, best.confidence);
    return finding(
      facts,
      "tm-heartbeat-timeout",
      confidence,
      best.match,
      { taskManager: best.match.groups?.[1] },
      options(facts, ["heartbeat.timeout", durationText(current * 3)]),
    );
  },
};
