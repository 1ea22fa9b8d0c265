import { type Rule, signature } from "../rule.ts";

/** The savepoint is there; the job failed while it stopped. */
export const stopWithSavepointEventToFinishedTask: Rule = signature({
  code: "stop-with-savepoint-event-to-finished-task",
  clues: [
    {
      text: /StopWithSavepointStoppingException|A savepoint (?:has been|was) created at:? ?\S+,? but the corresponding job|Inconsistent execution state after stopping with savepoint/u,
      confidence: 0.98,
    },
    {
      text: /An OperatorEvent from an OperatorCoordinator to a task was lost/u,
      and: /FINISHED|TaskNotRunning/u,
      confidence: 0.88,
    },
  ],
  subjects: (match) => ({ path: /created at:? (\S+?),/u.exec(match.statement.text)?.[1] }),
  remedies: ["execution.state-recovery.path"],
});
