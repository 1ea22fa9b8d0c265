import { deepStrictEqual } from "node:assert";

import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";

import { ByteReader, ByteWriter, isStreamError, StreamError } from "../base/index.ts";
import type { Codec } from "./codec/codec.ts";
import { generatedCodec } from "./codec/generated-codec.ts";
import { ColumnSerializer } from "./column-serializer.ts";
import { interpretedCodec } from "./codec/interpreted-codec.ts";
import { SERIALIZER_LAWS } from "./serializer-laws.ts";
import { shapeOf } from "./shape-serializer.ts";
import { type Of, timeWindow, Types, voidNamespace } from "./type-factory.ts";
import type { TypeSerializer } from "./type-serializer.ts";
import { findMisfit } from "./codec/value-misfit.ts";

const anyString = fc
  .string({ unit: "binary" })
  .chain((text) => fc.constantFrom(text, `${text}\ud800`, `\udc00${text}`));
const int = fc.integer().map((value) => value | 0);
const long = fc.maxSafeInteger().map((value) => value + 0);
const timestamp = fc.oneof(long, fc.constantFrom(Infinity, -Infinity));
const bigint = fc.oneof(
  fc.bigInt(),
  fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
  fc.constantFrom(0n, 1n, 10n, -1n),
);
const bytes = fc.uint8Array();

function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const fieldName = fc.oneof(
  fc.string(),
  fc.constantFrom("a", "b", "toString", "constructor", "0", "7"),
);
const typedArray = fc.oneof(
  fc.float32Array(),
  fc.float64Array(),
  fc.int16Array(),
  fc.uint8ClampedArray(),
  fc.bigInt64Array(),
  bytes.map((data) => data.buffer.slice(0)),
  bytes.map((data) => Buffer.from(data)),
  bytes.map((data) => new DataView(data.buffer.slice(0))),
);
const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      anyString,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      bigint,
      fc.constantFrom(undefined, null, -0, 0, NaN, 2 ** 30, -(2 ** 30), 2 ** 31, /a+\/b/giu),
      fc.date({ noInvalidDate: true }),
      typedArray,
    ),
    fc.array(tie("anything"), { maxLength: 5 }),
    fc.dictionary(fieldName, tie("anything"), { maxKeys: 6, noNullPrototype: true }),
    fc
      .array(fc.tuple(tie("anything"), tie("anything")), { maxLength: 4 })
      .map((entries) => new Map(entries)),
    fc.array(tie("anything"), { maxLength: 4 }).map((elements) => new Set(elements)),
  ),
}));

interface Sample {
  readonly name: string;
  readonly serializer: TypeSerializer<unknown>;
  readonly values: fc.Arbitrary<unknown>;
}

const samples: Sample[] = [];

function sample<T>(name: string, serializer: TypeSerializer<T>, values: fc.Arbitrary<T>): void {
  samples.push({ name, serializer: serializer as TypeSerializer<unknown>, values });
}

