import { type Rule, signature } from "../rule.ts";

/** The configured limit of buffered bytes ended the alignment. */
export const alignmentLimitExceeded: Rule = signature({
  code: "alignment-limit-exceeded",
  clues: [
    {
      text: /alignment phase needed to buffer more than the configured maximum bytes|alignment volume limit \(\d+ bytes\) exceeded|AlignmentLimitExceededException/u,
      confidence: 0.97,
    },
  ],
  subjects: (match) => ({ limitBytes: numberIn(match.statement.text) }),
  remedies: [["task.checkpoint.alignment.max-size", "-1"]],
});

function numberIn(text: string): number | undefined {
  const found = /\((\d+) bytes\)|maximum bytes:? (\d+)/u.exec(text);
  return found === null ? undefined : Number(found[1] ?? found[2]);
}
