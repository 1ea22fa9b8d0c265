import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SlotTable, type TableShape, type TableWalk } from "./heap-states.ts";
import { KeyContext } from "./key-context.ts";

const SHAPE: TableShape = { hashIsKey: false, spaced: false, codec: undefined };

const COMMAND = fc.record({ put: fc.boolean(), key: fc.nat(200) });

/** Hashes that collide, that have neighbouring places in the index, and that are spread. */
const HASHES: readonly ((key: number) => number)[] = [
  () => 7,
  (key) => key & 3,
  // The inverse of the table's multiplier: the key becomes the place.
  (key) => Math.imul(0x0e8b2f51, (key % 40) << 24),
  (key) => Math.imul(key, 0x01000193),
];

test("a table finds what a Map finds, whatever collides and is removed", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...HASHES),
      fc.array(COMMAND, { maxLength: 600, size: "max" }),
      (hashOf, commands) => {
        const table = new SlotTable(new KeyContext("string"), SHAPE);
        const oracle = new Map<string, number>();
        for (const [index, { put, key }] of commands.entries()) {
          const name = `k${key}`;
          const hash = hashOf(key);
          const slot = table.find(hash, name);
          if (slot >= 0 && !put) table.remove(slot);
          if (put) table.set(slot >= 0 ? slot : table.insert(name, hash, name), index);
          if (put) oracle.set(name, index);
          else oracle.delete(name);
        }
        expect(table.size).toBe(oracle.size);
        for (let key = 0; key <= 200; key++) {
          const slot = table.find(hashOf(key), `k${key}`);
          expect(slot < 0 ? undefined : table.get(slot)).toBe(oracle.get(`k${key}`));
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("slots of removed entries are used again", () => {
  const table = new SlotTable(new KeyContext("string"), SHAPE);
  for (let round = 0; round < 100_000; round++) {
    const slot = table.insert(`k${round}`, round, `k${round}`);
    table.set(slot, round);
    if (round >= 100) table.remove(table.find(round - 100, `k${round - 100}`));
  }
  expect(table.size).toBe(100);
  expect(table.limit).toBeLessThanOrEqual(102);
});

test("what is touched under a walk is saved once, and what is added is not", () => {
  const context = new KeyContext("string");
  const table = new SlotTable(context, SHAPE);
  for (const key of ["a", "b", "c"]) table.set(table.insert(key, 1, key), key);
  context.epoch++;
  const saved: unknown[] = [];
  const walk: TableWalk = {
    epoch: context.epoch,
    cursor: 1,
    limit: table.limit,
    save: (from, slot) => saved.push(from.get(slot)),
  };
  table.openWalk(walk);
  for (const key of ["a", "b", "b"]) table.beforeChange(table.find(1, key));
  table.remove(table.find(1, "c"));
  table.set(table.insert("d", 1, "d"), "d");
  table.remove(table.find(1, "d"));
  expect(saved).toEqual(["b", "c"]);
});
