import { isStreamError, StreamError } from "../../base/index.ts";

/**
 * Whether a failure would only happen again: a malformed record, a path that no file matches, damaged state. Then a restart gains nothing, and the
 * job fails at once with what to do. What a user function throws and what the operating system refuses may pass, so the restart strategy
 * decides; a file that is not there is the exception. A job that was stopped with a savepoint must not go on from an older checkpoint: what the
 * savepoint covers is being committed.
 *
 * Source: Flink `SuppressRestartsException`, `ThrowableType.NonRecoverableError`, `StopWithSavepointStoppingException`.
 */
export function isLastingFailure(error: unknown): boolean {
  if (isStreamError(error, "JOB_FAILED_WHILE_STOPPING")) return true;
  let isLasting = false;
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    if (isStreamError(at)) isLasting ||= !at.retryable;
    else if ("code" in at && typeof at.code === "string" && SYSTEM_CODE.test(at.code))
      return isLasting && at.code === "ENOENT";
  }
  return isLasting;
}

/**
 * What a failure means for a job that ends.
 *
 * @param savepoint - The complete one with which the job is being stopped; false or undefined if there is none.
 */
export function failureWhileStopping(
  cause: unknown,
  savepoint: string | false | undefined,
): unknown {
  if (savepoint === undefined || savepoint === false) return cause;
  return new StreamError("JOB_FAILED_WHILE_STOPPING", { savepoint }, cause);
}

/** `EIO`, `EACCES` and the like, but no `ERR_INVALID_ARG_TYPE`. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/;
