import { METADATA_MISSING, missingMetadata } from "./missing-metadata.ts";
import { finding, options, type Rule, strongest } from "../rule.ts";

/** The chosen checkpoint was never completed, or is not where it is looked for. */
export const restoreMetadataMissing: Rule = {
  code: "restore-metadata-missing",
  needs: ["logs", "listing"],
  examine(facts) {
    const best = strongest(facts, [METADATA_MISSING]);
    if (best === undefined) return undefined;
    const found = missingMetadata(facts, best.match);
    return finding(
      facts,
      "restore-metadata-missing",
      found.kind === "never-completed" ? 0.93 : found.kind === "unknown" ? 0.72 : 0.45,
      best.match,
      { path: found.path, usableCheckpointId: found.usable },
      options(
        facts,
        ["execution.checkpointing.num-retained", "3"],
        ["execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION"],
      ),
    );
  },
};
