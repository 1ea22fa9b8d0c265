import { causeChain, isStreamError, StreamError } from "../../base/index.ts";
import type { CheckpointFailure, CheckpointFailureReason } from "../failure-reason.ts";

/**
 * The reason for an error while a checkpoint was triggered: trouble with files is IO_EXCEPTION, all else TRIGGER_CHECKPOINT_FAILURE.
 *
 * Source: Flink `CheckpointCoordinator.getCheckpointException`.
 */
export function triggerFailure(error: unknown): CheckpointFailure {
  const isSystemError = error instanceof Error && "syscall" in error;
  const isIo = isSystemError || isStreamError(error, "CHECKPOINT_STORAGE_FAILED");
  return {
    reason: isIo ? "IO_EXCEPTION" : "TRIGGER_CHECKPOINT_FAILURE",
    detail: undefined,
    causes: causeChain(error),
  };
}

/** The error with which a job fails because of its checkpoints; the causes, which crossed threads as text, are its cause chain. */
export function jobFailure(
  text: string,
  checkpointId: number | undefined,
  reason: CheckpointFailureReason,
  causes: readonly string[],
): StreamError {
  return new StreamError("CHECKPOINTS_FAILED", { text, checkpointId, reason }, errorOf(causes));
}

function errorOf(causes: readonly string[]): Error | undefined {
  return causes.toReversed().reduce<Error | undefined>((cause, text) => {
    const separator = text.indexOf(": ");
    const error = new Error(separator < 0 ? text : text.slice(separator + 2), { cause });
    if (separator > 0) error.name = text.slice(0, separator);
    return error;
  }, undefined);
}
