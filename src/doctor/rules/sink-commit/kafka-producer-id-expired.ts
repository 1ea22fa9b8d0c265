import { type Rule, signature } from "../rule.ts";

/** The broker forgot the producer's id, and each restore presents it again. */
export const kafkaProducerIdExpired: Rule = signature({
  code: "kafka-producer-id-expired",
  clues: [
    {
      text: /InvalidPidMappingException|attempted to use a producer id which is not currently assigned to its transactional id|UnknownProducerIdException/u,
      confidence: 0.96,
    },
  ],
  remedies: ["transactional.id.expiration.ms"],
});
