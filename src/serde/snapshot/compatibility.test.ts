import { describe, expect, test } from "vitest";

import { ByteReader, ByteWriter } from "../../base/index.ts";
import {
  resolveCompatibility,
  resolveKeyCompatibility,
  serializerFromSnapshot,
} from "./compatibility.ts";
import { timeWindow, Types, voidNamespace } from "../type-factory.ts";
import type { TypeSerializer } from "../type-serializer.ts";

/** Writes with the old type, reads as the compatibility says, and writes and reads with the new one. */
function migrated<O, N>(old: TypeSerializer<O>, now: TypeSerializer<N>, value: O): N {
  const out = new ByteWriter();
  old.write(value, out);
  out.writeByte(99);
  const compatibility = resolveCompatibility(old.snapshot, now);
  if (compatibility.kind === "incompatible") throw new Error(compatibility.reasons.join("; "));
  const reader = compatibility.kind === "migrate" ? compatibility.reader : now;
  const input = new ByteReader(out.toBytes());
  const read = reader.read(input);
  expect(input.readByte()).toBe(99);
  const again = new ByteWriter();
  now.write(read, again);
  return now.read(new ByteReader(again.toBytes()));
}

function reasons(old: TypeSerializer<unknown>, now: TypeSerializer<unknown>): readonly string[] {
  const compatibility = resolveCompatibility(old.snapshot, now);
  return compatibility.kind === "incompatible" ? compatibility.reasons : [compatibility.kind];
}

const {
  string,
  int,
  long,
  double,
  bigint,
  optional,
  nullable,
  struct,
  array,
  map,
  set,
  tuple,
  withDefault,
} = Types;

describe("migrates", () => {
  test("a field added with a default, each value with a copy of its own", () => {
    const old = struct({ a: int() });
    const now = struct({
      tags: withDefault(array(string()), ["x"]),
      a: int(),
      n: withDefault(int(), 7),
    });
    expect(migrated(old, now, { a: 1 })).toEqual({ tags: ["x"], a: 1, n: 7 });
    const compatibility = resolveCompatibility(old.snapshot, now);
    if (compatibility.kind !== "migrate") throw new Error(compatibility.kind);
    const read = () => compatibility.reader.read(new ByteReader(Uint8Array.of(0, 0, 0, 1)));
    expect(read().tags).not.toBe(read().tags);
  });

  test("a field added as optional, one removed, one moved", () => {
    expect(
      migrated(struct({ a: int() }), struct({ a: int(), b: optional(string()) }), { a: 1 }),
    ).toEqual({ a: 1 });
    expect(
      migrated(struct({ a: int(), b: string() }), struct({ a: int() }), { a: 1, b: "x" }),
    ).toEqual({ a: 1 });
    expect(
      migrated(struct({ a: int(), b: string() }), struct({ b: string(), a: int() }), {
        a: 1,
        b: "x",
      }),
    ).toEqual({
      a: 1,
      b: "x",
    });
  });

  test("whole numbers to wider ones", () => {
    expect(migrated(int(), long(), -5)).toBe(-5);
    expect(migrated(int(), double(), 5)).toBe(5);
    expect(migrated(long(), double(), 2 ** 40)).toBe(2 ** 40);
    expect(migrated(int(), bigint(), 5)).toBe(5n);
    expect(migrated(long(), bigint(), -(2 ** 40))).toBe(-(2n ** 40n));
  });

  test("changes at any depth", () => {
    const old = struct({
      orders: array(struct({ price: int(), gone: string() })),
      byKey: map(int(), optional(int())),
      pair: tuple(int(), set(int())),
    });
    const now = struct({
      orders: array(struct({ price: double(), currency: withDefault(string(), "EUR") })),
      byKey: map(long(), optional(long())),
      pair: tuple(long(), set(double())),
    });
    const value = {
      orders: [{ price: 5, gone: "x" }],
      byKey: new Map([[1, undefined], [2, 3]]), // prettier-ignore
      pair: [1, new Set([2])] as [number, Set<number>],
    };
    expect(migrated(old, now, value)).toEqual({
      ...value,
      orders: [{ price: 5, currency: "EUR" }],
    });
  });

  test("a type made optional or nullable", () => {
    expect(migrated(struct({ a: int() }), struct({ a: optional(int()) }), { a: 1 })).toEqual({
      a: 1,
    });
    expect(migrated(int(), nullable(long()), 1)).toBe(1);
    expect(migrated(nullable(int()), nullable(long()), null)).toBe(null);
  });

  test("an enumeration with its values in another order and more of them", () => {
    expect(migrated(Types.enumeration("A", "B"), Types.enumeration("C", "B", "A"), "B")).toBe("B");
    expect(reasons(Types.enumeration("A", "B"), Types.enumeration("A", "B", "C"))).toEqual([
      "compatible",
    ]);
  });

  test("a union with alternatives added, moved and changed", () => {
    const old = Types.union("kind", { a: struct({ n: int() }), b: struct({}) });
    const now = Types.union("kind", { c: struct({}), b: struct({}), a: struct({ n: long() }) });
    expect(migrated(old, now, { kind: "a", n: 4 })).toEqual({ kind: "a", n: 4 });
    expect(migrated(old, now, { kind: "b" })).toEqual({ kind: "b" });
    const more = Types.union("kind", { a: struct({ n: int() }), b: struct({}), c: struct({}) });
    expect(reasons(old, more)).toEqual(["compatible"]);
    expect(migrated(Types.oneOf(string(), int()), Types.oneOf(long(), string()), 5)).toBe(5);
    expect(migrated(Types.oneOf(string(), int()), Types.oneOf(long(), string()), "x")).toBe("x");
    expect(migrated(string(), Types.oneOf(int(), string()), "x")).toBe("x");
  });
});

