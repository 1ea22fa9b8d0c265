import { BY_ELIMINATION, type Rule, signature } from "../rule.ts";

const COMMIT_FRAME =
  /CommitterOperator\.|CommitRequest|CheckpointCommittableManager|CommittableCollector|GlobalCommitter\w*\.(?:commit|notify)|\.notifyCheckpointComplete$|TwoPhaseCommitSinkFunction\.(?:notifyCheckpointComplete|recoverAndCommit)|Committer\.commit$|commitUpToCheckpoint/u;

/** The committer throws after the checkpoint is complete. */
export const sinkCommitFailed: Rule = signature({
  code: "sink-commit-failed",
  clues: [
    {
      text: /Error while (?:confirming checkpoint|notify checkpoint)/u,
      confidence: BY_ELIMINATION,
    },
    {
      text: /.+(?:Exception|Error)/u,
      frame: COMMIT_FRAME,
      roles: ["task", "job", "checkpoint", "report", "restore"],
      confidence: BY_ELIMINATION,
    },
    {
      text: /Committing one of transactions failed|Failed to commit (?:the )?(?:KafkaCommittable|committable|transaction)|commit(?:ting)? .* failed/u,
      roles: ["task", "job", "checkpoint", "report"],
      confidence: 0.77,
    },
  ],
});
