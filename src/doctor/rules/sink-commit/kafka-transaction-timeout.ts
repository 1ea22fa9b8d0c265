import { twoJobsOnePrefix } from "./transactional-prefix.ts";
import { options, parseable, type Rule, signature } from "../rule.ts";

/** The broker ended the transaction before the checkpoint committed it. */
export const kafkaTransactionTimeout: Rule = signature({
  code: "kafka-transaction-timeout",
  clues: [
    {
      text: /ProducerFencedException|producer's transaction has been expired by the broker|old epoch|InvalidProducerEpochException|transaction .*(?:has expired|timed out|was aborted by (?:the )?broker)/u,
      and: /kafka|producer|transaction/iu,
      not: /TransactionCoordinator|Doris|StarRocks|pulsar/u,
      confidence: 0.9,
    },
  ],
  judge(confidence, facts) {
    if (twoJobsOnePrefix(facts)) return 0.5;
    return parseable(facts, "transaction.timeout.ms") ? Math.max(confidence, 0.92) : confidence;
  },
  remediesOf: (facts) => options(facts, "transaction.timeout.ms", "transaction.max.timeout.ms"),
});
