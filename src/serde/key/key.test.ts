import { existsSync, readFileSync } from "node:fs";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isStreamError } from "../../base/index.ts";
import { canonicalKeyBytes, compareBytes } from "./canonical-key-bytes.ts";
import { keyHash } from "./key-hash.ts";
import { readCanonicalKey } from "./read-canonical-key.ts";
import { compareKeys, COMPOSITE_PREFIX, keyEquals, keyIdentity } from "./key-order.ts";
import { Types } from "../type-factory.ts";
import type { KeyKind } from "../type-serializer.ts";

describe("hash", () => {
  test.each<[unknown, KeyKind, number]>([
    ["", "string", 0],
    ["key", "string", 106_079],
    ["日本", "string", 835_047],
    ["🙂", "string", 1_772_965],
    ["user-1", "canonical", -836_031_825],
    [-5, "int", -5],
    [2 ** 31 - 1, "int", 2_147_483_647],
    [0, "long", 0],
    [-1, "long", 0],
    [-2, "long", 1],
    [4_294_967_296, "long", 1],
    [-4_294_967_296, "long", -1],
    [1_234_567_890_123, "long", 1_912_276_436],
    [2n ** 63n - 1n, "long", -2_147_483_648],
    [-(2n ** 63n), "long", -2_147_483_648],
    [1, "double", 1_072_693_248],
    [1, "canonical", 1_072_693_248],
    [0.1, "double", -1_507_852_285],
    [-0, "double", 0],
    [NaN, "double", 2_146_959_360],
    [true, "boolean", 1231],
    [false, "canonical", 1237],
    [["a", 1], { kind: "tuple", fields: ["string", "int"] }, 3008],
    [[1, 2], { kind: "tuple", fields: ["int", "long"] }, 33],
    [
      ["a", ["b", 3]],
      { kind: "tuple", fields: ["string", { kind: "tuple", fields: ["string", "int"] }] },
      6048,
    ],
  ])("of %o as %o is Java's", (key, kind, hash) => {
    expect(keyHash(key, kind)).toBe(hash);
  });

  test("a declared type decides the hash of its keys", () => {
    expect(keyHash(1, Types.int().keyKind)).toBe(1);
    expect(keyHash(1, Types.timestamp().keyKind)).toBe(1);
    expect(keyHash(1, Types.any().keyKind)).toBe(1_072_693_248);
    expect(keyHash("A", Types.enumeration("A").keyKind)).toBe(65);
    expect(keyHash(["a", 1], Types.tuple(Types.string(), Types.int()).keyKind)).toBe(3008);
    expect(Types.tuple(Types.string(), Types.date()).keyKind).toBe("canonical");
  });

  test("of other keys is 31 h + b over the signed canonical bytes, from 1", () => {
    const bytes = canonicalKeyBytes({ a: 1 });
    let expected = 1n;
    for (const byte of bytes)
      expected = BigInt.asIntN(32, 31n * expected + BigInt(byte > 127 ? byte - 256 : byte));
    expect(keyHash({ a: 1 }, "canonical")).toBe(Number(expected));
  });
});

