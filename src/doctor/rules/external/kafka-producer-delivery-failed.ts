import { type Rule, signature } from "../rule.ts";

/** Kafka did not take the records that the checkpoint had to flush. */
export const kafkaProducerDeliveryFailed: Rule = signature({
  code: "kafka-producer-delivery-failed",
  clues: [
    {
      text: /Expiring \d+ record\(s\) for|Failed to send data to Kafka|NetworkException|server disconnected before a response|NotLeaderOrFollowerException|NotLeaderForPartitionException|NotEnoughReplicasException|RecordTooLargeException|Topic \S+ not present in metadata/u,
      and: /kafka|Kafka/u,
      frame: /\.(?:preCommit|snapshotState|prepareSnapshotPreBarrier|prepareCommit|flush)$/u,
      roles: ["checkpoint", "task", "job", "report"],
      confidence: 0.94,
    },
    {
      text: /Expiring \d+ record\(s\) for|Failed to send data to Kafka|server disconnected before a response|NotEnoughReplicas|RecordTooLarge/u,
      and: /Could not (?:perform checkpoint|complete snapshot|materialize)/u,
      confidence: 0.95,
    },
    {
      text: /Failed to send data to Kafka|Expiring \d+ record\(s\) for/u,
      roles: ["task", "job", "report"],
      confidence: 0.84,
    },
  ],
  judge(confidence, facts, match) {
    const own = facts.failedCheckpoints.some(
      (checkpoint) =>
        checkpoint.reason !== undefined &&
        !/suspend|Task has failed|job has failed|expired|FailoverRegion/iu.test(checkpoint.reason),
    );
    return match.clue.frame === undefined && match.clue.and === undefined && own ? 0.4 : confidence;
  },
  remedies: ["delivery.timeout.ms", "request.timeout.ms"],
});
