import type { TypeSerializer } from "../../serde/index.ts";

/** How a value lies in a row of doubles. */
export interface RowCodec {
  /** Doubles in a row. */
  readonly width: number;
  /** A fresh value of the row that begins at `at`. */
  read(row: Float64Array, at: number): unknown;
  /** Writes the row; returns false, having written nothing, if a field is no number. */
  write(row: Float64Array, at: number, value: unknown): boolean;
}

/** Wider structs are held as objects: a row would be mostly copying. */
const MAX_ROW_FIELDS = 16;

/** A fresh codec for values of this type, or undefined if they do not fit into rows of doubles. */
export function rowCodecOf(type: TypeSerializer<unknown>): RowCodec | undefined {
  if (
    type.keyKind === "int" ||
    type.keyKind === "double" ||
    type.typeName === "long" ||
    type.typeName === "timestamp"
  ) {
    return scalarCodec();
  }
  const fields = type.rowFields;
  if (fields === undefined || fields.length === 0 || fields.length > MAX_ROW_FIELDS)
    return undefined;
  return generatedCodec(fields) ?? interpretedCodec(fields);
}

function scalarCodec(): RowCodec {
  return {
    width: 1,
    read: (row, at) => row[at],
    write: (row, at, value) => {
      if (typeof value !== "number") return false;
      row[at] = value;
      return true;
    },
  };
}

/**
 * Code made of the fields' names, so that a value is read as one object literal that need not even be allocated.
 *
 * @returns Undefined where the process forbids code from strings, or a name would not make a field.
 */
function generatedCodec(fields: readonly string[]): RowCodec | undefined {
  if (fields.includes("__proto__")) return undefined;
  const names = fields.map((field) => JSON.stringify(field));
  const literal = names.map((name, index) => `${name}: row[at + ${index}]`).join(", ");
  const loads = names.map((name, index) => `const v${index} = value[${name}];`).join(" ");
  const checks = names.map((_, index) => `typeof v${index} !== "number"`).join(" || ");
  const stores = names.map((_, index) => `row[at + ${index}] = v${index};`).join(" ");
  const source =
    `return { width: ${fields.length}, read(row, at) { return { ${literal} }; }, ` +
    `write(row, at, value) { if (typeof value !== "object" || value === null) return false; ` +
    `${loads} if (${checks}) return false; ${stores} return true; } };`;
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- the names are quoted, and come from the job's own declaration
    return (new Function(source) as () => RowCodec)();
  } catch {
    return undefined;
  }
}

function interpretedCodec(fields: readonly string[]): RowCodec {
  return {
    width: fields.length,
    read: (row, at) => {
      const value: Record<string, unknown> = {};
      for (let index = 0; index < fields.length; index++)
        value[fields[index] as string] = row[at + index];
      return value;
    },
    write: (row, at, value) => {
      if (typeof value !== "object" || value === null) return false;
      const held = value as Readonly<Record<string, unknown>>;
      if (!fields.every((field) => typeof held[field] === "number")) return false;
      for (let index = 0; index < fields.length; index++)
        row[at + index] = held[fields[index] as string] as number;
      return true;
    },
  };
}