describe("bad keys", () => {
  class Customer {}
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);

  test.each<[unknown, KeyKind, string, string]>([
    [undefined, "canonical", "", "it is undefined"],
    [null, "string", "", "it is null"],
    [undefined, "int", "", "it is undefined"],
    [() => 1, "canonical", "", "it is a function"],
    [Symbol("s"), "canonical", "", "it is a symbol"],
    [new Customer(), "canonical", "", "it is an instance of Customer"],
    [{ by: [new Customer()] }, "canonical", "by[0]", "it is an instance of Customer"],
    [{ a: { "b c": () => 1 } }, "canonical", 'a["b c"]', "it is a function"],
    [cyclic, "canonical", "[0]", "it refers back to a value that holds it"],
    ["1", "int", "", '"1" is not of the declared type int'],
    [1.5, "int", "", "1.5 is not of the declared type int"],
    [NaN, "long", "", "NaN is not of the declared type long"],
    [2n ** 63n, "long", "", "9223372036854775808n is not of the declared type long"],
    [1, "string", "", "1 is not of the declared type string"],
    [
      [1],
      { kind: "tuple", fields: ["int", "int"] },
      "",
      "an array of 1 is not a tuple of 2 fields",
    ],
  ])("%s as %o are refused by name", (key, kind, path, problem) => {
    for (const use of [() => keyHash(key, kind), () => canonicalKeyBytes(key, kind)]) {
      let refused: unknown;
      try {
        use();
      } catch (error) {
        refused = error;
      }
      expect(isStreamError(refused, "KEY_NOT_USABLE") && refused.details).toEqual({
        path,
        problem,
      });
    }
  });

  test("there is one NaN and one zero", () => {
    expect(keyEquals(NaN, 0 / 0)).toBe(true);
    expect(keyEquals(0, -0)).toBe(true);
    expect(keyEquals([NaN, -0], [NaN, 0])).toBe(true);
    expect(canonicalKeyBytes(-0)).toEqual(canonicalKeyBytes(0));
  });

  test("objects are equal by fields, not by identity or order; an undefined field is no field", () => {
    expect(keyEquals({ a: 1, b: "x" }, { b: "x", a: 1, c: undefined })).toBe(true);
    expect(keyEquals({ a: 1 }, { a: 2 })).toBe(false);
    expect(keyEquals(new Date(5), new Date(5))).toBe(true);
    expect(keyEquals(new Set([1, 2]), new Set([2, 1]))).toBe(true);
    expect(keyEquals(new Map([["a", 1]]), new Map([["a", 2]]))).toBe(false);
    expect(keyEquals([1], { 0: 1 })).toBe(false);
    expect(keyEquals(1, 1n)).toBe(false);
    expect(keyEquals(null, {})).toBe(false);
  });

  test("an int, a long and a double of one value are different keys", () => {
    const bytes = (["int", "long", "double"] as const).map((kind) =>
      canonicalKeyBytes(7, kind).join(),
    );
    expect(new Set(bytes).size).toBe(3);
  });
});

const text = fc
  .string({ unit: "binary" })
  .chain((body) =>
    fc.constantFrom(
      body,
      `${body}\ud800`,
      `\udc00${body}`,
      `${COMPOSITE_PREFIX}${body}`,
      `\ud83d\ude42${body}`,
      `\ud83d${body}`,
    ),
  );
const units = fc
  .array(fc.constantFrom(0x41, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff), { maxLength: 6 })
  .map((codes) => String.fromCharCode(...codes));
const scalar = fc.oneof(text, units, fc.double(), fc.integer(), fc.boolean(), fc.bigInt());
const { key } = fc.letrec<{ key: unknown; part: unknown }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(scalar, fc.constantFrom(null, undefined), fc.date(), fc.uint8Array()),
    fc.array(tie("part"), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie("part"), { maxKeys: 4 }),
    fc.array(tie("part"), { maxLength: 3 }).map((elements) => new Set(elements)),
    fc.array(fc.tuple(scalar, tie("part")), { maxLength: 3 }).map((entries) => new Map(entries)),
  ),
  key: tie("part").filter((part) => part !== null && part !== undefined),
}));

