import { finding, options, type Rule, strongest } from "../rule.ts";

const CLUES = [
  {
    text: /Not all required tasks are currently running|is not being executed at the moment|Checkpoint was declined \(tasks not ready\)|is not in state RUNNING but \w+ instead/u,
    confidence: 0.93,
  },
];

/** A trigger fell into start-up or failover. Harmless unless it never ends. */
export const tasksNotRunningYet: Rule = {
  code: "tasks-not-running-yet",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, CLUES);
    if (best === undefined) return undefined;
    const at = best.match.statement.event.atMs ?? 0;
    const completed =
      facts.completedCheckpoints.some((life) => (life.endedAtMs ?? 0) >= at) ||
      facts.evidence.rest.checkpointCounts.some((counts) => counts.completed > 0);
    const starting = facts.timeline.tasks.some((change) =>
      /DEPLOYING|INITIALIZING|SCHEDULED/u.test(change.to),
    );
    if (facts.failedCheckpoints.length > 0)
      return finding(facts, "tasks-not-running-yet", 0.3, best.match, {}, []);
    const confidence = completed ? 0.88 : starting ? 0.6 : 0.45;
    return finding(
      facts,
      "tasks-not-running-yet",
      confidence,
      best.match,
      {},
      options(
        facts,
        "execution.checkpointing.interval",
        "execution.checkpointing.tolerable-failed-checkpoints",
      ),
    );
  },
};
