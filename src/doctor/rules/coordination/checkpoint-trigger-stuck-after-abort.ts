import { line, measured, options, type Rule } from "../rule.ts";
import { durationText } from "../../analysis/quantities.ts";

/** After an aborted checkpoint the coordinator never triggers again. */
export const checkpointTriggerStuckAfterAbort: Rule = {
  code: "checkpoint-trigger-stuck-after-abort",
  needs: ["logs", "settings"],
  examine(facts) {
    if (facts.version.min > 115 || facts.version.max < 111) return undefined;
    const lives = facts.timeline.checkpoints;
    const triggers = lives.flatMap((life) => life.triggeredAtMs ?? []).toSorted((a, b) => a - b);
    const lastTrigger = triggers.at(-1);
    const lastLife = lives.at(-1);
    if (
      lastTrigger === undefined ||
      lastLife === undefined ||
      (lastLife.outcome !== "failed" && lastLife.outcome !== "expired")
    )
      return undefined;
    if (
      facts.timeline.jobs.some(
        (change) =>
          /FAIL|CANCEL|FINISH|SUSPEND/u.test(change.to) &&
          (change.atMs ?? 0) >= lastTrigger &&
          !facts.timeline.jobs.some(
            (back) => back.to === "RUNNING" && (back.atMs ?? 0) > (change.atMs ?? 0),
          ),
      )
    )
      return undefined;
    const gaps = triggers.slice(1).map((at, index) => at - (triggers[index] ?? at));
    const usual = facts.intervalMs ?? (gaps.length === 0 ? undefined : Math.max(...gaps));
    const end = Math.max(...facts.evidence.events.flatMap((event) => event.atMs ?? []));
    const silenceMs = end - Math.max(lastTrigger, lastLife.endedAtMs ?? 0);
    const running =
      facts.evidence.rest.jobs.some((job) => job.state === "RUNNING") ||
      facts.evidence.events.some((event) => (event.atMs ?? 0) > lastTrigger + (usual ?? 0) * 3);
    if (usual === undefined || silenceMs < Math.max(usual * 5, 60_000) || !running)
      return undefined;
    return measured(
      "checkpoint-trigger-stuck-after-abort",
      0.86,
      [
        line(
          lastLife.place,
          `no trigger for ${durationText(silenceMs)} after checkpoint ${lastLife.checkpointId} was aborted; the interval is ${durationText(usual)}`,
          `检查点 ${lastLife.checkpointId} 放弃后 ${durationText(silenceMs)} 没有触发；间隔为 ${durationText(usual)}`,
        ),
      ],
      { checkpointId: lastLife.checkpointId, silenceMs },
      options(
        facts,
        "execution.checkpointing.tolerable-failed-checkpoints",
        "execution.checkpointing.timeout",
      ),
      lastLife.endedAtMs,
    );
  },
};
