import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keyHash, Types } from "../../serde/index.ts";
import type { StateTtlConfig } from "../descriptor.ts";
import type { KeyedStateBackend } from "../keyed-state-backend.ts";
import { ManualProcessingTime } from "../manual-processing-time.ts";
import { heapKeyedStateBackend } from "../heap/heap-backend-factory.ts";

/** Values, list elements and map entries that expire, beside an oracle that keeps each with its last access. */

const CONFIG: fc.Arbitrary<StateTtlConfig> = fc.record({
  ttlMs: fc.constant(100),
  updateType: fc.constantFrom("OnCreateAndWrite", "OnReadAndWrite"),
  visibility: fc.constantFrom("NeverReturnExpired", "ReturnExpiredIfNotCleanedUp"),
  cleanupFullSnapshot: fc.boolean(),
  // With the clean-up on the way an expired value may be gone before it is seen.
  cleanupEntriesPerAccess: fc.constant(0),
});

interface Aged {
  value: number;
  atMs: number;
}

const COMMAND = fc.record({
  kind: fc.nat(8),
  key: fc.constantFrom("a", "b"),
  entry: fc.constantFrom("x", "y", "z"),
  n: fc.nat(99),
  passMs: fc.constantFrom(0, 0, 10, 50, 99, 100, 130),
});

function make(clock: ManualProcessingTime): KeyedStateBackend {
  return heapKeyedStateBackend.create(undefined, {
    keyType: Types.string(),
    maxParallelism: 4,
    keyGroupRange: { first: 0, last: 3 },
    processingTime: clock,
    ownerName: "Ttl (1/1)",
  });
}

function restoredFrom(backend: KeyedStateBackend, clock: ManualProcessingTime): KeyedStateBackend {
  const snapshot = backend.snapshot(1);
  while (!snapshot.advance(2));
  const { range, offsets, chunks } = snapshot.result();
  const next = make(clock);
  next.restore({ range, offsets, bytes: Buffer.concat(chunks) });
  return next;
}

function statesOf(backend: KeyedStateBackend, ttl: StateTtlConfig) {
  return {
    value: backend.valueState({ kind: "value", name: "value", ttl, type: Types.int() }),
    list: backend.listState({ kind: "list", name: "list", ttl, type: Types.int() }),
    map: backend.mapState({
      kind: "map",
      name: "map",
      ttl,
      keyType: Types.string(),
      valueType: Types.int(),
    }),
    sum: backend.reducingState({
      kind: "reducing",
      name: "sum",
      ttl,
      type: Types.int(),
      reduce: (a, b) => a + b,
    }),
  };
}

/** Reads aged values as the configuration says: what is seen, and what is left. */
function readAged(
  config: StateTtlConfig,
  held: readonly Aged[],
  nowMs: number,
): { seen: number[]; left: Aged[] } {
  const seen: number[] = [];
  const left: Aged[] = [];
  for (const aged of held) {
    const expired = aged.atMs + config.ttlMs <= nowMs;
    if (!expired || config.visibility === "ReturnExpiredIfNotCleanedUp") seen.push(aged.value);
    if (!expired)
      left.push(config.updateType === "OnReadAndWrite" ? { value: aged.value, atMs: nowMs } : aged);
  }
  return { seen, left };
}

test("time-to-live does what an oracle with a clock does, over snapshots too", () => {
  fc.assert(
    fc.property(CONFIG, fc.array(COMMAND, { maxLength: 80, size: "max" }), (config, commands) => {
      const clock = new ManualProcessingTime();
      let backend = make(clock);
      let states = statesOf(backend, config);
      const oracle = new Map<string, Aged[]>();
      let nowMs = 0;
      const found: unknown[] = [];
      const expected: unknown[] = [];
      const access = (name: string): number[] => {
        const { seen, left } = readAged(config, oracle.get(name) ?? [], nowMs);
        oracle.set(name, left);
        return seen;
      };
      for (const { kind, key, entry, n, passMs } of commands) {
        nowMs += passMs;
        clock.set(nowMs);
        backend.setCurrentKey(key, keyHash(key, "string"));
        const fresh = { value: n, atMs: nowMs };
        if (kind === 0) {
          states.value.update(n);
          oracle.set(`value ${key}`, [fresh]);
        } else if (kind === 1) {
          found.push(states.value.value());
          expected.push(access(`value ${key}`)[0]);
        } else if (kind === 2) {
          states.list.add(n);
          oracle.set(`list ${key}`, [...(oracle.get(`list ${key}`) ?? []), fresh]);
        } else if (kind === 3) {
          found.push(states.list.get());
          expected.push(access(`list ${key}`));
        } else if (kind === 4) {
          states.map.put(entry, n);
          oracle.set(`map ${key} ${entry}`, [fresh]);
        } else if (kind === 5) {
          found.push(states.map.get(entry));
          expected.push(access(`map ${key} ${entry}`)[0]);
        } else if (kind === 6) {
          const name = `sum ${key}`;
          const [before] = readAged(
            { ...config, updateType: "OnCreateAndWrite" },
            oracle.get(name) ?? [],
            nowMs,
          ).seen;
          states.sum.add(n);
          oracle.set(name, [{ value: (before ?? 0) + n, atMs: nowMs }]);
        } else if (kind === 7) {
          found.push(states.sum.get());
          expected.push(access(`sum ${key}`)[0]);
        } else {
          backend = restoredFrom(backend, clock);
          states = statesOf(backend, config);
          if (!config.cleanupFullSnapshot) continue;
          for (const [name, held] of oracle) {
            oracle.set(
              name,
              held.filter(({ atMs }) => atMs + config.ttlMs > nowMs),
            );
          }
        }
      }
      expect(found).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

test("the clean-up on the way removes what nobody touches", () => {
  const clock = new ManualProcessingTime();
  const backend = make(clock);
  const ttl: StateTtlConfig = {
    ttlMs: 100,
    updateType: "OnCreateAndWrite",
    visibility: "NeverReturnExpired",
    cleanupFullSnapshot: false,
    cleanupEntriesPerAccess: 5,
  };
  const { value, map } = statesOf(backend, ttl);
  for (let n = 0; n < 100; n++) {
    backend.setCurrentKey(`k${n}`, keyHash(`k${n}`, "string"));
    value.update(n);
    map.put("x", n);
  }
  clock.set(100);
  backend.setCurrentKey("other", keyHash("other", "string"));
  for (let n = 0; n < 60; n++) {
    value.update(n);
    map.put("x", n);
  }
  expect(backend.entryCount()).toBe(2);
});

test("time-to-live may be switched on and off over a restore", () => {
  const clock = new ManualProcessingTime();
  const ttl: StateTtlConfig = {
    ttlMs: 100,
    updateType: "OnCreateAndWrite",
    visibility: "NeverReturnExpired",
    cleanupFullSnapshot: false,
    cleanupEntriesPerAccess: 0,
  };
  const plain = { kind: "value", name: "value", ttl: undefined, type: Types.int() } as const;
  const backend = make(clock);
  backend.setCurrentKey("a", keyHash("a", "string"));
  backend.valueState(plain).update(7);
  clock.set(1000);
  const withTtl = restoredFrom(backend, clock);
  const state = withTtl.valueState({ ...plain, ttl });
  withTtl.setCurrentKey("a", keyHash("a", "string"));
  clock.set(1050);
  expect(state.value()).toBe(7);
  const without = restoredFrom(withTtl, clock);
  const again = without.valueState(plain);
  without.setCurrentKey("a", keyHash("a", "string"));
  clock.set(9999);
  expect(again.value()).toBe(7);
  expect(state.value()).toBe(undefined);
});
