import { ByteReader, ByteWriter, StreamError } from "../base/index.ts";
import { ShapeSerializer, shapeOf } from "./shape-serializer.ts";
import type { LeafKind, StructField, TypeShape } from "./type-shape.ts";
import type { TypeSerializer } from "./type-serializer.ts";

/** The type of the values that a serializer takes. */
export type Of<S> = S extends TypeSerializer<infer T> ? T : never;

/** A serializer whose struct field may be left out. */
export interface OptionalSerializer<T> extends TypeSerializer<T | undefined> {
  readonly isOptional: true;
}

/** A serializer whose struct field is filled in where old state lacks it. */
export interface DefaultedSerializer<T> extends TypeSerializer<T> {
  readonly makeDefault: () => T;
}

/** The fields of a struct, by name. */
export type StructFields = Readonly<Record<string, TypeSerializer<unknown>>>;

type OptionalNames<F> = {
  [K in keyof F]: F[K] extends OptionalSerializer<infer _> ? K : never;
}[keyof F];

/** The object type of a struct's fields. */
export type StructOf<F> = Flat<
  { [K in Exclude<keyof F, OptionalNames<F>>]: Of<F[K]> } & {
    [K in OptionalNames<F>]?: Of<F[K]>;
  }
>;

/** The same type, written out, as messages of the compiler then show it. */
type Flat<T> = T extends infer O ? { [K in keyof O]: O[K] } : never;

/** The union type of tagged alternatives: each struct with the discriminator's field added. */
export type UnionOf<D extends string, A> = {
  [Tag in keyof A & string]: Flat<{ [K in D]: Tag } & Of<A[Tag]>>;
}[keyof A & string];

type TupleOf<F extends readonly TypeSerializer<unknown>[]> = { -readonly [I in keyof F]: Of<F[I]> };

/**
 * Declares types: what TypeScript erases, said once, so that values become bytes and old bytes stay readable.
 *
 * @remarks
 * Bytes and snapshots of `string`, `boolean`, `int`, `long`, `double`, `bytes`, `date`, `timestamp`, `bigint`, `array`, `map` and
 * `tuple` are those of Flink's own serializers.
 *
 * @example
 * const Order = Types.struct({ id: Types.long(), items: Types.array(Types.string()), note: Types.optional(Types.string()) });
 * type Order = Of<typeof Order>; // { id: number; items: string[]; note?: string | undefined }
 */
export interface TypeFactory {
  readonly string: () => TypeSerializer<string>;
  readonly boolean: () => TypeSerializer<boolean>;
  /** A whole number of 32 bits. */
  readonly int: () => TypeSerializer<number>;
  /** A whole number within ±(2^53 - 1), as 64 bits. */
  readonly long: () => TypeSerializer<number>;
  /** Any number, NaN and -0 too. */
  readonly double: () => TypeSerializer<number>;
  /** A whole number of any size. */
  readonly bigint: () => TypeSerializer<bigint>;
  readonly bytes: () => TypeSerializer<Uint8Array>;
  /** A valid `Date`. */
  readonly date: () => TypeSerializer<Date>;
  /** A moment in whole milliseconds since the epoch as a number, or one of the two infinities. */
  readonly timestamp: () => TypeSerializer<number>;
  /** One of these strings, stored as its number. */
  readonly enumeration: <const V extends readonly [string, ...string[]]>(
    ...values: V
  ) => TypeSerializer<V[number]>;
  readonly array: <T>(element: TypeSerializer<T>) => TypeSerializer<T[]>;
  readonly set: <T>(element: TypeSerializer<T>) => TypeSerializer<Set<T>>;
  readonly map: <K, V>(
    key: TypeSerializer<K>,
    value: TypeSerializer<V>,
  ) => TypeSerializer<Map<K, V>>;
  readonly tuple: <const F extends readonly TypeSerializer<unknown>[]>(
    ...fields: F
  ) => TypeSerializer<TupleOf<F>>;
  /** A plain object of these fields. Others are not kept; a missing optional field is read back as `undefined`. */
  readonly struct: <F extends StructFields>(fields: F) => TypeSerializer<StructOf<F>>;
  /** The value or `undefined`; a struct's field of this type may be missing. */
  readonly optional: <T>(of: TypeSerializer<T>) => OptionalSerializer<T>;
  /** The value or `null`. */
  readonly nullable: <T>(of: TypeSerializer<T>) => TypeSerializer<T | null>;
  /** A struct's field that old state may lack: it is then `initial`. Values written must have it. */
  readonly withDefault: <T>(of: TypeSerializer<T>, initial: T) => DefaultedSerializer<T>;
  /** One of several structs, told apart by the string in the field `discriminator`. */
  readonly union: <D extends string, A extends Readonly<Record<string, TypeSerializer<unknown>>>>(
    discriminator: D,
    alternatives: A,
  ) => TypeSerializer<UnionOf<D, A>>;
  /** One of several types, told apart by the value: the first that it fits. */
  readonly oneOf: <const A extends readonly TypeSerializer<unknown>[]>(
    ...alternatives: A
  ) => TypeSerializer<Of<A[number]>>;
  /**
   * Plain data of any form, which describes itself in bytes: what undeclared types get.
   *
   * @remarks
   * Keeps Date, Map, Set, bigint, RegExp, typed arrays, ArrayBuffer, `undefined` apart from missing, holes, -0, NaN and unpaired
   * surrogates. Refuses functions, symbols, instances of classes, cycles. A value held twice comes back as two.
   */
  readonly any: <T = unknown>() => TypeSerializer<T>;
}

