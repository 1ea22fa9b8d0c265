import { isStreamError, StreamError } from "../base/index.ts";

/**
 * The error with the name of the state or edge whose value it is about, if it is a VALUE_NOT_SERIALIZABLE that lacks it; any
 * other error as it is. For whoever calls a serializer and knows what for: `throw locatedError(error, 'state "orders"')`.
 */
export function locatedError(error: unknown, where: string): unknown {
  if (!isStreamError(error, "VALUE_NOT_SERIALIZABLE") || error.details.where !== undefined)
    return error;
  return new StreamError("VALUE_NOT_SERIALIZABLE", { ...error.details, where });
}
