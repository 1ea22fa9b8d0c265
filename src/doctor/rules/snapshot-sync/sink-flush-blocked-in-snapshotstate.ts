import { line, measured, options, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** The sink's flush never returns. */
export const sinkFlushBlockedInSnapshotstate: Rule = {
  code: "sink-flush-blocked-in-snapshotstate",
  needs: ["stacks"],
  examine(facts) {
    const expiry = expiryOf(facts);
    if (!expiry.expired) return undefined;
    const found =
      expiry.stacks.find(
        (candidate) => candidate.kind === "sink-flush" && candidate.waitsOutside,
      ) ?? expiry.stacks.find((candidate) => candidate.kind === "sink-flush");
    if (found === undefined) return undefined;
    return measured(
      "sink-flush-blocked-in-snapshotstate",
      found.waitsOutside ? 0.92 : 0.8,
      [line(found.stack.place, `${found.stack.thread}: ${found.frame}`)],
      { operator: found.stack.thread, frame: found.frame },
      options(facts, "execution.checkpointing.timeout"),
    );
  },
};