sample("string", Types.string(), anyString);
sample("long string", Types.string(), fc.string({ unit: "binary", minLength: 20, maxLength: 200 }));
sample("boolean", Types.boolean(), fc.boolean());
sample("int", Types.int(), int);
sample("long", Types.long(), long);
sample("double", Types.double(), fc.double());
sample("bigint", Types.bigint(), bigint);
sample("bytes", Types.bytes(), bytes);
sample("date", Types.date(), fc.date({ noInvalidDate: true }));
sample("timestamp", Types.timestamp(), timestamp);
sample("enumeration", Types.enumeration("A", "B", "a b"), fc.constantFrom("A", "B", "a b"));
sample("array", Types.array(Types.string()), fc.array(anyString));
sample(
  "set",
  Types.set(Types.int()),
  fc.array(int).map((elements) => new Set(elements)),
);
sample(
  "map",
  Types.map(Types.string(), Types.nullable(Types.long())),
  fc.array(fc.tuple(anyString, fc.option(long))).map((entries) => new Map(entries)),
);
sample("optional", Types.optional(Types.string()), fc.option(anyString, { nil: undefined }));
sample("nullable", Types.nullable(Types.double()), fc.option(fc.double()));
sample("tuple", Types.tuple(Types.string(), Types.int()), fc.tuple(anyString, int));
sample("empty tuple", Types.tuple(), fc.constant<[]>([]));
sample(
  "row of numbers",
  Types.struct({ n: Types.int(), sum: Types.double() }),
  record({ n: int, sum: fc.double() }),
);
sample("empty struct", Types.struct({}), fc.constant({}));
sample(
  "struct with ten optional fields",
  Types.struct(
    Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`f${i}`, Types.optional(Types.int())]),
    ),
  ),
  fc
    .array(fc.option(int, { nil: undefined }), { minLength: 10, maxLength: 10 })
    .map((fields) => Object.fromEntries(fields.map((field, i) => [`f${i}`, field]))),
);
const order = Types.struct({
  id: Types.long(),
  "unit price": Types.double(),
  note: Types.optional(Types.string()),
  lines: Types.array(Types.struct({ sku: Types.string(), count: Types.int() })),
  extra: Types.any(),
});
sample(
  "nested struct",
  order,
  record({
    id: long,
    "unit price": fc.double(),
    note: fc.option(anyString, { nil: undefined }),
    lines: fc.array(record({ sku: anyString, count: int })),
    extra: anything,
  }),
);
const shape = Types.union("kind", {
  circle: Types.struct({ radius: Types.double() }),
  polygon: Types.struct({ points: Types.array(Types.tuple(Types.double(), Types.double())) }),
  nothing: Types.struct({}),
});
sample(
  "union with discriminator",
  shape,
  fc.oneof(
    record({ kind: fc.constant("circle" as const), radius: fc.double() }),
    record({
      kind: fc.constant("polygon" as const),
      points: fc.array(fc.tuple(fc.double(), fc.double())),
    }),
    record({ kind: fc.constant("nothing" as const) }),
  ),
);
sample(
  "union of types",
  Types.oneOf(
    Types.string(),
    Types.int(),
    Types.bigint(),
    Types.struct({ a: Types.boolean() }),
    Types.double(),
  ),
  fc.oneof(
    anyString,
    int,
    bigint,
    record({ a: fc.boolean() }),
    fc.double().filter((x) => (x | 0) !== x),
  ),
);
sample("any", Types.any(), anything);
sample("void namespace", voidNamespace, fc.constant(null));
sample("time window", timeWindow, record({ start: timestamp, end: timestamp }));
const backwards = (text: string): string => Array.from(text).toReversed().join("");
const custom: TypeSerializer<string> = {
  typeName: "reversed",
  snapshot: { className: "cutwater.test.Reversed", version: 7, payload: Uint8Array.of(1, 2) },
  keyKind: "canonical",
  rowFields: undefined,
  write: (value, out) => out.writeString(backwards(value)),
  read: (input) => backwards(input.readString()),
};
sample(
  "custom serializer inside",
  Types.array(Types.struct({ text: custom })),
  fc.array(record({ text: fc.string({ unit: "grapheme" }) })),
);

describe.each(samples)("$name", ({ serializer, values }) => {
  test.each(SERIALIZER_LAWS)("$name", (law) => {
    fc.assert(
      fc.property(values, values, (value, another) => law.check(serializer, value, another)),
      { numRuns: 60 },
    );
  });
});

test.each(samples)(
  "generated and interpreted codec of $name write the same and read each other",
  ({ serializer, values }) => {
    const shape = shapeOf(serializer);
    const codecs = [generatedCodec(shape), interpretedCodec(shape)];
    fc.assert(
      fc.property(values, (value) => {
        const [generated, interpreted] = codecs.map((codec) => {
          const out = new ByteWriter();
          codec.write(value, out);
          return out.toBytes();
        });
        expect(generated).toEqual(interpreted);
        const bytes = generated ?? new Uint8Array(0);
        for (const codec of codecs) deepStrictEqual(codec.read(new ByteReader(bytes)), value);
      }),
      { numRuns: 60 },
    );
  },
);

