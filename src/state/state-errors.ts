import { isStreamError, StreamError } from "../base/index.ts";

/** The same error, with the state and its operator named. Other errors stay as they are. */
export function inState(error: unknown, state: string, owner: string): unknown {
  if (!isStreamError(error, "VALUE_NOT_SERIALIZABLE")) return error;
  const { path, problem } = error.details;
  const where = `state "${state}" of ${owner}`;
  return new StreamError("VALUE_NOT_SERIALIZABLE", { where, path, problem });
}
