import { options, type Rule, signature } from "../rule.ts";

/** The directory of local recovery lies on another device than RocksDB's. */
export const localRecoveryCrossDeviceLink: Rule = signature({
  code: "local-recovery-cross-device-link",
  clues: [{ text: /[Ii]nvalid cross-device link|EXDEV/u, confidence: 0.97 }],
  remediesOf: (facts) =>
    options(
      facts,
      "execution.checkpointing.local-backup.dirs",
      "state.backend.rocksdb.localdir",
      "io.tmp.dirs",
      ["execution.checkpointing.local-backup.enabled", "false"],
    ),
});
