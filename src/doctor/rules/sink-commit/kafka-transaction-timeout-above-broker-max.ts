import { options, type Rule, signature } from "../rule.ts";

/** The producer asks for a longer transaction than the brokers allow. */
export const kafkaTransactionTimeoutAboveBrokerMax: Rule = signature({
  code: "kafka-transaction-timeout-above-broker-max",
  clues: [
    {
      text: /transaction timeout is larger than the maximum value allowed by the broker|InvalidTxnTimeoutException/u,
      confidence: 0.97,
    },
  ],
  remediesOf: (facts) =>
    options(facts, ["transaction.timeout.ms", "900000"], "transaction.max.timeout.ms"),
});
