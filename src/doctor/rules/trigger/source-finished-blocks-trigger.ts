import { finding, options, type Rule, strongest } from "../rule.ts";
import type { Facts } from "../../analysis/facts.ts";

const SAID = [
  {
    text: /some tasks of (?:the )?job .*(?:has|have) (?:been|already) finished|Some tasks of the job have already finished and checkpointing with finished tasks is not enabled/iu,
    confidence: 0.95,
  },
  { text: /is not in state RUNNING but FINISHED instead/u, confidence: 0.93 },
  { text: /Checkpoint was declined because one input stream is finished/u, confidence: 0.85 },
];
const SKIPPED = [
  {
    text: /tasks not ready|is not being executed at the moment|has not being executed at the moment|Not all required tasks are currently running|but is not in state RUNNING/u,
    confidence: 0.9,
  },
];

/** A task ended while others went on, and no checkpoint completed after that. */
function finishedAlone(facts: Facts): boolean {
  const finished = facts.timeline.tasks.filter((change) => change.to === "FINISHED");
  const first = finished[0];
  if (first === undefined) return false;
  const all = new Set(
    facts.timeline.tasks
      .filter((change) => change.to === "RUNNING")
      .map((change) => `${change.task}#${change.subtask}`),
  );
  const ended = new Set(finished.map((change) => `${change.task}#${change.subtask}`));
  if (all.size > 0 && [...all].every((task) => ended.has(task))) return false;
  return !facts.completedCheckpoints.some(
    (life) => (life.endedAtMs ?? 0) > (first.atMs ?? Infinity),
  );
}

/** A finished task stops every further trigger where checkpoints after finished tasks are off. */
export const sourceFinishedBlocksTrigger: Rule = {
  code: "source-finished-blocks-trigger",
  needs: ["logs"],
  examine(facts) {
    const said = strongest(facts, SAID);
    const best = said ?? (finishedAlone(facts) ? strongest(facts, SKIPPED) : undefined);
    if (best === undefined || (facts.version.min >= 115 && said === undefined)) return undefined;
    const ended = facts.timeline.tasks.find((change) => change.to === "FINISHED");
    return finding(
      facts,
      "source-finished-blocks-trigger",
      Math.max(best.confidence, 0.88),
      best.match,
      {
        operator: ended?.task,
        subtask: ended === undefined ? undefined : `${ended.subtask}/${ended.of}`,
      },
      options(facts, ["execution.checkpointing.checkpoints-after-tasks-finish", "true"]),
    );
  },
};
