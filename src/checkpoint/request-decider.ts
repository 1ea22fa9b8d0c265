import { assert } from "../base/index.ts";

/** A wish to take a checkpoint or savepoint. */
export interface TriggerRequest {
  readonly isSavepoint: boolean;
  /** Past the limits of concurrency and pause. */
  readonly isForced: boolean;
  /** By the coordinator's own timer. */
  readonly isPeriodic: boolean;
  readonly requestedAtMs: number;
}

/** What the coordinator knows at the moment of deciding. Moments are in epoch milliseconds. */
export interface TriggerSituation {
  readonly nowMs: number;
  /** A trigger has begun and not yet reached the tasks. */
  readonly isTriggering: boolean;
  readonly pendingCount: number;
  /** Old checkpoints whose files are still being deleted. */
  readonly cleaningCount: number;
  readonly lastCompletedAtMs: number | undefined;
}

export interface TriggerLimits {
  readonly maxConcurrent: number;
  readonly minPauseMs: number;
  readonly maxQueued: number;
}

/** How many requests may wait. Source: Flink `CheckpointRequestDecider`. */
export const MAX_QUEUED_REQUESTS = 1000;

export type RequestOutcome<R> =
  | { readonly kind: "execute"; readonly request: R }
  | {
      readonly kind: "wait";
      readonly behind: "TRIGGERING" | "PENDING_CHECKPOINTS" | "CLEANING_CHECKPOINTS" | "NOTHING";
    }
  /** The minimum pause is not over: ask again after this time. */
  | { readonly kind: "reschedule"; readonly afterMs: number };

export interface RequestDecision<R> {
  readonly outcome: RequestOutcome<R>;
  /** What waits now, the next one first. */
  readonly queue: readonly R[];
  /** Requests that will not be carried out. */
  readonly refused: readonly {
    readonly request: R;
    readonly reason: "TOO_MANY_CHECKPOINT_REQUESTS" | "MINIMUM_TIME_BETWEEN_CHECKPOINTS";
  }[];
}

/**
 * Puts a new request in the queue and decides which one runs now, if any.
 *
 * @remarks
 * Savepoints go first, then what is forced, then what a person asked for, then the older. A full queue drops its last: but never
 * what a person asked for in favour of the timer.
 * Source: Flink `CheckpointRequestDecider`.
 */
export function decideRequest<R extends TriggerRequest>(
  queue: readonly R[],
  request: R,
  situation: TriggerSituation,
  limits: TriggerLimits,
): RequestDecision<R> {
  const last = queue.at(-1);
  if (queue.length >= limits.maxQueued && last !== undefined && !last.isPeriodic) {
    return {
      outcome: { kind: "wait", behind: "NOTHING" },
      queue,
      refused: [{ request, reason: "TOO_MANY_CHECKPOINT_REQUESTS" }],
    };
  }
  const sorted = [...queue, request].toSorted(compareRequests);
  const kept = sorted.slice(0, limits.maxQueued);
  const dropped = sorted.slice(limits.maxQueued);
  const decision = decideQueued(kept, situation, limits);
  const tooMany = dropped.map((refused) => ({
    request: refused,
    reason: "TOO_MANY_CHECKPOINT_REQUESTS" as const,
  }));
  return { ...decision, refused: [...tooMany, ...decision.refused] };
}

/** Decides which queued request runs now: asked when a trigger ended, a checkpoint ended or files were deleted. */
export function decideQueued<R extends TriggerRequest>(
  queue: readonly R[],
  situation: TriggerSituation,
  limits: TriggerLimits,
): RequestDecision<R> {
  assert(limits.maxConcurrent >= 1, "maxConcurrent is at least 1");
  assert(limits.maxQueued >= 1, "maxQueued is at least 1");
  const first = queue[0];
  const wait = (
    behind: Extract<RequestOutcome<R>, { kind: "wait" }>["behind"],
  ): RequestDecision<R> => ({
    outcome: { kind: "wait", behind },
    queue,
    refused: [],
  });
  if (first === undefined) return wait("NOTHING");
  if (situation.isTriggering) return wait("TRIGGERING");
  // A storage that deletes slowly must not be flooded with further checkpoints.
  if (situation.cleaningCount > limits.maxConcurrent) return wait("CLEANING_CHECKPOINTS");
  if (situation.pendingCount >= limits.maxConcurrent && !first.isForced) {
    return wait("PENDING_CHECKPOINTS");
  }

  const rest = queue.slice(1);
  const pauseMs = remainingPauseMs(situation, limits);
  const obeysPause =
    situation.pendingCount < limits.maxConcurrent && first.isPeriodic && !first.isForced;
  if (obeysPause && pauseMs > 0) {
    return {
      outcome: { kind: "reschedule", afterMs: pauseMs },
      queue: rest,
      refused: [{ request: first, reason: "MINIMUM_TIME_BETWEEN_CHECKPOINTS" }],
    };
  }
  return { outcome: { kind: "execute", request: first }, queue: rest, refused: [] };
}

function remainingPauseMs(
  { nowMs, lastCompletedAtMs }: TriggerSituation,
  limits: TriggerLimits,
): number {
  return lastCompletedAtMs === undefined ? 0 : lastCompletedAtMs - nowMs + limits.minPauseMs;
}

/** `toSorted` is stable, so that among equals the one that came first stays first. */
function compareRequests(a: TriggerRequest, b: TriggerRequest): number {
  return (
    Number(b.isSavepoint) - Number(a.isSavepoint) ||
    Number(b.isForced) - Number(a.isForced) ||
    Number(a.isPeriodic) - Number(b.isPeriodic) ||
    a.requestedAtMs - b.requestedAtMs
  );
}
