import { finding, options, type Rule, strongest } from "../rule.ts";
import { durationText } from "../../analysis/quantities.ts";

const GAVE_UP = [
  {
    text: /Failed to trigger a savepoint|[Ss]top(?:ping)?[- ]with[- ](?:a )?savepoint|Failed to (?:take|create|trigger) (?:a )?savepoint|[Tt]riggering (?:a )?savepoint .*failed|cancel(?:ling)? (?:the )?job .* with savepoint/u,
    and: /TimeoutException|timed out|[Tt]imeout|gave up|attempts/u,
    confidence: 1.1,
  },
  {
    text: /(?:timed out|gave up|[Tt]imeout).*(?:waiting|polling).*savepoint|savepoint.*(?:timed out|gave up) (?:after|while)/u,
    not: /expired before completing/u,
    confidence: 1.1,
  },
];

/** The client stopped waiting; the savepoint went on. */
export const savepointClientTimeout: Rule = {
  code: "savepoint-client-timeout",
  needs: ["logs", "rest"],
  examine(facts) {
    const best = strongest(facts, GAVE_UP);
    if (best === undefined) return undefined;
    const savepoints = facts.timeline.checkpoints.filter((life) => life.isSavepoint);
    const done = savepoints.find((life) => life.outcome === "completed");
    const viaRest =
      facts.evidence.rest.savepoints.some(
        (answer) => answer.status === "COMPLETED" && answer.failure === undefined,
      ) ||
      facts.evidence.rest.checkpoints.some(
        (checkpoint) => checkpoint.isSavepoint && checkpoint.status === "COMPLETED",
      );
    const open = savepoints.some((life) => life.outcome === "open");
    const failed = savepoints.some(
      (life) => life.outcome === "failed" || life.outcome === "expired",
    );
    const confidence = done !== undefined || viaRest ? 0.95 : failed ? 0.4 : open ? 0.75 : 0.65;
    const wanted = done?.durationMs === undefined ? undefined : durationText(done.durationMs * 2);
    return finding(
      facts,
      "savepoint-client-timeout",
      confidence,
      best.match,
      { savepointCheckpointId: done?.checkpointId },
      options(facts, ["client.timeout", wanted], "execution.checkpointing.timeout"),
    );
  },
};
