import type { ByteReader, ByteWriter } from "../../base/index.ts";
import type { StructField, TypeShape } from "../type-shape.ts";
import { CodecCode } from "./generated-codec.ts";
import { interpretedCodec } from "./interpreted-codec.ts";

/**
 * Many values of one type at once. Numbers stand first, as they lie in memory, so that a field costs a store into an array of numbers and
 * a load from it; whatever else a value has follows value by value.
 *
 * @remarks
 * For bytes that do not leave the process: the order of bytes is the machine's own, and who reads must have generated the same code.
 */
export interface ColumnCodec {
  /** Appends the first `count` values, or throws {@link UnfitValue} and leaves an unfinished part behind. */
  readonly write: (values: readonly unknown[], count: number, out: ByteWriter) => void;
  /** Fills the first `count` places. */
  readonly read: (values: unknown[], count: number, input: ByteReader) => void;
}

/** In which array of numbers a field lies; undefined if it is written value by value. */
type Column = "doubles" | "ints";

/** Statements that put the local `e` into `place`. */
interface ColumnForm {
  readonly column: Column;
  readonly write: (e: string, place: string) => string;
  readonly read: (place: string) => string;
}

const INT: ColumnForm = {
  column: "ints",
  write: (e, place) => `if ((${e} | 0) !== ${e}) refuse(); ${place} = ${e};`,
  read: (place) => place,
};

/** NaN stands for what is in the bytes, which no number that fits is. Adding 0 makes -0 a 0, as 64 bits would. */
const LONG: ColumnForm = {
  column: "doubles",
  write: (e, place) =>
    `if (Number.isSafeInteger(${e})) ${place} = ${e} + 0; else { ${place} = NaN; writeRareLong(${e}, out); }`,
  read: (place) => `(${place} === ${place} ? ${place} : readLong(input))`,
};

const FORMS: { readonly [K in TypeShape["kind"]]?: ColumnForm } = {
  int: INT,
  long: LONG,
  double: {
    column: "doubles",
    write: (e, place) => `if (typeof ${e} !== "number") refuse(); ${place} = ${e};`,
    read: (place) => place,
  },
  timestamp: {
    column: "doubles",
    write: (e, place) =>
      `if (!Number.isSafeInteger(${e}) && ${e} !== Infinity && ${e} !== -Infinity) refuse(); ${place} = ${e} + 0;`,
    read: (place) => place,
  },
  string: {
    column: "ints",
    write: (e, place) => `if (typeof ${e} !== "string") refuse(); ${place} = out.writeText(${e});`,
    read: (place) => `input.readText(${place})`,
  },
  boolean: {
    column: "ints",
    write: (e, place) => `if (typeof ${e} !== "boolean") refuse(); ${place} = ${e} ? 1 : 0;`,
    read: (place) => `${place} === 1`,
  },
};

/** Generated; value by value where code generation is forbidden. */
export function columnCodec(shape: TypeShape): ColumnCodec {
  try {
    return generatedColumnCodec(shape);
  } catch (error) {
    if (!(error instanceof EvalError)) throw error; // --disallow-code-generation-from-strings
    return valueByValue(shape);
  }
}

type WriteLoop = (
  values: readonly unknown[],
  count: number,
  out: ByteWriter,
  doubles: Float64Array,
  ints: Int32Array,
) => void;
type ReadLoop = (
  values: unknown[],
  count: number,
  input: ByteReader,
  doubles: Float64Array,
  ints: Int32Array,
) => void;

/** @throws EvalError if the process forbids code generation from strings. */
function generatedColumnCodec(shape: TypeShape): ColumnCodec {
  const code = new CodecCode();
  const isStruct = shape.kind === "struct";
  const fields: readonly Pick<StructField, "name" | "shape">[] = isStruct
    ? shape.fields
    : [{ name: "", shape }];
  const counts = { doubles: 0, ints: 0 };
  const loads: string[] = [];
  const writes: string[] = [];
  const reads: string[] = [];
  for (const [index, field] of fields.entries()) {
    const e = `e${index}`;
    loads.push(`const ${e} = v${isStruct ? `[${JSON.stringify(field.name)}]` : ""};`);
    const form = FORMS[field.shape.kind];
    const place =
      form === undefined ? "" : `${form.column}[${form.column}At + ${counts[form.column]++}]`;
    writes.push(form === undefined ? code.write(field.shape, e) : form.write(e, place));
    const read = form === undefined ? code.read(field.shape) : form.read(place);
    reads.push(isStruct ? `${JSON.stringify(field.name)}: ${read}` : read);
  }
  const check = isStruct
    ? `if (typeof v !== "object" || v === null || Array.isArray(v)) refuse();`
    : "";
  const loop = (body: string): string =>
    `for (let i = 0, doublesAt = 0, intsAt = 0; i < n; i++, doublesAt += ${counts.doubles}, intsAt += ${counts.ints}) { ${body} }`;
  const value = isStruct ? `{ ${reads.join(", ")} }` : reads.join();
  const write = code.function(
    "values, n, out, doubles, ints",
    loop(`const v = values[i]; ${check} ${loads.join(" ")} ${writes.join(" ")}`),
  );
  const read = code.function("values, n, input, doubles, ints", loop(`values[i] = ${value};`));
  const loops = code.make<{ write: WriteLoop; read: ReadLoop }>(
    `{ write: ${write}, read: ${read} }`,
  );
  return withColumns(loops, counts.doubles, counts.ints);
}

/** Moves the columns between the bytes and arrays that are used again. */
function withColumns(
  loops: { readonly write: WriteLoop; readonly read: ReadLoop },
  doublesPerValue: number,
  intsPerValue: number,
): ColumnCodec {
  let doubles = new Float64Array(0);
  let ints = new Int32Array(0);
  let capacity = 0;
  let all: readonly [Uint8Array, Uint8Array] = [new Uint8Array(0), new Uint8Array(0)];
  const bytesOf = (count: number): readonly [Uint8Array, Uint8Array] => {
    if (count > capacity) {
      capacity = count;
      doubles = new Float64Array(count * doublesPerValue);
      ints = new Int32Array(count * intsPerValue);
      all = [new Uint8Array(doubles.buffer), new Uint8Array(ints.buffer)];
    }
    if (count === capacity) return all;
    return [
      all[0].subarray(0, count * doublesPerValue * 8),
      all[1].subarray(0, count * intsPerValue * 4),
    ];
  };
  return {
    write(values, count, out) {
      const [doubleBytes, intBytes] = bytesOf(count);
      const at = out.skip(doubleBytes.length + intBytes.length);
      loops.write(values, count, out, doubles, ints);
      out.setBytes(at, doubleBytes);
      out.setBytes(at + doubleBytes.length, intBytes);
    },
    read(values, count, input) {
      const [doubleBytes, intBytes] = bytesOf(count);
      input.readInto(doubleBytes);
      input.readInto(intBytes);
      loops.read(values, count, input, doubles, ints);
    },
  };
}

function valueByValue(shape: TypeShape): ColumnCodec {
  const { write, read } = interpretedCodec(shape);
  return {
    write(values, count, out) {
      for (let index = 0; index < count; index++) write(values[index], out);
    },
    read(values, count, input) {
      for (let index = 0; index < count; index++) values[index] = read(input);
    },
  };
}