describe("is compatible as it stands", () => {
  test("with another default, and between long and timestamp", () => {
    expect(reasons(struct({ a: withDefault(int(), 1) }), struct({ a: int() }))).toEqual([
      "compatible",
    ]);
    expect(reasons(struct({ a: long() }), struct({ a: Types.timestamp() }))).toEqual([
      "compatible",
    ]);
  });
});

describe("refuses", () => {
  test.each<[TypeSerializer<unknown>, TypeSerializer<unknown>, readonly string[]]>([
    [string(), int(), ["value: was string, is now int"]],
    [long(), int(), ["value: was long, is now int"]],
    [double(), long(), ["value: was double, is now long"]],
    [optional(int()), int(), ["value: was optional<int>, is now int"]],
    [
      struct({ orders: array(struct({ price: int(), count: int() })) }),
      struct({ orders: array(struct({ price: string(), count: Types.boolean() })) }),
      [
        "field `orders[].price`: was int, is now string",
        "field `orders[].count`: was int, is now boolean",
      ],
    ],
    [struct({}), struct({ a: int() }), ["field `a`: was absent, is now int without a default"]],
    [
      struct({ m: map(string(), int()) }),
      struct({ m: map(int(), string()) }),
      ["field `m<key>`: was string, is now int", "field `m<value>`: was int, is now string"],
    ],
    [tuple(int()), tuple(int(), int()), ["value: was tuple<int>, is now tuple<int, int>"]],
    [Types.enumeration("A", "B"), Types.enumeration("A"), ['value: was "A" | "B", is now "A"']],
    [
      struct({ s: Types.union("kind", { a: struct({}), b: struct({}) }) }),
      struct({ s: Types.union("kind", { a: struct({}) }) }),
      ['field `s`: alternative "b" was struct{}, is now absent'],
    ],
    [Types.any(), struct({}), ["value: was any, is now struct{}"]],
  ])("%# by field, old type and new type", (old, now, expected) => {
    expect(reasons(old, now)).toEqual(expected);
  });

  test("a snapshot of a class that is not known, by its name", () => {
    const old = {
      className: "com.example.OrderSerializerSnapshot",
      version: 2,
      payload: new Uint8Array(0),
    };
    expect(resolveCompatibility(old, int())).toEqual({
      kind: "incompatible",
      reasons: [
        "value: was written by com.example.OrderSerializerSnapshot (version 2), is now int",
      ],
    });
    expect(serializerFromSnapshot(old)).toBe(undefined);
  });

  test("a custom serializer whose snapshot changed", () => {
    const custom = (version: number): TypeSerializer<number> => ({
      ...int(),
      typeName: `custom ${version}`,
      snapshot: { className: "cutwater.test.Custom", version, payload: Uint8Array.of(1) },
      keyKind: "canonical",
      rowFields: undefined,
      write: (value, out) => out.writeInt(value),
      read: (input) => input.readInt(),
    });
    expect(resolveCompatibility(custom(1).snapshot, custom(1)).kind).toBe("compatible");
    expect(resolveCompatibility(custom(1).snapshot, custom(2)).kind).toBe("incompatible");
  });
});

describe("a key", () => {
  test("may not change its type, even where a value could", () => {
    expect(resolveKeyCompatibility(int().snapshot, int())).toEqual({ kind: "compatible" });
    expect(resolveKeyCompatibility(int().snapshot, long())).toEqual({
      kind: "incompatible",
      reasons: ["key: was int, is now long; the type of a key cannot change"],
    });
    expect(resolveKeyCompatibility(long().snapshot, Types.timestamp()).kind).toBe("compatible");
    const key = struct({ a: int() });
    expect(
      resolveKeyCompatibility(key.snapshot, struct({ a: int(), b: optional(int()) })).kind,
    ).toBe("incompatible");
  });
});

test("a snapshot describes its type without the job's code", () => {
  const type = struct({
    id: long(),
    at: Types.date(),
    window: timeWindow,
    none: voidNamespace,
    pair: tuple(string(), Types.bytes()),
    kind: Types.enumeration("A", "B"),
    extra: optional(Types.any()),
  });
  expect(serializerFromSnapshot(type.snapshot)?.typeName).toBe(type.typeName);
});
