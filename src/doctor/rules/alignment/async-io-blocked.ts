import { line, measured, options, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** The queue of an asynchronous operator is full of requests that never end. */
export const asyncIoBlocked: Rule = {
  code: "async-io-blocked",
  needs: ["stacks", "rest"],
  examine(facts) {
    const expiry = expiryOf(facts);
    const found = expiry.stacks.find((candidate) => candidate.kind === "async-queue");
    if (found === undefined || !expiry.expired) return undefined;
    return measured(
      "async-io-blocked",
      0.93,
      [line(found.stack.place, `${found.stack.thread}: ${found.frame}`)],
      { operator: found.stack.thread, frame: found.frame },
      options(facts, "execution.checkpointing.timeout"),
    );
  },
};
