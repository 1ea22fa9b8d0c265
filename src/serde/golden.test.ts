import { expect, test } from "vitest";

import { ByteReader, ByteWriter, present } from "../base/index.ts";
import { canonicalKeyBytes } from "./key/canonical-key-bytes.ts";
import { keyHash } from "./key/key-hash.ts";
import { serializerFromSnapshot } from "./snapshot/compatibility.ts";
import { readSerializerSnapshot, writeSerializerSnapshot } from "./snapshot/serializer-snapshot.ts";
import { timeWindow, Types, voidNamespace } from "./type-factory.ts";
import type { KeyKind, TypeSerializer } from "./type-serializer.ts";

/**
 * The bytes of format version 1. They stand on disks: a difference here means that old checkpoints are unreadable, so a new
 * form needs a new snapshot version, never a new golden file.
 */

interface Row {
  readonly type: TypeSerializer<unknown>;
  readonly values: readonly unknown[];
}

function row<T>(type: TypeSerializer<T>, ...values: readonly T[]): Row {
  return { type: type as TypeSerializer<unknown>, values };
}

const { struct, int, string, optional } = Types;

const rows: readonly Row[] = [
  row(string(), "", "a", "ü", "日本", "🙂", "\ud800", "x".repeat(130)),
  row(Types.boolean(), true, false),
  row(int(), 0, -1, 2_147_483_647),
  row(Types.long(), 0, -1, 2 ** 53 - 1),
  row(Types.double(), 0, -0, 1.5, NaN, -Infinity),
  row(Types.bigint(), 0n, 1n, 10n, -1n, 127n, 128n, -128n, -129n, 2n ** 70n),
  row(Types.bytes(), Uint8Array.of(), Uint8Array.of(1, 255)),
  row(Types.date(), new Date(0), new Date(-1)),
  row(Types.timestamp(), 1_700_000_000_000, Infinity, -Infinity),
  row(Types.enumeration("A", "B"), "A", "B"),
  row(Types.array(int()), [], [1, 2]),
  row(Types.set(string()), new Set(["b", "a"])),
  row(Types.map(string(), int()), new Map([["b", 1]])),
  row(optional(int()), undefined, 5),
  row(Types.nullable(int()), null, 5),
  row(Types.tuple(), []),
  row(Types.tuple(string(), int()), ["a", 1]),
  row(struct({}), {}),
  row(struct({ a: int(), b: optional(string()), c: optional(int()) }), {
    a: 1,
    b: "x",
    c: undefined,
  }),
  row(
    Types.union("kind", { a: struct({ n: int() }), b: struct({}) }),
    { kind: "a", n: 1 },
    { kind: "b" },
  ),
  row(Types.oneOf(string(), int()), "x", 7),
  row(voidNamespace, null),
  row(timeWindow, { start: 0, end: 60_000 }),
  row<unknown>(
    Types.any(),
    undefined,
    null,
    false,
    true,
    0,
    -0,
    1,
    -1,
    2 ** 30 - 1,
    2 ** 30,
    0.5,
    NaN,
    "ü",
    -5n,
    2n ** 70n,
    new Date(5),
    [1, "a", [undefined]],
    Object.assign(Array.from<number>({ length: 0 }), { 0: 1, 3: 2 }),
    { a: 1, b: { c: "x" } },
    {},
    Object.assign(Object.create(null) as object, { a: 1 }),
    new Map<unknown, unknown>([["a", 1]]),
    new Set([1]),
    /a\/b/giu,
    Uint8Array.of(1, 2),
    Buffer.from([3]),
    Float64Array.of(1.5),
    Int16Array.of(-2),
    BigInt64Array.of(-2n),
    new Uint8Array([9]).buffer,
  ),
];

test("values and snapshots have the bytes of format version 1", async () => {
  const lines = rows.flatMap(({ type, values }) => [
    `${type.typeName}`,
    `  snapshot ${hexOf((out) => writeSerializerSnapshot(type.snapshot, out))}`,
    ...values.map((value) => `  ${shown(value)}  ${hexOf((out) => type.write(value, out))}`),
  ]);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(
    "../../test/golden/serde/values-format-1.txt",
  );
});

test("the bytes of the golden file are read and written again without the declaration of their type", () => {
  for (const { type, values } of rows) {
    const stored = hexOf((out) => writeSerializerSnapshot(type.snapshot, out));
    const snapshot = readSerializerSnapshot(new ByteReader(Buffer.from(stored, "hex")));
    const described = present(serializerFromSnapshot(snapshot), "the class is known");
    for (const value of values) {
      const bytes = hexOf((out) => type.write(value, out));
      const read = described.read(new ByteReader(Buffer.from(bytes, "hex")));
      expect(hexOf((out) => described.write(read, out))).toBe(bytes);
    }
  }
});

const keys: readonly (readonly [unknown, KeyKind])[] = [
  ["", "string"],
  ["ü日🙂\ud800", "string"],
  [true, "boolean"],
  [1, "int"],
  [-1, "int"],
  [1, "long"],
  [1, "double"],
  [-1, "double"],
  [NaN, "double"],
  [0n, "canonical"],
  [-300n, "canonical"],
  [new Date(5), "canonical"],
  [Uint8Array.of(1), "canonical"],
  [["a", 1], "canonical"],
  [["a", 1], { kind: "tuple", fields: ["string", "int"] }],
  [{ b: [null, undefined], a: "x" }, "canonical"],
  [new Set(["b", "a"]), "canonical"],
  [new Map([["b", 1]]), "canonical"],
];

test("keys have the canonical bytes and hashes of format version 1", async () => {
  const lines = keys.map(([key, kind]) => {
    const bytes = Buffer.from(canonicalKeyBytes(key, kind)).toString("hex");
    return `${shown(key)}  ${JSON.stringify(kind)}  ${bytes}  ${keyHash(key, kind)}`;
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(
    "../../test/golden/serde/keys-format-1.txt",
  );
});

function hexOf(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter();
  write(out);
  return Buffer.from(out.toBytes()).toString("hex");
}

/** A value in a line that does not depend on the version of Node. */
function shown(value: unknown): string {
  if (typeof value === "string") {
    const units = Array.from({ length: value.length }, (_, i) => value.charCodeAt(i));
    return `"${units.map((unit) => (unit < 0x7f ? String.fromCharCode(unit) : `\\u${unit.toString(16).padStart(4, "0")}`)).join("")}"`;
  }
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null)
    return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof RegExp) return value.toString();
  if (value instanceof Map) return `Map(${[...value].map(shown).join(", ")})`;
  if (value instanceof Set) return `Set(${[...value].map(shown).join(", ")})`;
  if (Array.isArray(value))
    return `[${Array.from(value, (one: unknown, i) => (i in value ? shown(one) : "hole")).join(", ")}]`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer(${new Uint8Array(value).join(", ")})`;
  if (ArrayBuffer.isView(value))
    return `${value.constructor.name}(${Array.from(value as Uint8Array, String).join(", ")})`;
  const prefix = Object.getPrototypeOf(value) === null ? "bare " : "";
  return `${prefix}{${Object.entries(value)
    .map(([name, held]) => `${name}: ${shown(held)}`)
    .join(", ")}}`;
}
