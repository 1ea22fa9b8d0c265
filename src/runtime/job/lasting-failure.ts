import { isStreamError } from "../../base/index.ts";

/**
 * Whether a failure would only happen again: a malformed record, a path that no file matches, damaged state. Then a restart gains nothing, and the
 * job fails at once with what to do. What a user function throws and what the operating system refuses may pass, so the restart strategy
 * decides; a file that is not there is the exception.
 *
 * Source: Flink `SuppressRestartsException`, `ThrowableType.NonRecoverableError`.
 */
export function isLastingFailure(error: unknown): boolean {
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

/** `EIO`, `EACCES` and the like, but no `ERR_INVALID_ARG_TYPE`. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/;
