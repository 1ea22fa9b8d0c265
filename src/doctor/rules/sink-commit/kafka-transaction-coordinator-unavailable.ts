import { type Rule, signature } from "../rule.ts";

/** The brokers cannot serve the log of transactions. */
export const kafkaTransactionCoordinatorUnavailable: Rule = signature({
  code: "kafka-transaction-coordinator-unavailable",
  clues: [
    {
      text: /Timeout expired (?:after \d+ ?(?:ms|milliseconds) )?while (?:initializing transactional state|awaiting (?:InitProducerId|EndTxn\w*|AddOffsetsToTxn))|Timeout expired while initializing transactional state/u,
      confidence: 0.95,
    },
    {
      text: /__transaction_state|CoordinatorLoadInProgress|TransactionCoordinatorFenced|COORDINATOR_NOT_AVAILABLE/u,
      and: /NotEnoughReplicas|NOT_ENOUGH_REPLICAS|not available|offline|unavailable|min\.insync|coordinator/iu,
      not: /commit consumer offsets|OffsetCommit|consumer group/iu,
      confidence: 0.93,
    },
  ],
  judge: (confidence, _facts, match) => (/trouble/u.test(match.statement.role) ? 0.86 : confidence),
  remedies: ["transaction.state.log.min.isr"],
});
