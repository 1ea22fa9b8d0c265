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
    if (!trouble) return undefined;
    const remedies = options(
      facts,
      ["taskmanager.network.memory.buffer-debloat.enabled", "true"],
      ["execution.checkpointing.aligned-checkpoint-timeout", "30 s"],
      "execution.checkpointing.timeout",
    );
    const queued = facts.evidence.rest.backpressure.find((level) => level.level === "high");
    if (
      facts.checkpointConfig?.unaligned === true &&
      expiry.barrierPassed &&
      queued !== undefined &&
      (expiry.stateBytes ?? 0) < 20_000_000
    ) {
      return measured(
        "unaligned-inflight-too-large",
        0.82,
        [
          line(
            queued.place,
            "barriers overtook the data, buffers are full, and the writing does not end",
            "屏障已超车，缓冲区已满，写出未结束",
          ),
        ],
        {},
        remedies,
      );
    }
    if (expiry.persistedBytes < 300_000 || expiry.slowest?.kind === "start-delay") return undefined;
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
      remedies,
    );
  },
};
