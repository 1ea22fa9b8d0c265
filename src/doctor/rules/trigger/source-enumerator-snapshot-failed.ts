import { type Rule, signature } from "../rule.ts";

/** The enumerator of a source throws while its own state is taken on the JobManager. */
export const sourceEnumeratorSnapshotFailed: Rule = signature({
  code: "source-enumerator-snapshot-failed",
  clues: [
    {
      text: /Failed to checkpoint (?:SplitEnumerator|the split enumerator|source coordinator)|Failed to (?:serialize|snapshot) (?:the )?(?:split )?enumerator/iu,
      confidence: 0.95,
    },
    {
      frame:
        /(?:SourceCoordinator\.(?:toBytes|checkpointCoordinator|lambda\$checkpointCoordinator\S*)|[Ee]numerator\w*\.snapshotState|SourceCoordinatorSerdeUtils\.)/u,
      confidence: 0.93,
    },
    { text: /Coordinator state not acknowledged successfully/u, confidence: 0.6 },
  ],
});