test.each(samples.filter(({ name }) => !name.startsWith("custom")))(
  "generated and interpreted codec of $name refuse the same",
  ({ serializer }) => {
    const shape = shapeOf(serializer);
    const accepts = (codec: Codec, value: unknown): boolean => {
      try {
        codec.write(value, new ByteWriter());
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(anything, (value) => {
        const isFit = findMisfit(shape, value) === undefined;
        expect(accepts(interpretedCodec(shape), value)).toBe(isFit);
        expect(accepts(generatedCodec(shape), value)).toBe(isFit);
      }),
      { numRuns: 60 },
    );
  },
);

test.each(samples)(
  "many values of $name at once come back as they were",
  ({ serializer, values }) => {
    const type = serializer as TypeSerializer<unknown>;
    fc.assert(
      fc.property(fc.array(fc.array(values, { maxLength: 5 }), { maxLength: 4 }), (batches) => {
        const [writer, reader] = [new ColumnSerializer(type), new ColumnSerializer(type)];
        const out = new ByteWriter();
        out.writeByte(7);
        for (const batch of batches) writer.write([...batch, "not one of them"], batch.length, out);
        out.writeByte(9);
        const input = new ByteReader(out.toBytes());
        expect(input.readByte()).toBe(7);
        for (const batch of batches) {
          const read: unknown[] = [];
          reader.read(read, batch.length, input);
          deepStrictEqual(read, batch);
        }
        expect(input.readByte()).toBe(9);
        expect(input.remaining).toBe(0);
      }),
      { numRuns: 30 },
    );
  },
);

test("longs that only Flink could write come back among others, and -0 as 0", () => {
  const type = Types.struct({ at: Types.long(), id: Types.int() });
  const values: unknown[] = [2n ** 60n, -0, 2 ** 53 - 1, -(2n ** 63n), 7].map((at, id) => ({
    at,
    id,
  }));
  const out = new ByteWriter();
  new ColumnSerializer(type as TypeSerializer<unknown>).write(values, values.length, out);
  const read: unknown[] = [];
  const input = new ByteReader(out.toBytes());
  new ColumnSerializer(type as TypeSerializer<unknown>).read(read, values.length, input);
  expect(read).toStrictEqual(values.with(1, { at: 0, id: 1 }));
});

test.each(samples.filter(({ name }) => !name.startsWith("custom")))(
  "many values of $name at once are refused for the same value with the same words as one is",
  ({ serializer, values }) => {
    const type = serializer as TypeSerializer<unknown>;
    const refusal = (write: () => void): string | undefined => {
      try {
        write();
        return undefined;
      } catch (error) {
        return String(error);
      }
    };
    fc.assert(
      fc.property(values, anything, (value, other) => {
        const out = new ByteWriter();
        const many = new ColumnSerializer(type);
        expect(refusal(() => many.write([value, other], 2, out))).toBe(
          refusal(() => type.write(other, out)),
        );
      }),
      { numRuns: 60 },
    );
  },
);

function bytesOf<T>(serializer: TypeSerializer<T>, value: T): string {
  const out = new ByteWriter();
  serializer.write(value, out);
  return Buffer.from(out.toBytes()).toString("hex");
}

function throughBytes<T>(serializer: TypeSerializer<T>, value: T): T {
  const out = new ByteWriter();
  serializer.write(value, out);
  return serializer.read(new ByteReader(out.toBytes()));
}

test.each(samples)(
  "damaged bytes of $name give a value or are refused as malformed",
  ({ serializer, values }) => {
    fc.assert(
      fc.property(values, fc.nat(), fc.nat(255), (value, position, byte) => {
        const bytes = Buffer.from(bytesOf(serializer, value), "hex");
        if (bytes.length > 0) bytes[position % bytes.length] = byte;
        let problem = "MalformedBytesError";
        try {
          serializer.read(new ByteReader(bytes));
        } catch (error) {
          problem = error instanceof Error ? error.name : "";
        }
        expect(problem).toBe("MalformedBytesError");
      }),
      { numRuns: 200 },
    );
  },
);

test("the type of a struct is inferred from its declaration, with optional fields optional", () => {
  const flight = Types.struct({
    a: Types.string(),
    b: Types.optional(Types.int()),
    c: Types.withDefault(Types.int(), 0),
  });
  expectTypeOf<Of<typeof flight>>().toEqualTypeOf<{
    a: string;
    b?: number | undefined;
    c: number;
  }>();
});

test("the types of unions, tuples, enumerations and collections are inferred", () => {
  const status = Types.enumeration("OPEN", "CLOSED");
  expectTypeOf<Of<typeof status>>().toEqualTypeOf<"OPEN" | "CLOSED">();
  const pair = Types.tuple(Types.string(), Types.nullable(Types.long()));
  expectTypeOf<Of<typeof pair>>().toEqualTypeOf<[string, number | null]>();
  expectTypeOf<Of<typeof shape>>().toEqualTypeOf<
    | { kind: "circle"; radius: number }
    | { kind: "polygon"; points: [number, number][] }
    | { kind: "nothing" }
  >();
  const either = Types.oneOf(Types.string(), Types.bigint());
  expectTypeOf<Of<typeof either>>().toEqualTypeOf<string | bigint>();
  const map = Types.map(Types.string(), Types.set(Types.date()));
  expectTypeOf<Of<typeof map>>().toEqualTypeOf<Map<string, Set<Date>>>();
  const unknownType = Types.any();
  expectTypeOf<Of<typeof unknownType>>().toEqualTypeOf<unknown>();
});

test("a value of another type does not compile", () => {
  const out = new ByteWriter();
  const text = Types.struct({ a: Types.string() });
  // @ts-expect-error -- a number is no string
  expect(() => text.write({ a: 1 }, out)).toThrow(StreamError);
  // @ts-expect-error -- the default is not of the field's type
  expect(() => Types.withDefault(Types.int(), "0")).toThrow(StreamError);
});

test("an undefined field of an undeclared object is kept apart from a missing one, and holes from undefined", () => {
  // oxlint-disable-next-line no-sparse-arrays -- the hole is the point
  const value = { present: undefined, list: [1, , undefined] };
  const read = throughBytes(Types.any<typeof value>(), value);
  expect(Object.keys(read)).toEqual(["present", "list"]);
  expect(1 in read.list).toBe(false);
  expect(2 in read.list).toBe(true);
});

test("an invalid date is kept where the type is undeclared", () => {
  expect(throughBytes(Types.any<{ at: Date }>(), { at: new Date(NaN) }).at.getTime()).toBe(NaN);
});

test("an undeclared object without prototype stays one, and a field __proto__ sets no prototype", () => {
  const bare: unknown = Object.assign(Object.create(null), { a: 1 });
  expect(Object.getPrototypeOf(throughBytes(Types.any(), bare))).toBe(null);
  const odd: unknown = JSON.parse('{"__proto__": {"admin": true}}');
  for (let use = 0; use < 40; use++) {
    const read = throughBytes(Types.any<Record<string, unknown>>(), odd as Record<string, unknown>);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.hasOwn(read, "__proto__")).toBe(true);
    expect(read["admin"]).toBe(undefined);
  }
});

