import { type Rule, signature } from "../rule.ts";

/** The sink system ended its own transaction before the checkpoint came. */
export const sinkTransactionTimeout: Rule = signature({
  code: "sink-transaction-timeout",
  clues: [
    {
      text: /timeout by txn manager|[Tt]ransaction (?:\S+ )?(?:has )?(?:been )?(?:aborted|timed out|timeout).*(?:timeout|timed out)|txn (?:has been )?(?:aborted|timeout)/u,
      and: /starrocks|doris|stream ?load|txn manager|label/iu,
      confidence: 0.95,
    },
    {
      text: /[Tt]ransaction timed? ?out/u,
      not: /kafka/iu,
      roles: ["checkpoint", "task", "report"],
      confidence: 0.82,
    },
  ],
  remedies: ["sink.properties.timeout", "execution.checkpointing.interval"],
});
