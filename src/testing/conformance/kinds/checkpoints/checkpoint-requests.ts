import {
  decideQueued,
  decideRequest,
  MAX_QUEUED_REQUESTS,
  type RequestDecision,
  type TriggerRequest,
} from "../../../../checkpoint/index.ts";
import { compareListed } from "../../compare-listed.ts";
import type { Fields } from "../../fields.ts";
import type { ScenarioInstance, ScenarioKind } from "../../scenario-kind.ts";

const DAY_MS = 86_400_000;

interface NamedRequest extends TriggerRequest {
  readonly name: string;
}

/** Which request runs, waits or is refused. Keys that `expect` does not list are free. */
export const checkpointRequestsKind: ScenarioKind = {
  kind: "checkpoint-requests",
  start(config: Fields): ScenarioInstance {
    const limits = {
      maxConcurrent: config.number("maxConcurrent", 1),
      maxQueued: config.number("maxQueued", MAX_QUEUED_REQUESTS),
      minPauseMs: config.number("minPauseMs", 0),
    };
    const situation = {
      nowMs: config.number("nowMs", DAY_MS),
      isTriggering: config.boolean("triggering", false),
      pendingCount: config.number("pending", 0),
      cleaningCount: config.number("cleaning", 0),
      lastCompletedAtMs: config.has("lastCompletionMs")
        ? config.number("lastCompletionMs")
        : undefined,
    };
    let queue: readonly NamedRequest[] = [];
    let execute: string | null = null;
    let failed = new Map<string, string>();
    const follow = (decision: RequestDecision<NamedRequest>): void => {
      queue = decision.queue;
      execute = decision.outcome.kind === "execute" ? decision.outcome.request.name : null;
      for (const { request, reason } of decision.refused) failed.set(request.name, reason);
    };
    return {
      act(step) {
        situation.nowMs += step.number("advanceMs", 0);
        situation.pendingCount = step.number("pending", situation.pendingCount);
        situation.cleaningCount = step.number("cleaning", situation.cleaningCount);
        situation.isTriggering = step.boolean("triggering", situation.isTriggering);
        if (step.has("request")) {
          const request = toRequest(step, situation.nowMs);
          follow(decideRequest(queue, request, situation, limits));
        } else if (step.boolean("next", false)) {
          follow(decideQueued(queue, situation, limits));
        }
      },
      check(_name, expected) {
        const actual = { execute, failed };
        failed = new Map();
        return compareListed(expected, actual);
      },
    };
  },
};

function toRequest(step: Fields, requestedAtMs: number): NamedRequest {
  return {
    name: step.text("as"),
    isSavepoint: step.text("request") === "savepoint",
    isForced: step.boolean("forced", false),
    isPeriodic: step.boolean("periodic", false),
    requestedAtMs,
  };
}