test("undeclared objects of more forms than are remembered are kept", () => {
  for (let form = 0; form < 1500; form++) {
    const value = { [`field${form}`]: form, [`x${form % 7}`]: "same" };
    expect(throughBytes(Types.any(), value)).toEqual(value);
  }
});

test("a struct keeps its declared fields only, and one hidden class whether optional fields are there or not", () => {
  const type = Types.struct({ a: Types.int(), b: Types.optional(Types.int()) });
  expect(Object.keys(throughBytes(type, { a: 1 }))).toEqual(["a", "b"]);
  const wider = { a: 1, b: 2, c: 3 };
  expect(throughBytes(type, wider)).toEqual({ a: 1, b: 2 });
});

class Money {
  readonly cents = 1;
}

interface Refusal {
  readonly type: TypeSerializer<unknown>;
  readonly value: unknown;
  readonly path: string;
  readonly problem: string;
}

const cyclic: { name: string; self: { back?: unknown } } = { name: "x", self: {} };
cyclic.self.back = cyclic;
let deep: unknown = 1;
for (let level = 0; level < 5000; level++) deep = [deep];

const any = Types.any();
const refusals: readonly Refusal[] = [
  {
    type: any,
    value: { orders: [{ customer: () => 1 }] },
    path: "orders[0].customer",
    problem: "it is the function customer",
  },
  { type: any, value: { "a b": { c: Symbol("s") } }, path: '["a b"].c', problem: "it is a symbol" },
  { type: any, value: [0, new Money()], path: "[1]", problem: "it is an instance of Money" },
  {
    type: any,
    value: new Map([["k", new Money()]]),
    path: '<"k">',
    problem: "it is an instance of Money",
  },
  {
    type: any,
    value: { at: Promise.resolve() },
    path: "at",
    problem: "it is an instance of Promise",
  },
  { type: any, value: new Error("no"), path: "", problem: "it is an instance of Error" },
  {
    type: any,
    value: cyclic,
    path: "self.back",
    problem: "it refers back to the whole value, which holds it",
  },
  { type: any, value: deep, path: "", problem: "it is nested more than 1000 levels deep" },
  { type: Types.int(), value: 1.5, path: "", problem: "int is expected, it is 1.5" },
  { type: Types.int(), value: 2 ** 31, path: "", problem: "int is expected, it is 2147483648" },
  {
    type: Types.long(),
    value: 2 ** 53,
    path: "",
    problem: "long is expected, it is 9007199254740992",
  },
  { type: Types.long(), value: "1", path: "", problem: 'long is expected, it is "1"' },
  {
    type: Types.date(),
    value: new Date(NaN),
    path: "",
    problem: "date is expected, it is an invalid Date",
  },
  { type: Types.timestamp(), value: NaN, path: "", problem: "timestamp is expected, it is NaN" },
  {
    type: Types.string(),
    value: undefined,
    path: "",
    problem: "string is expected, it is undefined",
  },
  { type: Types.enumeration("A"), value: "B", path: "", problem: '"A" is expected, it is "B"' },
  {
    type: Types.struct({ a: Types.int() }),
    value: null,
    path: "",
    problem: "struct{a: int} is expected, it is null",
  },
  {
    type: Types.struct({ a: Types.int() }),
    value: [1],
    path: "",
    problem: "struct{a: int} is expected, it is an array of 1",
  },
  {
    type: Types.tuple(Types.int()),
    value: [1, 2],
    path: "",
    problem: "tuple<int> is expected, it is an array of 2",
  },
  {
    type: Types.struct({ orders: Types.array(Types.struct({ customer: Types.string() })) }),
    value: { orders: [{ customer: "a" }, { customer: 5 }] },
    path: "orders[1].customer",
    problem: "string is expected, it is 5",
  },
  {
    type: shape,
    value: { kind: "square" },
    path: "kind",
    problem: 'one of "circle", "polygon", "nothing" is expected, it is "square"',
  },
  {
    type: shape,
    value: { kind: "circle", radius: "1" },
    path: "radius",
    problem: 'double is expected, it is "1"',
  },
  {
    type: Types.oneOf(Types.string(), Types.int()),
    value: 1.5,
    path: "",
    problem: "union<string | int> is expected, it is 1.5",
  },
];

