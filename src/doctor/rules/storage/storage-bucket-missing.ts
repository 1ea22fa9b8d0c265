import { type Rule, signature } from "../rule.ts";

/** The bucket or container of the checkpoint path does not exist. */
export const storageBucketMissing: Rule = signature({
  code: "storage-bucket-missing",
  clues: [
    {
      text: /NoSuchBucket|[Tt]he specified bucket does not exist|[Bb]ucket '?"?[\w.-]+'?"? (?:does not|doesn't) exist|UnknownStoreException|ContainerNotFound|[Tt]he specified (?:container|filesystem) does not exist|FilesystemNotFound/u,
      confidence: 0.96,
    },
  ],
  subjects: (match) => ({
    bucket: /\b(?:s3[anp]?|oss|gs|abfss?|wasbs?|cos|obs):\/\/([\w.-]+)/u.exec(
      match.statement.text,
    )?.[1],
  }),
  remedies: ["execution.checkpointing.dir"],
});