test("equal bytes, equal identities, equality and a comparison of 0 are the same thing, and imply equal hashes", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.tuple(key, key),
        fc.tuple(scalar, scalar),
        fc.tuple(units, units),
        key.map((one) => [one, one]),
      ),
      ([a, b]) => {
        const equal = compareBytes(canonicalKeyBytes(a), canonicalKeyBytes(b)) === 0;
        expect(keyEquals(a, b)).toBe(equal);
        expect(new Set([keyIdentity(a), keyIdentity(b)]).size).toBe(equal ? 1 : 2);
        expect(compareKeys(a, b) === 0).toBe(equal);
        const sameHash = keyHash(a, "canonical") === keyHash(b, "canonical");
        expect(sameHash || !equal).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

test("canonical bytes are read back into a key that equals the one they were made of", () => {
  fc.assert(
    fc.property(fc.oneof(key, scalar, units), (one) => {
      expect(keyEquals(readCanonicalKey(canonicalKeyBytes(one)), one)).toBe(true);
    }),
    { numRuns: 2000 },
  );
  const kinds: readonly (readonly [unknown, KeyKind])[] = [
    [-7, "int"],
    [2 ** 40, "long"],
    [2n ** 62n, "long"],
    [Number.NaN, "double"],
    ["\ud800x\ud83d\ude42", "string"],
    [false, "boolean"],
    [
      ["a", 1, [0.5]],
      { kind: "tuple", fields: ["string", "int", { kind: "tuple", fields: ["double"] }] },
    ],
  ];
  for (const [one, kind] of kinds)
    expect(readCanonicalKey(canonicalKeyBytes(one, kind), kind)).toEqual(one);
});

test("bytes that are no key of the kind are refused", () => {
  expect(() => readCanonicalKey(canonicalKeyBytes(7, "int"), "long")).toThrow(
    /type 4 expected, found 3/,
  );
  const bytes = canonicalKeyBytes(["a", 7]);
  for (let length = 0; length < bytes.length; length++)
    expect(() => readCanonicalKey(bytes.subarray(0, length))).toThrow(/at byte/);
  expect(() => readCanonicalKey(Uint8Array.of(99))).toThrow(/unknown type 99/);
});

test("keys of one type are ordered as their canonical bytes", () => {
  for (const values of [text, units, fc.double(), fc.integer(), fc.bigInt(), fc.boolean()]) {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const expected = Math.sign(compareBytes(canonicalKeyBytes(a), canonicalKeyBytes(b)));
        expect(Math.sign(compareKeys(a, b))).toBe(expected);
      }),
      { numRuns: 400 },
    );
  }
  for (const kind of ["int", "long", "double"] as const) {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        const expected = Math.sign(
          compareBytes(canonicalKeyBytes(a, kind), canonicalKeyBytes(b, kind)),
        );
        expect(Math.sign(compareKeys(a, b))).toBe(expected);
      }),
    );
  }
});

test("numbers are ordered numerically, with NaN last", () => {
  const sorted = [NaN, 1, -Infinity, -0.5, Infinity, 0, -2].toSorted(compareKeys);
  expect(sorted).toEqual([-Infinity, -2, -0.5, 0, 1, Infinity, NaN]);
});

const scenarios = new URL("../../../../shared/conformance/state/key-groups.json", import.meta.url);

interface Step {
  readonly key?: unknown;
  readonly type?: string;
  readonly expect?: { readonly hashCode?: number };
}

test.skipIf(!existsSync(scenarios))(
  "hashes are those that Flink computed for the conformance scenarios",
  () => {
    const file = JSON.parse(readFileSync(scenarios, "utf8")) as { scenarios: { steps: Step[] }[] };
    const steps = file.scenarios.flatMap((scenario) => scenario.steps);
    let count = 0;
    steps.forEach((step, index) => {
      const hash = steps[index + 1]?.expect?.hashCode;
      if (hash === undefined) return;
      count++;
      expect(keyHash(declaredKey(step), declaredKind(step))).toBe(hash);
    });
    expect(count).toBeGreaterThan(40);
  },
);

function declaredKey({ key: value, type }: Step): unknown {
  return type === "long" ? BigInt(value as string) : value;
}

function declaredKind({ key: value, type = "string" }: Step): KeyKind {
  if (type !== "tuple") return type as KeyKind;
  const fields = (value as unknown[]).map((field): KeyKind =>
    typeof field === "number" ? "int" : "string",
  );
  return { kind: "tuple", fields };
}
