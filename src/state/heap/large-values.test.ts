import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keyHash, Types } from "../../serde/index.ts";
import type { KeyedStateBackend } from "../keyed-state-backend.ts";
import { ManualProcessingTime } from "../manual-processing-time.ts";
import { heapKeyedStateBackend } from "./heap-backend-factory.ts";

const MAP = {
  kind: "map",
  name: "map",
  ttl: undefined,
  keyType: Types.int(),
  valueType: Types.string(),
} as const;
const LIST = { kind: "list", name: "list", ttl: undefined, type: Types.int() } as const;

function make(): KeyedStateBackend {
  return heapKeyedStateBackend.create(undefined, {
    keyType: Types.string(),
    maxParallelism: 4,
    keyGroupRange: { first: 0, last: 3 },
    processingTime: new ManualProcessingTime(),
    ownerName: "Large (1/1)",
  });
}

function setKey(backend: KeyedStateBackend, key: string): void {
  backend.setCurrentKey(key, keyHash(key, "string"));
}

interface Held {
  readonly entries: readonly (readonly [number, string])[];
  readonly list: readonly number[];
}

function read(backend: KeyedStateBackend): readonly Held[] {
  return ["a", "b"].map((key) => {
    setKey(backend, key);
    return {
      entries: [...backend.mapState(MAP).entries()],
      list: [...backend.listState(LIST).get()],
    };
  });
}

const CHANGE = fc.record({ kind: fc.nat(7), key: fc.constantFrom("a", "b"), n: fc.nat(700) });

test("maps and lists of hundreds of parts are written in steps, as they were when the snapshot began", () => {
  fc.assert(
    fc.property(
      fc.array(CHANGE, { maxLength: 300, size: "max" }),
      fc.array(CHANGE, { maxLength: 300, size: "max" }),
      fc.integer({ min: 1, max: 40 }),
      (before, after, budget) => {
        const backend = make();
        const map = backend.mapState(MAP);
        const list = backend.listState(LIST);
        const change = ({ kind, key, n }: { kind: number; key: string; n: number }): void => {
          setKey(backend, key);
          if (kind < 3) map.put(n, `new ${n}`);
          else if (kind < 5) map.remove(n);
          else if (kind === 5) list.add(n);
          else if (kind === 6 && n < 20) map.clear();
          else if (kind === 7 && n < 20) list.update(list.get().slice(0, 300));
        };
        for (const key of ["a", "b"]) {
          setKey(backend, key);
          for (let n = 0; n < 600; n++) map.put(n, `${key}${n}`);
          list.addAll([...Array(600).keys()]);
        }
        for (const command of before) change(command);
        const expected = [read(backend)];
        const open = [backend.snapshot(1)];
        for (const [index, command] of after.entries()) {
          if (index === 100) {
            expected.push(read(backend));
            open.push(backend.snapshot(2));
          }
          open[0]?.advance(budget);
          change(command);
        }
        for (const [index, snapshot] of open.entries()) {
          while (!snapshot.advance(budget));
          const { range, offsets, chunks } = snapshot.result();
          const again = make();
          again.restore({ range, offsets, bytes: Buffer.concat(chunks) });
          expect(read(again)).toEqual(expected[index]);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("an addition to a list of a million does not cost a million", () => {
  const backend = make();
  const list = backend.listState(LIST);
  setKey(backend, "a");
  for (let n = 0; n < 1_000_000; n++) list.add(n);
  expect(list.get().length).toBe(1_000_000);
  const snapshot = backend.snapshot(1);
  list.add(7);
  let steps = 0;
  while (!snapshot.advance(1000)) steps++;
  expect(steps).toBeGreaterThan(900);
});
