import { FAILURE_REASONS, type CheckpointFailureReason } from "./failure-reason.ts";

/** `execution.checkpointing.tolerable-failed-checkpoints` at which nothing is counted. */
export const UNLIMITED_TOLERABLE_FAILURES = 2_147_483_647;

/** What is remembered between failures. */
export interface FailureCount {
  /** Counted failures since the last success. */
  readonly consecutiveCount: number;
  /** Ids already counted: a checkpoint counts once, however many tasks decline it. */
  readonly countedIds: ReadonlySet<number>;
  readonly lastSucceededId: number | undefined;
}

export const NO_FAILURES: FailureCount = {
  consecutiveCount: 0,
  countedIds: new Set(),
  lastSucceededId: undefined,
};

export interface ObservedFailure {
  /** Undefined if it failed before it got an id. */
  readonly checkpointId: number | undefined;
  readonly reason: CheckpointFailureReason;
  readonly kind: "CHECKPOINT" | "SAVEPOINT" | "STOP_WITH_SAVEPOINT";
  /** True if a task reported it; a reason that is pre-flight is the coordinator's even then. */
  readonly isFromTask: boolean;
}

export type FailureDecision =
  | { readonly kind: "tolerate" }
  /** Fail the whole job; `message` is the failure's text. */
  | { readonly kind: "fail-job"; readonly message: string }
  /** Fail the task that reported it, so that only its region restarts. */
  | { readonly kind: "fail-task"; readonly message: string };

/**
 * Decides whether a failed checkpoint fails the job, and counts it.
 *
 * @remarks
 * Only counted reasons of checkpoints newer than the last success add to the counter, each id once. After the job was failed the
 * counter starts again. What the coordinator sees of savepoints never counts: somebody asked for them and is told. A task that
 * declines a stop-with-savepoint fails the job at once, since otherwise the sources would stay stopped.
 * Source: Flink `CheckpointFailureManager` (2.x).
 */
export function decideOnFailure(
  count: FailureCount,
  failure: ObservedFailure,
  tolerableCount: number,
): { readonly count: FailureCount; readonly decision: FailureDecision } {
  const isFromTask = failure.isFromTask && !FAILURE_REASONS[failure.reason].preFlight;
  if (isFromTask && failure.kind === "STOP_WITH_SAVEPOINT") {
    return {
      count,
      decision: { kind: "fail-job", message: FAILURE_REASONS[failure.reason].message },
    };
  }
  if (!isFromTask && failure.kind !== "CHECKPOINT")
    return { count, decision: { kind: "tolerate" } };

  const counted = countFailure(count, failure, tolerableCount);
  if (counted.consecutiveCount <= tolerableCount) {
    return { count: counted, decision: { kind: "tolerate" } };
  }
  const message = exceededText(failure.reason);
  return {
    count: { ...NO_FAILURES, lastSucceededId: count.lastSucceededId },
    decision: { kind: isFromTask ? "fail-task" : "fail-job", message },
  };
}

/** Takes note of a completed checkpoint: a newer id than any before sets the counter to 0. */
export function countSuccess(count: FailureCount, checkpointId: number): FailureCount {
  if (count.lastSucceededId !== undefined && checkpointId <= count.lastSucceededId) return count;
  return { ...NO_FAILURES, lastSucceededId: checkpointId };
}

function countFailure(
  count: FailureCount,
  { checkpointId, reason }: ObservedFailure,
  tolerableCount: number,
): FailureCount {
  if (tolerableCount >= UNLIMITED_TOLERABLE_FAILURES || !FAILURE_REASONS[reason].counted)
    return count;
  if (checkpointId === undefined) return { ...count, consecutiveCount: count.consecutiveCount + 1 };
  if (count.lastSucceededId !== undefined && checkpointId <= count.lastSucceededId) return count;
  if (count.countedIds.has(checkpointId)) return count;
  return {
    ...count,
    consecutiveCount: count.consecutiveCount + 1,
    countedIds: new Set([...count.countedIds, checkpointId]),
  };
}

function exceededText(reason: CheckpointFailureReason): string {
  return (
    "Exceeded checkpoint tolerable failure threshold. The latest checkpoint failed due to " +
    `${FAILURE_REASONS[reason].message}, view the Checkpoint History tab or the Job Manager log ` +
    "to find out why continuous checkpoints failed."
  );
}
