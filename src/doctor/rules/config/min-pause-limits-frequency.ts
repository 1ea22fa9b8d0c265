import { line, measured, options, type Rule } from "../rule.ts";
import { durationText } from "../../analysis/quantities.ts";

/** Checkpoints come more rarely than the interval says, because of the pause after each. */
export const minPauseLimitsFrequency: Rule = {
  code: "min-pause-limits-frequency",
  needs: ["rest", "settings"],
  examine(facts) {
    const intervalMs = facts.intervalMs;
    const pauseMs = facts.minPauseMs;
    if (
      intervalMs === undefined ||
      pauseMs === undefined ||
      pauseMs <= intervalMs ||
      facts.completedIds.size === 0 ||
      facts.failedCheckpoints.length > 0
    )
      return undefined;
    const place = facts.checkpointConfig?.place ??
      facts.setting("execution.checkpointing.min-pause")?.place ?? { file: "", line: 0 };
    return measured(
      "min-pause-limits-frequency",
      0.85,
      [
        line(
          place,
          `interval ${durationText(intervalMs)}, minimum pause ${durationText(pauseMs)}`,
          `间隔 ${durationText(intervalMs)}，最小停顿 ${durationText(pauseMs)}`,
        ),
      ],
      { intervalMs, minPauseMs: pauseMs },
      options(
        facts,
        ["execution.checkpointing.min-pause", durationText(intervalMs / 2)],
        ["execution.checkpointing.interval", durationText(pauseMs)],
      ),
    );
  },
};
