import { line, measured, options, type Rule } from "../rule.ts";
import { parseDurationMs } from "../../analysis/quantities.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** Unaligned checkpoints are switched on, and the connections stay aligned. */
export const unalignedNotEffective: Rule = {
  code: "unaligned-not-effective",
  needs: ["rest", "settings"],
  examine(facts) {
    const on =
      facts.checkpointConfig?.unaligned ??
      /^true$/iu.test(facts.setting("execution.checkpointing.unaligned.enabled")?.value ?? "");
    if (!on) return undefined;
    const expiry = expiryOf(facts);
    const done = facts.evidence.rest.subtasks.flatMap((answer) =>
      answer.subtasks
        .filter((subtask) => subtask.completed)
        .map((subtask) => ({ subtask, place: answer.place })),
    );
    const alignedTimeoutMs =
      parseDurationMs(facts.setting("execution.checkpointing.aligned-checkpoint-timeout")?.value) ??
      0;
    const long = done.find(
      ({ subtask }) =>
        subtask.unaligned === false &&
        Math.max(subtask.alignmentMs ?? 0, subtask.startDelayMs ?? 0) >
          Math.max(alignedTimeoutMs + 5000, 10_000),
    );
    if (long === undefined || done.some(({ subtask }) => subtask.unaligned === true))
      return undefined;
    if (
      facts.evidence.rest.checkpoints.every((checkpoint) => checkpoint.isSavepoint) &&
      facts.evidence.rest.checkpoints.length > 0
    )
      return undefined;
    void expiry;
    return measured(
      "unaligned-not-effective",
      0.9,
      [
        line(
          long.place,
          `subtask ${long.subtask.index}: alignment ${long.subtask.alignmentMs ?? 0} ms, start delay ${long.subtask.startDelayMs ?? 0} ms, not unaligned`,
          `子任务 ${long.subtask.index}：对齐 ${long.subtask.alignmentMs ?? 0} 毫秒，启动延迟 ${long.subtask.startDelayMs ?? 0} 毫秒，并非非对齐`,
        ),
      ],
      { alignmentMs: long.subtask.alignmentMs },
      options(
        facts,
        "execution.checkpointing.unaligned.enabled",
        "execution.checkpointing.aligned-checkpoint-timeout",
        "execution.checkpointing.timeout",
      ),
    );
  },
};
