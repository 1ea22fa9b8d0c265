import { type Rule, signature } from "../rule.ts";

/** A transaction that the checkpoint had prepared no longer exists in the sink. */
export const sinkTransactionLostAtRestore: Rule = signature({
  code: "sink-transaction-lost-at-restore",
  clues: [
    {
      text: /TXN_NOT_EXISTS|TransactionNotFound|[Tt]ransaction (?:\[?\S+\]? )?(?:with label \S+ )?(?:is )?(?:not (?:exist|found|exists)|does not exist|already aborted|is aborted|has been aborted)|transaction .*not (?:exist|found)|errCode = \d+, detailMessage = transaction.*(?:not found|aborted)/iu,
      not: /kafka/iu,
      confidence: 1.05,
    },
    {
      text: /TransactionCoordinatorClientException\$(?:TransactionNotFound|InvalidTxnStatus)/u,
      confidence: 0.95,
    },
  ],
  judge(confidence, facts, match) {
    const restoring = facts.has(/Restoring job|from savepoint|INITIALIZING to FAILED/iu);
    if (
      /timeout by txn manager|timed? ?out/iu.test(facts.textOf(match.statement.event)) &&
      !restoring
    )
      return 0.5;
    return restoring ? Math.min(0.95, confidence) : Math.min(0.78, confidence);
  },
  remedies: [["sink.ignore-commit-error", "true"], "sink.properties.timeout"],
});
