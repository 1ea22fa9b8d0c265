import { line, measured, options, type Rule } from "../rule.ts";
import { durationText } from "../../analysis/quantities.ts";

/** Each checkpoint takes longer than the interval, so one follows the other without pause. */
export const checkpointIntervalShorterThanDuration: Rule = {
  code: "checkpoint-interval-shorter-than-duration",
  needs: ["rest", "logs"],
  examine(facts) {
    const intervalMs = facts.intervalMs;
    if (intervalMs === undefined || facts.failedCheckpoints.length > 0) return undefined;
    const durations = [
      ...facts.completedCheckpoints.flatMap((life) => life.durationMs ?? []),
      ...facts.evidence.rest.checkpoints
        .filter((checkpoint) => checkpoint.status === "COMPLETED")
        .flatMap((checkpoint) => checkpoint.durationMs ?? []),
    ];
    const long = durations.filter((duration) => duration > intervalMs);
    if (durations.length < 2 || long.length < durations.length / 2) return undefined;
    const place = facts.completedCheckpoints.at(-1)?.place ??
      facts.evidence.rest.checkpoints[0]?.place ?? { file: "", line: 0 };
    const typical = long.toSorted((a, b) => a - b)[Math.floor(long.length / 2)] ?? 0;
    return measured(
      "checkpoint-interval-shorter-than-duration",
      0.85,
      [
        line(
          place,
          `checkpoints take ${durationText(typical)}, the interval is ${durationText(intervalMs)}`,
          `检查点耗时 ${durationText(typical)}，间隔为 ${durationText(intervalMs)}`,
        ),
      ],
      { durationMs: typical, intervalMs },
      options(
        facts,
        ["execution.checkpointing.interval", durationText(typical * 3)],
        ["execution.checkpointing.min-pause", durationText(typical)],
        ["execution.checkpointing.incremental", "true"],
      ),
    );
  },
};
