import { options, type Rule, signature } from "../rule.ts";

const LIMITS =
  /maximum parallelism \((\d+)\) of the restored state is lower than the configured parallelism \((\d+)\)/u;

/** More subtasks than the stored number of key groups. */
export const restoreParallelismAboveMax: Rule = signature({
  code: "restore-parallelism-above-max",
  clues: [
    {
      text: /maximum parallelism \(\d+\) of the restored state is lower than the configured parallelism/u,
      confidence: 0.98,
    },
  ],
  subjects: (match) => {
    const limits = LIMITS.exec(match.statement.text);
    return { maxParallelism: limits?.[1], parallelism: limits?.[2] };
  },
  remediesOf: (facts, match) =>
    options(facts, ["parallelism.default", LIMITS.exec(match.statement.text)?.[1]]),
});
