import { shapeOf, Types, type TypeSerializer } from "../serde/index.ts";

/**
 * The declared type of a record's field where that is a scalar, so that a key named by its field has the key group that the
 * declaration says. Undefined if nothing is declared.
 */
export function declaredFieldType(
  recordType: TypeSerializer<unknown> | undefined,
  field: string,
): TypeSerializer<unknown> | undefined {
  if (recordType === undefined) return undefined;
  const record = shapeOf(recordType);
  if (record.kind !== "struct") return undefined;
  const shape = record.fields.find(({ name }) => name === field)?.shape;
  switch (shape?.kind) {
    case "string":
    case "boolean":
    case "int":
    case "long":
    case "double":
    case "timestamp":
    case "bigint":
      return Types[shape.kind]();
    case "enumeration": {
      const [first, ...rest] = shape.values;
      return first === undefined ? undefined : Types.enumeration(first, ...rest);
    }
    default:
      return undefined;
  }
}

/**
 * Reads one field of a record.
 *
 * @remarks
 * A function of its own code for each field: one function for all fields would lose its type feedback as soon as two jobs use
 * it, and it is called for every record.
 */
export function fieldSelector<T, F extends keyof T & string>(field: F): (value: T) => T[F] {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- the name is quoted, and comes from the job's own code
    return new Function("value", `return value[${JSON.stringify(field)}];`) as (value: T) => T[F];
  } catch {
    // The process forbids code from strings.
    return (value) => value[field];
  }
}
