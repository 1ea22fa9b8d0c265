import { options, type Rule, signature } from "../rule.ts";

/** The table changed under the committer. */
export const sinkCommitConflict: Rule = signature({
  code: "sink-commit-conflict",
  clues: [
    {
      text: /File deletion conflicts detected|[Cc]onflicts? detected!? ?.*(?:[Gg]ive up commit|commit)|Give up committing|LSM conflicts|which is not previously added|Trying to (?:delete|add) file \S+ .*(?:not previously added|already added)/u,
      confidence: 0.96,
    },
    {
      text: /CommitFailedException|ValidationException: (?:Cannot commit|Found conflicting)|ConcurrentAppendException|ConcurrentWriteException|ConcurrentModificationException: .*(?:commit|transaction)|HoodieWriteConflictException/u,
      roles: ["task", "job", "checkpoint", "report"],
      confidence: 0.9,
    },
    {
      text: /Cannot (?:commit|find) .*(?:snapshot|table).*(?:rolled back|does not|newer|older)/u,
      roles: ["task", "job", "checkpoint", "report"],
      confidence: 0.8,
    },
  ],
  remediesOf: (facts) =>
    facts.has(/paimon|File deletion conflicts|Global Committer/u)
      ? options(facts, ["write-only", "true"])
      : [],
});
