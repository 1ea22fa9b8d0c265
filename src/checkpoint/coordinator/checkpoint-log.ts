import type { Logger } from "../../base/index.ts";
import {
  type CheckpointFailure,
  type CheckpointFailureReason,
  failureText,
} from "../failure-reason.ts";
import type { CheckpointProperties } from "../metadata/checkpoint-properties.ts";

/**
 * The coordinator's log lines: Flink's own words at Flink's levels, so that people and the doctor can read both alike.
 *
 * Source: reference of Flink's log messages, `CheckpointCoordinator` and `CheckpointFailureManager` of 2.x.
 */
export class CheckpointLog {
  readonly #log: Logger;
  readonly #jobId: string;

  constructor(log: Logger, jobId: string) {
    this.#log = log;
    this.#jobId = jobId;
  }

  triggering(checkpointId: number, properties: CheckpointProperties, triggeredAtMs: number): void {
    this.#info(
      `Triggering checkpoint ${checkpointId} (type=${typeText(properties)}) @ ${triggeredAtMs} for job ${this.#jobId}.`,
    );
  }

  completed(
    checkpointId: number,
    sizes: {
      readonly stateSizeBytes: number;
      readonly durationMs: number;
      readonly finalizationMs: number;
    },
  ): void {
    this.#info(
      `Completed checkpoint ${checkpointId} for job ${this.#jobId} (${sizes.stateSizeBytes} bytes, ` +
        `checkpointDuration=${sizes.durationMs} ms, finalizationTime=${sizes.finalizationMs} ms).`,
    );
  }

  /** @param consecutiveCount - Counted failures before this one. */
  failed(
    checkpointId: number | undefined,
    failure: CheckpointFailure,
    consecutiveCount: number,
  ): void {
    const fields = { error: failureText(failure), causes: failure.causes };
    if (failure.reason === "NOT_ALL_REQUIRED_TASKS_RUNNING") {
      this.#info(
        `Failed to trigger checkpoint for job ${this.#jobId} since ${failureText(failure)}.`,
      );
      return;
    }
    this.#log.log(
      ENDS_WITH_JOB.has(failure.reason) ? "INFO" : "WARN",
      `Failed to trigger or complete checkpoint ${checkpointId ?? "UNKNOWN_CHECKPOINT_ID"} for job ${this.#jobId}. ` +
        `(${consecutiveCount} consecutive failed attempts so far)`,
      fields,
    );
  }

  expired(checkpointId: number): void {
    this.#info(`Checkpoint ${checkpointId} of job ${this.#jobId} expired before completing.`);
  }

  declined(checkpointId: number, task: string, causes: readonly string[]): void {
    const message = `Decline checkpoint ${checkpointId} by task ${task} of job ${this.#jobId} at ${LOCATION}.`;
    this.#log.log("INFO", message, { causes });
  }

  lateDecline(checkpointId: number, task: string, isExpired: boolean, text: string): void {
    const what = isExpired
      ? "Received another decline message for now expired checkpoint attempt"
      : "Received decline message for unknown (too old?) checkpoint attempt";
    this.#debug(
      `${what} ${checkpointId} from task ${task} of job ${this.#jobId} at ${LOCATION} : ${text}`,
    );
  }

  acknowledged(checkpointId: number, task: string): void {
    this.#debug(
      `Received acknowledge message for checkpoint ${checkpointId} from task ${task} of job ${this.#jobId} at ${LOCATION}.`,
    );
  }

  duplicateAcknowledge(checkpointId: number, task: string): void {
    this.#debug(
      `Received a duplicate acknowledge message for checkpoint ${checkpointId}, task ${task}, job ${this.#jobId}, location ${LOCATION}.`,
    );
  }

  unknownTaskAcknowledge(checkpointId: number, task: string): void {
    this.#warn(
      `Could not acknowledge the checkpoint ${checkpointId} for task ${task} of job ${this.#jobId} at ${LOCATION}, ` +
        "because the task's execution attempt id was unknown. Discarding the state handle to avoid lingering state.",
    );
  }

  lateAcknowledge(checkpointId: number, task: string, isExpired: boolean): void {
    if (isExpired) {
      this.#warn(
        `Received late message for now expired checkpoint attempt ${checkpointId} from task ${task} of job ${this.#jobId} at ${LOCATION}.`,
      );
      return;
    }
    this.#debug(
      `Received message for an unknown checkpoint ${checkpointId} from task ${task} of job ${this.#jobId} at ${LOCATION}.`,
    );
  }

  discardFailed(checkpointId: number, causes: readonly string[]): void {
    const message = `Could not properly discard completed checkpoint ${checkpointId}.`;
    this.#log.log("WARN", message, { causes });
  }

  stateDiscardFailed(checkpointId: number, task: string, causes: readonly string[]): void {
    const message = `Could not properly discard state object of checkpoint ${checkpointId} belonging to task ${task} of job ${this.#jobId}.`;
    this.#log.log("WARN", message, { causes });
  }

  notDiscarded(checkpointId: number, directory: string): void {
    this.#info(`Checkpoint with ID ${checkpointId} at '${directory}' not discarded.`);
  }

  queued(durationMs: number): void {
    if (durationMs > LONG_IN_QUEUE_MS)
      this.#info(`checkpoint request time in queue: ${durationMs}`);
  }

  restoring(description: string | undefined): void {
    this.#info(
      description === undefined
        ? "No checkpoint found during restore."
        : `Restoring job ${this.#jobId} from ${description}.`,
    );
  }

  idReset(nextCheckpointId: number): void {
    this.#info(`Reset the checkpoint ID of job ${this.#jobId} to ${nextCheckpointId}.`);
  }

  stopping(): void {
    this.#info(`Stopping checkpoint coordinator for job ${this.#jobId}.`);
  }

  unexpected(causes: readonly string[]): void {
    this.#log.log("ERROR", `Exception while triggering checkpoint for job ${this.#jobId}.`, {
      causes,
    });
  }

  #info(message: string): void {
    this.#log.log("INFO", message);
  }

  #warn(message: string): void {
    this.#log.log("WARN", message);
  }

  #debug(message: string): void {
    this.#log.log("DEBUG", message);
  }
}

/** Flink names the TaskManager's address; here all tasks are in this process. */
const LOCATION = "localhost";
const LONG_IN_QUEUE_MS = 100;

/** A checkpoint that the end of the job or of a task cut short is nothing to be warned of; Flink warns. */
const ENDS_WITH_JOB: ReadonlySet<CheckpointFailureReason> = new Set<CheckpointFailureReason>([
  "CHECKPOINT_DECLINED_TASK_CLOSING",
  "CHECKPOINT_COORDINATOR_SUSPEND",
  "CHECKPOINT_COORDINATOR_SHUTDOWN",
]);

function typeText({ type }: CheckpointProperties): string {
  return type.kind === "checkpoint"
    ? `CheckpointType{name='${type.name}', sharingFilesStrategy=${type.sharingFilesStrategy}}`
    : `SavepointType{name='${type.name}', postCheckpointAction=${type.postCheckpointAction}, formatType=${type.format}}`;
}
