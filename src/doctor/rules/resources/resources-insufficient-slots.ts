import { BY_ELIMINATION, options, type Rule, signature } from "../rule.ts";

/** The cluster has too few slots for the job. */
export const resourcesInsufficientSlots: Rule = signature({
  code: "resources-insufficient-slots",
  clues: [
    {
      text: /NoResourceAvailableException|Could not acquire the minimum required resources|Slot request bulk is not fulfillable|Could not allocate (?:the required slot|enough slots|all requires slots)|Not enough resources available for scheduling/u,
      confidence: 0.93,
    },
    { text: /Could not fulfill resource requirements of job/u, confidence: 0.85 },
  ],
  judge(given, facts) {
    const confidence = Math.min(given, BY_ELIMINATION);
    const lost = facts.has(
      /no longer reachable|Connection unexpectedly closed by remote|was lost\/killed|[Hh]eartbeat of TaskManager/u,
    );
    const managers = facts.evidence.rest.taskManagers;
    return lost ? 0.55 : managers === 0 ? confidence * 0.85 : confidence;
  },
  remediesOf: (facts) =>
    options(facts, "taskmanager.numberOfTaskSlots", "parallelism.default", "slot.request.timeout"),
});
