import { line, measured, options, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** The task's thread sits in a call of the user's code, so the barrier is never taken. */
export const userCodeBlockingCall: Rule = {
  code: "user-code-blocking-call",
  needs: ["stacks", "logs"],
  examine(facts) {
    const expiry = expiryOf(facts);
    const stuck = expiry.stacks.filter((candidate) => candidate.kind === "user-call");
    const reported = stuck.find((candidate) => candidate.stack.source === "stuck-report");
    const waiting = stuck.find((candidate) => candidate.waitsOutside);
    const found = reported ?? waiting;
    if (found === undefined || (!expiry.expired && reported === undefined)) return undefined;
    const socket = found.stack.frames
      .slice(0, 6)
      .some((frame) =>
        /SocketInputStream|socketRead|NioSocketImpl|sun\.nio\.ch|SSL|ReadAheadInputStream/u.test(
          frame.method,
        ),
      );
    const sleeping = found.stack.frames
      .slice(0, 3)
      .some((frame) => /Thread\.sleep/u.test(frame.method));
    const flowing = expiry.bottleneck !== undefined && expiry.bottleneck.upstreamBackpressured;
    const confidence =
      reported !== undefined
        ? socket
          ? 0.93
          : 0.88
        : socket
          ? 0.88
          : sleeping && flowing
            ? 0.5
            : flowing
              ? 0.6
              : sleeping
                ? 0.72
                : 0.84;
    return measured(
      "user-code-blocking-call",
      confidence,
      [line(found.stack.place, `${found.stack.thread}: ${found.frame}`)],
      { operator: found.stack.thread, frame: found.frame },
      options(
        facts,
        "execution.checkpointing.timeout",
        "execution.checkpointing.tolerable-failed-checkpoints",
      ),
    );
  },
};
