import { options, type Rule, signature } from "../rule.ts";

/** A change-data source holds the checkpoint lock while it reads the tables for the first time. */
export const cdcSnapshotHoldsCheckpoint: Rule = signature({
  code: "cdc-snapshot-holds-checkpoint",
  clues: [
    {
      text: /snapshot phase can't perform checkpoint, acquired Checkpoint lock|Database snapshot phase .*Checkpoint lock/iu,
      confidence: 1.1,
    },
  ],
  judge: (confidence, facts) =>
    facts.hasExpired || facts.failedCheckpoints.length > 0 ? Math.min(0.97, confidence) : 0.6,
  remediesOf: (facts) => [
    ...options(
      facts,
      ["execution.checkpointing.interval", "10 min"],
      ["execution.checkpointing.tolerable-failed-checkpoints", "100"],
      ["execution.checkpointing.timeout", undefined],
      ["scan.incremental.snapshot.enabled", "true"],
      "restart-strategy.type",
    ),
  ],
});
