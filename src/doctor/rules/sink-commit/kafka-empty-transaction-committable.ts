import { type Rule, signature } from "../rule.ts";

/** The checkpoint holds a transaction that never carried a record; its commit is refused. */
export const kafkaEmptyTransactionCommittable: Rule = signature({
  code: "kafka-empty-transaction-committable",
  clues: [
    {
      text: /InvalidTxnStateException|attempted a transactional operation in an invalid state/u,
      not: /fenced|expired/u,
      confidence: 0.9,
    },
    {
      text: /Invalid transition attempted from state READY to state COMMITTING_TRANSACTION|TransactionalId .*: Invalid transition/u,
      confidence: 0.8,
    },
  ],
});
