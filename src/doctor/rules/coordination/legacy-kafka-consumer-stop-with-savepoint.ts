import { type Rule, signature } from "../rule.ts";

/** The old Kafka consumer fails in stop-with-savepoint. */
export const legacyKafkaConsumerStopWithSavepoint: Rule = signature({
  code: "legacy-kafka-consumer-stop-with-savepoint",
  clues: [
    { text: /Handover\$ClosedException/u, confidence: 0.96 },
    { text: /ClosedException/u, frame: /kafka\.internals\.Handover\./u, confidence: 0.95 },
  ],
  judge(confidence, facts) {
    const stopping = facts.has(
      /SUSPEND|TERMINATE|[Ss]top-with-savepoint|stop-with-savepoint|Suspend Savepoint|Terminate Savepoint|SavepointType|savepoint/u,
    );
    return stopping ? confidence : 0.7;
  },
});
