import type { LogEvent } from "../evidence/evidence.ts";
import type { Facts } from "./facts.ts";
import type { Statement } from "./statements.ts";

/** Whether anything is broken at all, judged apart from every rule. */
export interface Health {
  /** Something failed: a checkpoint, a task, the job, a restore, a client. */
  readonly troubled: boolean;
  /** A record that shows it. */
  readonly firstTrouble: Statement | undefined;
  readonly completed: number;
  /** Answers of the REST interface show completed checkpoints and no failed one. */
  readonly confirmedByRest: boolean;
  /** Warnings and errors that led to nothing. */
  readonly noise: readonly LogEvent[];
}

const SKIPPED =
  /Not all required tasks are currently running|is not being executed at the moment|Checkpoint was declined \(tasks not ready\)/u;
const CANCELLED = /CancelTaskException|JobCancellationException|Job was cancelled|to CANCELL?ED/u;
/** A client that gave up is not a failure of the job. */
const CLIENT = /Failed to trigger a savepoint|org\.apache\.flink\.client\.cli/u;

export function healthOf(facts: Facts): Health {
  const cancelled = facts.timeline.jobs.find(
    (change) => change.to === "CANCELLING" || change.to === "CANCELED",
  );
  const troubles = facts.statements.filter((statement) =>
    isTrouble(facts, statement, cancelled?.atMs),
  );
  const restDone =
    facts.evidence.rest.checkpoints.some((checkpoint) => checkpoint.status === "COMPLETED") ||
    facts.evidence.rest.checkpointCounts.some((counts) => counts.completed > 0);
  const restFailed = facts.evidence.rest.checkpoints.some(
    (checkpoint) =>
      checkpoint.status === "FAILED" &&
      !suspendedByCancel(checkpoint.failure, cancelled !== undefined),
  );
  const failed = facts.failedCheckpoints.filter(
    (checkpoint) => !suspendedByCancel(checkpoint.reason, cancelled !== undefined),
  );
  const badJob = facts.evidence.rest.jobs.some((job) => /FAIL|RESTARTING/u.test(job.state));
  return {
    troubled: troubles.length > 0 || failed.length > 0 || badJob,
    firstTrouble: troubles[0],
    completed: facts.completedIds.size,
    confirmedByRest:
      restDone &&
      !restFailed &&
      failed.length === 0 &&
      !badJob &&
      facts.evidence.rest.checkpointCounts.length > 0,
    noise: facts.evidence.events.filter((event) =>
      /^(?:WARN|ERROR|FATAL)$/u.test(event.level ?? ""),
    ),
  };
}

function suspendedByCancel(reason: string | undefined, cancelled: boolean): boolean {
  return (
    cancelled &&
    /suspending|shutdown|CheckpointCoordinator shutdown|Coordinator is shut/iu.test(reason ?? "")
  );
}

function isTrouble(facts: Facts, statement: Statement, cancelledAtMs: number | undefined): boolean {
  if (!/^(?:checkpoint|task|job|restore|report)$/u.test(statement.role)) return false;
  const text = facts.textOf(statement.event);
  if (SKIPPED.test(text) && !/expired|Exceeded/u.test(text)) return false;
  if (CANCELLED.test(text)) return false;
  const frames = statement.event.thrown
    .flatMap((error) => error.frames.map((frame) => frame.method))
    .join(" ");
  if (CLIENT.test(`${text} ${frames}`) && /TimeoutException/u.test(text)) return false;
  if (
    cancelledAtMs !== undefined &&
    statement.event.atMs !== undefined &&
    statement.event.atMs >= cancelledAtMs &&
    /suspending|shutdown/iu.test(text)
  )
    return false;
  if (statement.role === "report") return statement.event.thrown.length > 0;
  return (
    statement.role !== "checkpoint" ||
    /Decline|Failed to|expired|could not|Could not|Error|Discarding/iu.test(text)
  );
}
