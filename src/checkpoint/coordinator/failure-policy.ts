import type { SubtaskRef } from "../checkpoint-gateway.ts";
import {
  countSuccess,
  decideOnFailure,
  type FailureCount,
  type FailureDecision,
  NO_FAILURES,
} from "../failure-manager.ts";
import type { CheckpointFailure } from "../failure-reason.ts";
import type { CheckpointProperties } from "../metadata/checkpoint-properties.ts";
import { isSynchronous } from "../retention.ts";
import type { CheckpointLog } from "./checkpoint-log.ts";
import type { CoordinatorContext } from "./coordinator-context.ts";
import { jobFailure } from "./trigger-failure.ts";

/** A failed checkpoint, or a request that failed before it became one. */
export interface FailedAttempt {
  readonly checkpointId: number | undefined;
  readonly failure: CheckpointFailure;
  readonly properties: CheckpointProperties;
  /** The task that reported it, if one did. */
  readonly task: SubtaskRef | undefined;
}

/** Counts failed checkpoints, and fails the job when they are too many. */
export class FailurePolicy {
  readonly #context: CoordinatorContext;
  readonly #log: CheckpointLog;
  #count: FailureCount = NO_FAILURES;

  constructor(context: CoordinatorContext, log: CheckpointLog) {
    this.#context = context;
    this.#log = log;
  }

  succeeded(checkpointId: number): void {
    this.#count = countSuccess(this.#count, checkpointId);
  }

  /** Logs and counts. What is to be done is done by {@link obey}, when the checkpoint has been cleared away. */
  failed({ checkpointId, failure, properties, task }: FailedAttempt): FailureDecision {
    this.#log.failed(checkpointId, failure, this.#count.consecutiveCount);
    const { count, decision } = decideOnFailure(
      this.#count,
      {
        checkpointId,
        reason: failure.reason,
        kind: kindOf(properties),
        isFromTask: task !== undefined,
      },
      this.#context.options.tolerableFailedCheckpointCount,
    );
    this.#count = count;
    return decision;
  }

  obey(decision: FailureDecision, { checkpointId, failure, task }: FailedAttempt): void {
    if (decision.kind === "tolerate") return;
    const error = jobFailure(decision.message, checkpointId, failure.reason, failure.causes);
    if (decision.kind === "fail-task" && task !== undefined) this.#context.failTask(task, error);
    else this.#context.failJob(error);
  }
}

function kindOf(
  properties: CheckpointProperties,
): "CHECKPOINT" | "SAVEPOINT" | "STOP_WITH_SAVEPOINT" {
  if (properties.type.kind === "checkpoint") return "CHECKPOINT";
  return isSynchronous(properties) ? "STOP_WITH_SAVEPOINT" : "SAVEPOINT";
}
