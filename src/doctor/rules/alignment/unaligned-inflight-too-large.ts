import { line, measured, options, type Rule } from "../rule.ts";
import { sizeText } from "../../analysis/quantities.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** An unaligned checkpoint writes more data in flight than the storage takes in time. */
export const unalignedInflightTooLarge: Rule = {
  code: "unaligned-inflight-too-large",
  needs: ["rest"],
  examine(facts) {
    const expiry = expiryOf(facts);
    const trouble = expiry.expired;
    if (!trouble || expiry.persistedBytes < 1_000_000) return undefined;
    const largest = Math.max(
      0,
      ...facts.evidence.rest.checkpoints.map(
        (checkpoint) => (checkpoint.stateBytes ?? 0) - (checkpoint.persistedBytes ?? 0),
      ),
    );
    const dominates =
      expiry.persistedBytes > Math.max(largest, 1) * 2 ||
      (expiry.slowest?.kind === "async" && expiry.persistedBytes > largest * 0.6);
    if (!dominates) return undefined;
    const place = facts.evidence.rest.checkpoints.find(
      (checkpoint) => (checkpoint.persistedBytes ?? 0) === expiry.persistedBytes,
    )?.place ??
      facts.evidence.rest.subtasks[0]?.place ?? { file: "", line: 0 };
    return measured(
      "unaligned-inflight-too-large",
      0.93,
      [
        line(
          place,
          `${sizeText(expiry.persistedBytes)} of data in flight were to be written`,
          `需要写出 ${sizeText(expiry.persistedBytes)} 在途数据`,
        ),
      ],
      { persistedBytes: expiry.persistedBytes },
      options(
        facts,
        ["taskmanager.network.memory.buffer-debloat.enabled", "true"],
        ["execution.checkpointing.aligned-checkpoint-timeout", "30 s"],
        "execution.checkpointing.timeout",
      ),
    );
  },
};
