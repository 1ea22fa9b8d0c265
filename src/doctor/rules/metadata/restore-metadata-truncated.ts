import { type Rule, signature } from "../rule.ts";

/** `_metadata` ends early: it was written, or copied, only in part. */
export const restoreMetadataTruncated: Rule = signature({
  code: "restore-metadata-truncated",
  clues: [
    {
      text: /EOFException/u,
      frame:
        /Checkpoints\.load(?:Checkpoint|AndValidate)\w*|MetadataV\d\w*Serializer\w*\.|SavepointV\d\w*Serializer\.|MetadataSerializer/u,
      confidence: 0.93,
    },
    {
      text: /EOFException|[Uu]nexpected end of (?:file|input|stream)|premature end|Premature EOF/u,
      and: /_metadata|loadCheckpointMetadata|checkpoint metadata|savepoint|JobMaster/u,
      roles: ["restore", "job", "report"],
      confidence: 0.86,
    },
  ],
  remedies: [["execution.checkpointing.num-retained", "3"], "execution.state-recovery.path"],
});
