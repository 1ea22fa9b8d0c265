import { options, type Rule, signature } from "../rule.ts";

/** Unfinished checkpoints hold all producers of the fixed pool. */
export const kafkaProducerPoolExhausted: Rule = signature({
  code: "kafka-producer-pool-exhausted",
  clues: [
    {
      text: /Too many ongoing snapshots\. Increase kafka producers pool size|PRODUCERS_POOL_EMPTY|kafkaProducersPoolSize/u,
      confidence: 0.96,
    },
  ],
  remediesOf: (facts) =>
    options(
      facts,
      ["execution.checkpointing.max-concurrent-checkpoints", "1"],
      "execution.checkpointing.timeout",
    ),
});
