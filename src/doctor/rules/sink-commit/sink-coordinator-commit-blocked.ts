import { type Rule, signature } from "../rule.ts";

/** The sink's coordinator is still busy with the commit before. */
export const sinkCoordinatorCommitBlocked: Rule = signature({
  code: "sink-coordinator-commit-blocked",
  clues: [
    {
      text: /Timeout\(?\s?\d+ ?ms\)? while waiting for (?:instant|the instant|pending instant|commit)|while waiting for instant initialize/u,
      confidence: 0.96,
    },
  ],
  remedies: ["write.commit.ack.timeout"],
});
