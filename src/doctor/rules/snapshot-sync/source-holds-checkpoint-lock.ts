import { line, measured, options, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** A legacy source emits for long while it holds the checkpoint lock. */
export const sourceHoldsCheckpointLock: Rule = {
  code: "source-holds-checkpoint-lock",
  needs: ["stacks"],
  examine(facts) {
    const expiry = expiryOf(facts);
    if (!expiry.expired) return undefined;
    const holder = expiry.stacks.find((candidate) => candidate.kind === "lock-holder");
    const waiter = expiry.stacks.find((candidate) => candidate.kind === "lock-wait");
    // A source that waits for a buffer holds the lock, too: then it is a victim of what comes after it.
    const victim = expiry.stacks.some(
      (candidate) =>
        candidate.kind === "backpressured" && /Legacy Source Thread/u.test(candidate.stack.thread),
    );
    const found = holder ?? (victim ? undefined : waiter);
    if (found === undefined) return undefined;
    const captured = /debezium|cdc/iu.test(
      found.stack.frames.map((frame) => frame.method).join(" "),
    );
    const confidence = captured
      ? 0.6
      : holder !== undefined && waiter !== undefined
        ? 0.95
        : holder !== undefined
          ? 0.86
          : 0.7;
    return measured(
      "source-holds-checkpoint-lock",
      confidence,
      [line(found.stack.place, `${found.stack.thread}: ${found.frame}`)],
      { operator: found.stack.thread.replace(/^Legacy Source Thread - /u, ""), frame: found.frame },
      options(
        facts,
        "execution.checkpointing.timeout",
        "execution.checkpointing.tolerable-failed-checkpoints",
      ),
    );
  },
};
