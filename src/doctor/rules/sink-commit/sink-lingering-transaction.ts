import { type Rule, signature } from "../rule.ts";

/** The transaction of the attempt before was not aborted and blocks its label. */
export const sinkLingeringTransaction: Rule = signature({
  code: "sink-lingering-transaction",
  clues: [
    {
      text: /ExistingJobStatus"?: ?"?(?:PREPARED?|PRECOMMITTED|RUNNING|PRE_COMMITTED)/iu,
      confidence: 0.97,
    },
    {
      text: /Label .*already (?:exists|been used)|LABEL_ALREADY_EXISTS/iu,
      and: /\b(?:PREPARED?|PRECOMMITTED|PRE_COMMITTED)\b|rollback (?:failed|timeout)|abort .*failed/iu,
      confidence: 0.93,
    },
    {
      text: /abort (?:lingering|pre-?commit\w*) transaction.*fail|lingering transaction/iu,
      confidence: 0.88,
    },
  ],
  judge: (confidence, _facts, match) =>
    match.statement.role === "note" || match.statement.role === "trouble"
      ? Math.max(confidence, 0.88)
      : confidence,
  remedies: ["sink.label-prefix"],
});