export const Types: TypeFactory = {
  string: () => leaf("string"),
  boolean: () => leaf("boolean"),
  int: () => leaf("int"),
  long: () => leaf("long"),
  double: () => leaf("double"),
  bigint: () => leaf("bigint"),
  bytes: () => leaf("bytes"),
  date: () => leaf("date"),
  timestamp: () => leaf("timestamp"),
  any: () => leaf("any"),
  enumeration: (...values) =>
    declare({ kind: "enumeration", values: distinct(values, "an enumeration") }),
  array: (element) => declare({ kind: "array", element: shapeOf(element) }),
  set: (element) => declare({ kind: "set", element: shapeOf(element) }),
  map: (key, value) => declare({ kind: "map", key: shapeOf(key), value: shapeOf(value) }),
  tuple: (...fields) => declare({ kind: "tuple", fields: fields.map((field) => shapeOf(field)) }),
  struct: (fields) => declare({ kind: "struct", fields: Object.entries(fields).map(toField) }),
  optional: <T>(of: TypeSerializer<T>): OptionalSerializer<T> =>
    Object.assign(declare<T | undefined>({ kind: "optional", of: shapeOf(of) }), {
      isOptional: true as const,
    }),
  nullable: (of) => declare({ kind: "nullable", of: shapeOf(of) }),
  withDefault: <T>(of: TypeSerializer<T>, initial: T): DefaultedSerializer<T> =>
    Object.assign(declare<T>(shapeOf(of)), { makeDefault: copies(of, initial) }),
  union: (discriminator, alternatives) =>
    declare({
      kind: "union",
      discriminator,
      alternatives: taggedAlternatives(discriminator, alternatives),
    }),
  oneOf: (...alternatives) =>
    declare({
      kind: "union",
      discriminator: undefined,
      alternatives: alternatives.map((alternative, index) => ({
        tag: String(index),
        shape: shapeOf(alternative),
      })),
    }),
};

/** Flink's namespace of state without window: one zero byte. */
export const voidNamespace: TypeSerializer<null> = leaf("void-namespace");

/** Flink's `TimeWindow`: start and end (exclusive), milliseconds since the epoch, in 16 bytes. */
export const timeWindow: TypeSerializer<{ start: number; end: number }> = leaf("time-window");

function leaf<T>(kind: LeafKind): TypeSerializer<T> {
  return declare({ kind });
}

function declare<T>(shape: TypeShape): TypeSerializer<T> {
  return new ShapeSerializer<T>(shape);
}

function toField([name, serializer]: readonly [string, TypeSerializer<unknown>]): StructField {
  if (name === "__proto__") throw invalid("struct", "`__proto__` cannot be the name of a field");
  const makeDefault =
    "makeDefault" in serializer ? (serializer.makeDefault as () => unknown) : undefined;
  return { name, shape: shapeOf(serializer), makeDefault };
}

function taggedAlternatives(
  discriminator: string,
  alternatives: Readonly<Record<string, TypeSerializer<unknown>>>,
): readonly { tag: string; shape: TypeShape }[] {
  if (discriminator === "__proto__")
    throw invalid("union", "`__proto__` cannot be the discriminator");
  return Object.entries(alternatives).map(([tag, serializer]) => {
    const shape = shapeOf(serializer);
    if (shape.kind !== "struct")
      throw invalid(`union<${discriminator}>`, `alternative ${tag} is no struct`);
    if (shape.fields.some((field) => field.name === discriminator)) {
      throw invalid(
        `union<${discriminator}>`,
        `alternative ${tag} declares the discriminator as a field of its own`,
      );
    }
    return { tag, shape };
  });
}

/** A function that makes copies of `initial`, which is checked now. */
function copies<T>(of: TypeSerializer<T>, initial: T): () => T {
  const out = new ByteWriter();
  of.write(initial, out);
  const bytes = out.toBytes();
  return () => of.read(new ByteReader(bytes));
}

function distinct(values: readonly string[], type: string): readonly string[] {
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  if (twice !== undefined) throw invalid(type, `${JSON.stringify(twice)} stands in it twice`);
  return values;
}

function invalid(type: string, problem: string): StreamError<"TYPE_DECLARATION_INVALID"> {
  return new StreamError("TYPE_DECLARATION_INVALID", { type, problem });
}
