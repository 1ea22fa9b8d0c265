import { assert } from "../base/index.ts";

/** When a job that failed is started again. Source: Flink `RestartStrategyOptions`. */
export type RestartStrategy =
  | { readonly type: "none" }
  | { readonly type: "fixed-delay"; readonly attempts: number; readonly delayMs: number }
  | {
      readonly type: "failure-rate";
      readonly maxFailuresPerInterval: number;
      readonly intervalMs: number;
      readonly delayMs: number;
    }
  | {
      readonly type: "exponential-delay";
      readonly initialBackoffMs: number;
      readonly maxBackoffMs: number;
      readonly backoffMultiplier: number;
      /** So long without a failure after a restart, and the back-off begins anew. */
      readonly resetBackoffThresholdMs: number;
      /** Between 0 and 1: how much chance may lengthen or shorten the back-off. */
      readonly jitterFactor: number;
      readonly attemptsBeforeReset: number;
    };

/** What is remembered between failures. Moments are in epoch milliseconds. */
export interface RestartHistory {
  /** Restarts asked for, merged failures not counted; for the exponential delay since the last reset. */
  readonly attemptCount: number;
  /** The latest failures, oldest first; only as many as the failure rate needs. */
  readonly failuresAtMs: readonly number[];
  /** Back-off of the latest attempt, with its fraction and without chance. */
  readonly backoffMs: number;
  /** When the latest attempt starts the job again. */
  readonly nextRestartAtMs: number | undefined;
}

export const NO_RESTARTS: RestartHistory = {
  attemptCount: 0,
  failuresAtMs: [],
  backoffMs: 0,
  nextRestartAtMs: undefined,
};

export type RestartDecision =
  /** Start the job again after this time. */
  | { readonly kind: "restart"; readonly backoffMs: number }
  /** The job has failed for good. */
  | { readonly kind: "give-up"; readonly backoffMs: number };

/**
 * Takes note of a failure.
 *
 * @remarks
 * With the exponential delay, failures that come while a restart is still being waited for belong to that attempt: several tasks
 * that die of one cause are one failure.
 *
 * @param random - A number in [0, 1), for the jitter.
 * @returns `isNewAttempt` is false if the failure was merged into the running back-off.
 */
export function noteFailure(
  strategy: RestartStrategy,
  history: RestartHistory,
  nowMs: number,
  random: number,
): { readonly history: RestartHistory; readonly isNewAttempt: boolean } {
  switch (strategy.type) {
    case "none":
    case "fixed-delay":
      return {
        history: { ...history, attemptCount: history.attemptCount + 1 },
        isNewAttempt: true,
      };
    case "failure-rate": {
      const failuresAtMs = [...history.failuresAtMs, nowMs].slice(
        -(strategy.maxFailuresPerInterval + 1),
      );
      return {
        history: { ...history, attemptCount: history.attemptCount + 1, failuresAtMs },
        isNewAttempt: true,
      };
    }
    case "exponential-delay":
      return noteExponential(strategy, history, nowMs, random);
  }
}

/** Decides whether the job is started again, and when. Pure: asking again later in the same back-off gives the time that is left. */
export function decideRestart(
  strategy: RestartStrategy,
  history: RestartHistory,
  nowMs: number,
): RestartDecision {
  switch (strategy.type) {
    case "none":
      return { kind: "give-up", backoffMs: 0 };
    case "fixed-delay":
      return {
        kind: history.attemptCount <= strategy.attempts ? "restart" : "give-up",
        backoffMs: strategy.delayMs,
      };
    case "failure-rate": {
      const oldestAtMs = history.failuresAtMs[0];
      const isFull = history.failuresAtMs.length > strategy.maxFailuresPerInterval;
      const isTooFast =
        isFull && oldestAtMs !== undefined && nowMs - oldestAtMs <= strategy.intervalMs;
      return { kind: isTooFast ? "give-up" : "restart", backoffMs: strategy.delayMs };
    }
    case "exponential-delay":
      return {
        kind: history.attemptCount <= strategy.attemptsBeforeReset ? "restart" : "give-up",
        backoffMs: Math.max(0, (history.nextRestartAtMs ?? nowMs) - nowMs),
      };
  }
}

type ExponentialDelay = Extract<RestartStrategy, { type: "exponential-delay" }>;

function noteExponential(
  strategy: ExponentialDelay,
  history: RestartHistory,
  nowMs: number,
  random: number,
): { readonly history: RestartHistory; readonly isNewAttempt: boolean } {
  assert(
    strategy.initialBackoffMs <= strategy.maxBackoffMs,
    "the initial back-off is within the maximum",
  );
  const { nextRestartAtMs } = history;
  if (nextRestartAtMs !== undefined && nowMs <= nextRestartAtMs)
    return { history, isNewAttempt: false };

  const isReset =
    nextRestartAtMs === undefined || nowMs - nextRestartAtMs >= strategy.resetBackoffThresholdMs;
  const backoffMs = isReset
    ? strategy.initialBackoffMs
    : Math.min(history.backoffMs * strategy.backoffMultiplier, strategy.maxBackoffMs);
  const actualMs = withJitter(Math.floor(backoffMs), strategy, random);
  return {
    history: {
      ...history,
      attemptCount: isReset ? 1 : history.attemptCount + 1,
      backoffMs,
      nextRestartAtMs: nowMs + actualMs,
    },
    isNewAttempt: true,
  };
}

/** Spreads by up to the jitter's share in both directions, within the maximum, in whole milliseconds. */
function withJitter(backoffMs: number, strategy: ExponentialDelay, random: number): number {
  const spreadMs = Math.floor(backoffMs * strategy.jitterFactor);
  const jitterMs = Math.floor(random * (2 * spreadMs + 1)) - spreadMs;
  return Math.min(backoffMs + jitterMs, strategy.maxBackoffMs);
}
