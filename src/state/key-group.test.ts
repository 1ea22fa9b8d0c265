import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { keyHash, type KeyKind } from "../serde/index.ts";
import {
  defaultMaxParallelism,
  keyGroupOf,
  keyGroupRangeOf,
  murmurHash,
  operatorIndexOf,
} from "./key-group.ts";

describe("key groups", () => {
  test("hash as Flink's murmur does", () => {
    expect([0, 1, -1, 42, 2_147_483_647, -2_147_483_648].map(murmurHash)).toEqual([
      593_689_054, 68_075_478, 1_982_413_648, 1_134_849_565, 1_653_689_534, 1_718_298_732,
    ]);
  });

  test("ranges of the subtasks cover all key groups once, and agree with the operator index", () => {
    const parallelisms = fc
      .integer({ min: 1, max: 1000 })
      .chain((max) => fc.tuple(fc.constant(max), fc.integer({ min: 1, max })));
    fc.assert(
      fc.property(parallelisms, ([max, parallelism]) => {
        let next = 0;
        for (let subtask = 0; subtask < parallelism; subtask++) {
          const { first, last } = keyGroupRangeOf(subtask, max, parallelism);
          expect(first).toBe(next);
          for (let group = first; group <= last; group++)
            expect(operatorIndexOf(group, max, parallelism)).toBe(subtask);
          next = last + 1;
        }
        expect(next).toBe(max);
      }),
    );
  });
});

const SCENARIOS = new URL("../../../shared/conformance/state/key-groups.json", import.meta.url);

interface KeyStep {
  readonly murmur?: number;
  readonly key?: unknown;
  readonly type?: string;
  readonly maxParallelism?: number;
  readonly parallelism?: number;
  readonly ranges?: readonly [number, number];
  readonly defaultMaxParallelism?: number;
  readonly expect?: unknown;
}

function answer(step: KeyStep): unknown {
  if (step.murmur !== undefined) return { value: murmurHash(step.murmur) };
  if (step.defaultMaxParallelism !== undefined)
    return { value: defaultMaxParallelism(step.defaultMaxParallelism) };
  if (step.ranges !== undefined) {
    const [max, parallelism] = step.ranges;
    const ranges = Array.from({ length: parallelism }, (_, subtask) =>
      keyGroupRangeOf(subtask, max, parallelism),
    );
    return { ranges: ranges.map(({ first, last }) => [first, last]) };
  }
  const [key, kind] = keyOf(step);
  const hashCode = keyHash(key, kind);
  const max = step.maxParallelism ?? 128;
  const keyGroup = keyGroupOf(hashCode, max);
  return { hashCode, keyGroup, subtask: operatorIndexOf(keyGroup, max, step.parallelism ?? 1) };
}

function keyOf({ key, type }: KeyStep): [unknown, KeyKind] {
  if (type === "long") return [BigInt(key as string), "long"];
  if (type === undefined) return [key, "string"];
  if (type !== "tuple")
    return [typeof key === "string" && type !== "string" ? Number(key) : key, type as KeyKind];
  const fields = (key as readonly unknown[]).map((field): KeyKind =>
    typeof field === "string" ? "string" : typeof field === "boolean" ? "boolean" : "int",
  );
  return [key, { kind: "tuple", fields }];
}

describe.skipIf(!existsSync(SCENARIOS))(
  "key groups as Flink computes them (needs ../shared/conformance)",
  () => {
    const { scenarios } = existsSync(SCENARIOS)
      ? (JSON.parse(readFileSync(SCENARIOS, "utf8")) as {
          scenarios: { id: string; about: string; steps: KeyStep[] }[];
        })
      : { scenarios: [] };
    test.each(scenarios.map(({ id, about, steps }) => [id, about, steps] as const))(
      "%s %s",
      (_id, _about, steps) => {
        const asked = steps.filter((step) => step.expect === undefined);
        const expected = steps.filter((step) => step.expect !== undefined);
        expect(asked.map(answer)).toMatchObject(expected.map((step) => step.expect as object));
      },
    );
  },
);
