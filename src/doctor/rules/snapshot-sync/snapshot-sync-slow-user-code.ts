import { heapTimers } from "./heap-timers.ts";
import { line, measured, options, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** The user's `snapshotState` takes long. */
export const snapshotSyncSlowUserCode: Rule = {
  code: "snapshot-sync-slow-user-code",
  needs: ["rest", "stacks"],
  examine(facts) {
    const expiry = expiryOf(facts);
    const timers = heapTimers(facts);
    const stack = expiry.stacks.find((candidate) => candidate.kind === "snapshot-user");
    const trouble = expiry.expired;
    const remedies = options(facts, "execution.checkpointing.timeout");
    if (stack !== undefined && trouble) {
      return measured(
        "snapshot-sync-slow-user-code",
        0.92,
        [line(stack.stack.place, `${stack.stack.thread}: ${stack.frame}`)],
        { operator: stack.stack.thread, frame: stack.frame },
        remedies,
      );
    }
    const slow = expiry.slowest;
    if (slow === undefined || slow.kind !== "sync" || slow.ms < 1000) return undefined;
    const share = slow.ms / Math.max(1, slow.subtask.durationMs ?? slow.ms);
    if (share < 0.5) return undefined;
    const confidence = timers
      ? 0.5
      : trouble || slow.ms >= 0.5 * (facts.timeoutMs ?? Infinity)
        ? 0.88
        : 0.7;
    return measured(
      "snapshot-sync-slow-user-code",
      confidence,
      [
        line(
          slow.line,
          `subtask ${slow.subtask.index} of ${slow.vertexName ?? slow.vertexId ?? "?"}: synchronous part ${slow.ms} ms`,
          `${slow.vertexName ?? slow.vertexId ?? "?"} 的子任务 ${slow.subtask.index}：同步阶段 ${slow.ms} 毫秒`,
        ),
      ],
      {
        operator: slow.vertexName,
        subtask: slow.subtask.index,
        syncMs: slow.ms,
        checkpointId: slow.checkpointId,
      },
      remedies,
    );
  },
};
