import { METADATA_MISSING, missingMetadata } from "./missing-metadata.ts";
import { finding, options, type Rule, strongest } from "../rule.ts";

/** The retention policy deleted the checkpoint when the job was cancelled. */
export const restoreMetadataDeletedOnCancel: Rule = {
  code: "restore-metadata-deleted-on-cancel",
  needs: ["logs", "settings"],
  examine(facts) {
    const best = strongest(facts, [METADATA_MISSING]);
    if (best === undefined) return undefined;
    const found = missingMetadata(facts, best.match);
    return finding(
      facts,
      "restore-metadata-deleted-on-cancel",
      found.kind === "deleted" ? 0.92 : 0.4,
      best.match,
      { path: found.path },
      options(facts, [
        "execution.checkpointing.externalized-checkpoint-retention",
        "RETAIN_ON_CANCELLATION",
      ]),
    );
  },
};
