import type { TypeSerializer } from "../../serde/index.ts";

/**
 * How a value lies in a row of doubles.
 *
 * @remarks
 * Each codec has functions of its own, so that they keep their own type feedback, and small ones, so that V8 inlines them with
 * the user's function: the values in between are then never allocated.
 */
export interface RowCodec {
  /** Doubles in a row. */
  readonly width: number;
  /** A fresh value of the row that begins at `at`. */
  read(row: Float64Array, at: number): unknown;
  /** Writes the row; a value that does not fit is refused before anything is written. */
  write(row: Float64Array, at: number, value: unknown): void;
  /** Replaces the row's value by `adder.add(value, row's value)`. */
  add(row: Float64Array, at: number, adder: Adder, value: unknown): void;
  /** As `add`. @returns What `adder.getResult` makes of the new value. */
  addAndGet(row: Float64Array, at: number, adder: Adder, value: unknown): unknown;
  /** Replaces the row's value by `reduce(row's value, value)`. */
  reduce(
    row: Float64Array,
    at: number,
    reduce: (a: never, b: never) => unknown,
    value: unknown,
  ): void;
}

export interface Adder {
  add(value: never, accumulator: never): unknown;
  getResult(accumulator: never): unknown;
}

/** The state that a codec is made for. */
export interface CodecPlace {
  /** The instance of the module whose tables use it. */
  readonly module: object;
  readonly stateName: string;
}

/** Wider structs are held as objects: a row would be mostly copying. */
const MAX_ROW_FIELDS = 16;

/**
 * A fresh codec for values of this type, or undefined if they do not fit into rows of doubles.
 *
 * @param refuse - Called with a value that is not of the type; throws.
 * @param place - Whose codec it is: the same place gets the same code again, and with it what V8 has learned about it.
 */
export function rowCodecOf(
  type: TypeSerializer<unknown>,
  refuse: (value: unknown) => never,
  place: CodecPlace,
): RowCodec | undefined {
  if (type.keyKind === "int" || type.keyKind === "double" || SCALARS.has(type.typeName)) {
    return (
      generated(
        1,
        "row[at]",
        'if (typeof next !== "number") refuse(next); row[at] = next;',
        refuse,
        place,
      ) ?? interpreted([], refuse)
    );
  }
  const fields = type.rowFields;
  if (fields === undefined || fields.length === 0 || fields.length > MAX_ROW_FIELDS)
    return undefined;
  return structCodec(fields, refuse, place) ?? interpreted(fields, refuse);
}

const SCALARS: ReadonlySet<string> = new Set(["long", "timestamp"]);

/** Undefined if a name would not make a field of a literal. */
function structCodec(
  fields: readonly string[],
  refuse: (value: unknown) => never,
  place: CodecPlace,
): RowCodec | undefined {
  if (fields.includes("__proto__")) return undefined;
  const names = fields.map((field) => JSON.stringify(field));
  const literal = `{ ${names.map((name, index) => `${name}: row[at + ${index}]`).join(", ")} }`;
  const loads = names.map((name, index) => `const v${index} = next[${name}];`).join(" ");
  const checks = names.map((_, index) => `typeof v${index} !== "number"`).join(" || ");
  const stores = names.map((_, index) => `row[at + ${index}] = v${index};`).join(" ");
  const store =
    `if (typeof next !== "object" || next === null) refuse(next); ` +
    `${loads} if (${checks}) refuse(next); ${stores}`;
  return generated(fields.length, literal, store, refuse, place);
}

/** Undefined where the process forbids code from strings. */
function generated(
  width: number,
  load: string,
  store: string,
  refuse: (value: unknown) => never,
  { module, stateName }: CodecPlace,
): RowCodec | undefined {
  const source = `return {
    width: ${width},
    read(row, at) { return ${load}; },
    write(row, at, next) { ${store} },
    add(row, at, adder, value) { const next = adder.add(value, ${load}); ${store} },
    addAndGet(row, at, adder, value) { const next = adder.add(value, ${load}); ${store} return adder.getResult(next); },
    reduce(row, at, reduce, value) { const next = reduce(${load}, value); ${store} },
  };`;
  const known = factories.get(module) ?? new Map<string, CodecFactory>();
  factories.set(module, known);
  const key = `${stateName}\n${source}`;
  let factory = known.get(key);
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- the names are quoted, and come from the job's own declaration
    factory ??= new Function("refuse", source) as CodecFactory;
  } catch {
    return undefined;
  }
  known.set(key, factory);
  return factory(refuse);
}

type CodecFactory = (refuse: (value: unknown) => never) => RowCodec;

/** Code made for each module instance. */
const factories = new WeakMap<object, Map<string, CodecFactory>>();

/** Without code from strings. No fields: the value is the number itself. */
function interpreted(fields: readonly string[], refuse: (value: unknown) => never): RowCodec {
  const scalar = fields.length === 0;
  const read = (row: Float64Array, at: number): unknown => {
    if (scalar) return row[at];
    return Object.fromEntries(fields.map((field, index) => [field, row[at + index]]));
  };
  const write = (row: Float64Array, at: number, value: unknown): void => {
    if (!scalar && (typeof value !== "object" || value === null)) refuse(value);
    const held = value as Readonly<Record<string, unknown>>;
    const numbers = scalar ? [value] : fields.map((field) => held[field]);
    if (!numbers.every((number) => typeof number === "number")) refuse(value);
    row.set(numbers as number[], at);
  };
  return {
    width: Math.max(1, fields.length),
    read,
    write,
    add: (row, at, adder, value) =>
      write(row, at, adder.add(value as never, read(row, at) as never)),
    addAndGet(row, at, adder, value) {
      const next = adder.add(value as never, read(row, at) as never);
      write(row, at, next);
      return adder.getResult(next as never);
    },
    reduce: (row, at, reduce, value) =>
      write(row, at, reduce(read(row, at) as never, value as never)),
  };
}
