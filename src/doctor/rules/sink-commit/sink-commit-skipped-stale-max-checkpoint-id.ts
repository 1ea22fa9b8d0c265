import { type Rule, signature } from "../rule.ts";

/** Commits are skipped as done already, because a greater checkpoint id is stored in the table. */
export const sinkCommitSkippedStaleMaxCheckpointId: Rule = signature({
  code: "sink-commit-skipped-stale-max-checkpoint-id",
  clues: [
    {
      text: /[Ss]kip(?:ping|ped)?(?: the)? commit(?:ting)?.*(?:checkpoint|already)|(?:checkpoint|Checkpoint) ?(?:id )?:? ?\d+.*(?:already (?:been )?committed|has been committed|max-committed-checkpoint-id|maxCommittedCheckpointId|max committed checkpoint)/u,
      confidence: 1.15,
    },
    { text: /max-committed-checkpoint-id[^\d]{0,10}(\d+)/u, confidence: 1.0 },
  ],
  judge(confidence, facts) {
    const stored = facts.statements
      .map(
        (statement) => /max-?committed-?checkpoint-?id[^\d]{0,12}(\d+)/iu.exec(statement.text)?.[1],
      )
      .find((text) => text !== undefined);
    const newest = Math.max(0, ...facts.completedIds);
    if (stored !== undefined && newest > 0) return Number(stored) > newest ? 0.94 : 0.5;
    return Math.min(0.9, confidence);
  },
});
