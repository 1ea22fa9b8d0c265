import { options, type Rule, signature } from "../rule.ts";

/** The configured number of key groups differs from the stored one. */
export const restoreMaxParallelismChanged: Rule = signature({
  code: "restore-max-parallelism-changed",
  clues: [
    {
      text: /Max parallelism mismatch between checkpoint\/savepoint state and new program|maximum parallelism \(\d+\) with which the latest checkpoint .* changed|current maximum parallelism \(\d+\) changed/u,
      confidence: 0.97,
    },
  ],
  subjects: (match) => ({
    storedMaxParallelism: /max parallelism (\d+)|maximum parallelism \((\d+)\)/u
      .exec(match.statement.text)
      ?.slice(1)
      .find((text) => text !== undefined),
  }),
  remediesOf: (facts, match) => {
    const stored = /max parallelism (\d+)|maximum parallelism \((\d+)\) with/u
      .exec(match.statement.text)
      ?.slice(1)
      .find((text) => text !== undefined);
    return options(facts, ["pipeline.max-parallelism", stored]);
  },
});
