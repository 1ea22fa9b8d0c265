import { type Rule, signature } from "../rule.ts";

/** The job started without state and uses labels again that were used before. */
export const sinkLabelReusedAfterStatelessRestart: Rule = signature({
  code: "sink-label-reused-after-stateless-restart",
  clues: [
    {
      text: /Label Already Exists|LABEL_ALREADY_EXISTS|Label \[?\S+\]? has already been used/iu,
      confidence: 1.08,
    },
  ],
  judge(confidence, facts) {
    if (
      facts.has(
        /ExistingJobStatus"?: ?"?(?:PREPARED?|PRECOMMITTED|RUNNING|PRE_COMMITTED)|job status(?: is|:) ?(?:PREPARE|PRECOMMITTED|RUNNING)|still (?:PREPARED?|PRECOMMITTED|running)/iu,
      )
    )
      return 0.3;
    return Math.min(0.95, confidence);
  },
  subjects: (match, facts) => ({
    label: /Label"?: ?"([^"]+)|Label \[(\S+?)\]/u
      .exec(facts.textOf(match.statement.event))
      ?.slice(1)
      .find((text) => text !== undefined),
  }),
  remedies: ["sink.label-prefix"],
});
