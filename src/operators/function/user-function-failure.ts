import { AssertionError, isStreamError, StreamError } from "../../base/index.ts";
import type { OperatorContext } from "../operator.ts";
import { recordExcerpt } from "./record-excerpt.ts";

/** What tells a user function's place: an operator context, or a part of it. */
export type FailurePlace = Pick<
  OperatorContext,
  "operatorName" | "subtaskIndex" | "parallelism" | "keyed"
>;

/** Stands for a failure that belongs to no record (`open`, `onTimer`). */
export const NO_RECORD: unique symbol = Symbol("no record");

/**
 * The error to throw when a user function has thrown: names operator, subtask, method, record and key.
 *
 * @remarks
 * What already is a `StreamError` passes unchanged: it comes from an operator further down the chain, which knows more,
 * or from state, which names its own place. So do bugs of this package. A key that cannot be used knows no place.
 */
export function userFunctionFailure(
  place: FailurePlace,
  method: string,
  record: unknown,
  error: unknown,
): unknown {
  if (error instanceof AssertionError) return error;
  if (isStreamError(error) && !(method === "keyBy" && error.code === "KEY_NOT_USABLE"))
    return error;
  const key = place.keyed?.currentKey;
  return new StreamError(
    "USER_FUNCTION_FAILED",
    {
      operator: place.operatorName,
      subtask: `(${place.subtaskIndex + 1}/${place.parallelism})`,
      method,
      record: record === NO_RECORD ? undefined : recordExcerpt(record),
      key: key === undefined ? undefined : recordExcerpt(key),
    },
    error,
  );
}
