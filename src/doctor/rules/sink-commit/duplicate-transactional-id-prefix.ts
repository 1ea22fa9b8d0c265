import { twoJobsOnePrefix } from "./transactional-prefix.ts";
import { options, type Rule, signature } from "../rule.ts";

/** Two jobs write with the same prefix of transactional ids and fence each other. */
export const duplicateTransactionalIdPrefix: Rule = signature({
  code: "duplicate-transactional-id-prefix",
  clues: [
    {
      text: /ProducerFencedException|newer producer with the same transactional ?[iI]d|InvalidProducerEpochException|fenc(?:ed|es) the current (?:one|producer)/u,
      confidence: 0.93,
    },
  ],
  judge: (confidence, facts, match) =>
    twoJobsOnePrefix(facts)
      ? confidence
      : /newer producer with the same transactionalId which fences/u.test(match.statement.text)
        ? 0.6
        : 0.4,
  remediesOf: (facts) => options(facts, "sink.transactional-id-prefix"),
});
