import { ByteWriter, isStreamError, StreamError } from "../../base/index.ts";
import { describeValue, type TypeSerializer } from "../../serde/index.ts";

/**
 * Tells where a value does not fit that has no place in a row of numbers.
 *
 * @throws StreamError VALUE_NOT_SERIALIZABLE always.
 */
export function refuseRow(
  type: TypeSerializer<unknown>,
  value: unknown,
  state: string,
  owner: string,
): never {
  try {
    type.write(value, new ByteWriter());
  } catch (error) {
    throw inState(error, state, owner);
  }
  const problem = `${type.typeName} is expected, it is ${describeValue(value)}`;
  throw inState(
    new StreamError("VALUE_NOT_SERIALIZABLE", { where: undefined, path: "", problem }),
    state,
    owner,
  );
}

/** The same error, with the state and its operator named. Other errors stay as they are. */
export function inState(error: unknown, state: string, owner: string): unknown {
  if (!isStreamError(error, "VALUE_NOT_SERIALIZABLE")) return error;
  const { path, problem } = error.details;
  return new StreamError("VALUE_NOT_SERIALIZABLE", {
    where: `state "${state}" of ${owner}`,
    path,
    problem,
  });
}
