import { line, measured, options, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** The task hangs in RocksDB's native code within the snapshot. */
export const snapshotSyncStuckNative: Rule = {
  code: "snapshot-sync-stuck-native",
  needs: ["stacks"],
  examine(facts) {
    const expiry = expiryOf(facts);
    const found = expiry.stacks.find((candidate) => candidate.kind === "snapshot-native");
    if (found === undefined || !expiry.expired) return undefined;
    return measured(
      "snapshot-sync-stuck-native",
      0.9,
      [line(found.stack.place, `${found.stack.thread}: ${found.frame}`)],
      { operator: found.stack.thread, frame: found.frame },
      options(facts, "execution.checkpointing.timeout"),
    );
  },
};
