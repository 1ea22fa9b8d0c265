import { type Rule, signature } from "../rule.ts";

/** The entry of high availability names a checkpoint whose file is gone. */
export const haStorePointsToDeletedCheckpoint: Rule = signature({
  code: "ha-store-points-to-deleted-checkpoint",
  clues: [
    {
      text: /Could not retrieve checkpoint (\d+) from state handle under|retrieved state handle is broken|Could not read any of the \d+ (?:checkpoints )?from storage/u,
      confidence: 0.97,
    },
    {
      text: /FileNotFoundException|does not exist/u,
      frame:
        /(?:CompletedCheckpointStore\w*\.(?:recover|retrieve)|RetrievableStreamStateHandle\.retrieveState|FileSystemStateStorageHelper)/u,
      confidence: 0.93,
    },
  ],
  subjects: (match) => ({
    checkpointId: /checkpoint (\d+) from state handle/u.exec(match.statement.text)?.[1],
  }),
  remedies: ["execution.state-recovery.path", "high-availability.storageDir"],
});
