import { type Rule, signature } from "../rule.ts";

/** The task ended between the plan and the trigger call. */
export const taskFinishedDuringTriggerRace: Rule = signature({
  code: "task-finished-during-trigger-race",
  clues: [
    { text: /received a checkpoint request for unknown task/u, confidence: 0.9 },
    {
      text: /Checkpoint was declined \(task(?: is closing|'s operators partially closed)/u,
      confidence: 0.85,
    },
    { text: /Task local checkpoint failure/u, confidence: 0.8 },
  ],
  judge(confidence, facts, match) {
    const at = match.statement.event.atMs;
    const near = facts.timeline.tasks.some(
      (change) =>
        change.to === "FINISHED" &&
        (at === undefined || change.atMs === undefined || Math.abs(change.atMs - at) < 5000),
    );
    const failed = facts.timeline.tasks.some(
      (change) =>
        change.to === "FAILED" &&
        (at === undefined || change.atMs === undefined || change.atMs <= at + 1000),
    );
    return near ? confidence : failed ? 0.4 : confidence * 0.85;
  },
  remedies: [["execution.checkpointing.tolerable-failed-checkpoints", "1"]],
});