test.each(refusals)("$path of a value is refused: $problem", ({ type, value, path, problem }) => {
  const out = new ByteWriter();
  out.writeInt(1);
  let refused: unknown;
  try {
    type.write(value, out);
  } catch (error) {
    refused = error;
  }
  expect(isStreamError(refused, "VALUE_NOT_SERIALIZABLE") && refused.details).toEqual({
    where: undefined,
    path,
    problem,
  });
  expect(out.length).toBe(4); // nothing half-written
});

test("a wrong declaration is refused", () => {
  expect(() => Types.enumeration("A", "A")).toThrow('"A" stands in it twice');
  expect(() => Types.union("kind", { a: Types.struct({ kind: Types.string() }) })).toThrow(
    "a field of its own",
  );
  expect(() => Types.union("kind", { a: Types.string() })).toThrow("alternative a is no struct");
  expect(() => Types.struct({ ["__proto__"]: Types.string() })).toThrow("__proto__");
});

test("a refused declaration says so by its code", () => {
  let refused: unknown;
  try {
    Types.enumeration("A", "A");
  } catch (error) {
    refused = error;
  }
  expect(isStreamError(refused, "TYPE_DECLARATION_INVALID")).toBe(true);
});

test("only structs of numbers alone can lie in rows", () => {
  expect(Types.struct({ n: Types.int(), at: Types.timestamp() }).rowFields).toEqual(["n", "at"]);
  expect(Types.struct({ n: Types.optional(Types.int()) }).rowFields).toBe(undefined);
  expect(Types.struct({}).rowFields).toBe(undefined);
  expect(Types.double().rowFields).toBe(undefined);
});

test("bytes are those of Flink's serializers", () => {
  expect(bytesOf(Types.string(), "aé日")).toBe("0461e901e5cb01");
  expect(bytesOf(Types.long(), -2)).toBe("fffffffffffffffe");
  expect(bytesOf(Types.timestamp(), -Infinity)).toBe("8000000000000000");
  expect(bytesOf(Types.bigint(), 10n)).toBe("00000003");
  expect(bytesOf(Types.bigint(), -129n)).toBe("00000006ff7f");
  expect(bytesOf(Types.map(Types.int(), Types.boolean()), new Map([[1, true]]))).toBe(
    "00000001000000010001",
  );
  expect(bytesOf(Types.array(Types.int()), [7])).toBe("0000000100000007");
  expect(bytesOf(Types.tuple(Types.int(), Types.string()), [1, ""])).toBe("0000000101");
});

test("a long beyond 2^53 that only Flink could write is read as a bigint", () => {
  expect(Types.long().read(new ByteReader(Buffer.from("7fffffffffffffff", "hex")))).toBe(
    2n ** 63n - 1n,
  );
});
