import { ByteWriter, StreamError } from "../../base/index.ts";
import { describeValue, type TypeSerializer } from "../../serde/index.ts";
import { inState } from "../state-errors.ts";

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
