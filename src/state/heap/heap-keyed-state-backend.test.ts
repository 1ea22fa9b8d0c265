import { describe, expect, test } from "vitest";
import { keyHash, Types, voidNamespace, type TypeSerializer } from "../../serde/index.ts";
import type {
  KeyedStateBackend,
  KeyedStateBytes,
  KeyedStateSnapshot,
} from "../keyed-state-backend.ts";
import { heapKeyedStateBackend } from "./heap-backend-factory.ts";
import { ManualProcessingTime } from "../manual-processing-time.ts";

const WHOLE = { first: 0, last: 127 };

interface Made {
  readonly backend: KeyedStateBackend;
  readonly clock: ManualProcessingTime;
  readonly at: (key: unknown) => void;
}

function make(
  keyType: TypeSerializer<never> = Types.string() as TypeSerializer<never>,
  range = WHOLE,
): Made {
  const clock = new ManualProcessingTime();
  const type = keyType as TypeSerializer<unknown>;
  const backend = heapKeyedStateBackend.create(undefined, {
    keyType: type,
    maxParallelism: 128,
    keyGroupRange: range,
    processingTime: clock,
    ownerName: "Counter (1/1)",
  });
  return { backend, clock, at: (key) => backend.setCurrentKey(key, keyHash(key, type.keyKind)) };
}

function finish(snapshot: KeyedStateSnapshot, budget = 3): KeyedStateBytes {
  while (!snapshot.advance(budget));
  const { chunks, range, offsets } = snapshot.result();
  return { range, offsets, bytes: Buffer.concat(chunks) };
}

const COUNT = { kind: "value", name: "count", ttl: undefined, type: Types.long() } as const;
const VOID = { type: voidNamespace, identity: () => 0, layout: "key-major" } as const;

describe("the heap backend", () => {
  test("keeps a value per key over a snapshot and a restore", () => {
    const { backend, at } = make();
    const count = backend.valueState(COUNT);
    for (let n = 0; n < 1000; n++) {
      at(`key${n}`);
      count.update(n);
    }
    const bytes = finish(backend.snapshot(1));

    const again = make();
    again.backend.restore(bytes);
    const restored = again.backend.valueState(COUNT);
    for (let n = 0; n < 1000; n++) {
      again.at(`key${n}`);
      expect(restored.value()).toBe(n);
    }
    expect(again.backend.entryCount()).toBe(1000);
  });

  test("writes the state of the moment of the snapshot, whatever changes meanwhile", () => {
    const { backend, at } = make();
    const list = backend.listState({
      kind: "list",
      name: "list",
      ttl: undefined,
      type: Types.string(),
    });
    const map = backend.mapState({
      kind: "map",
      name: "map",
      ttl: undefined,
      keyType: Types.int(),
      valueType: Types.string(),
    });
    for (let n = 0; n < 100; n++) {
      at(`key${n}`);
      list.addAll(["a", "b"]);
      for (let m = 0; m <= n * 6; m++) map.put(m, `v${m}`);
    }
    const snapshot = backend.snapshot(1);
    for (let n = 0; n < 100; n++) {
      snapshot.advance(50);
      at(`key${n}`);
      if (n % 2 === 0) list.clear();
      else list.add("c");
      map.put(0, "changed");
      map.remove(1);
      map.put(99_999, "added");
    }
    const again = make();
    again.backend.restore(finish(snapshot));
    const list2 = again.backend.listState({
      kind: "list",
      name: "list",
      ttl: undefined,
      type: Types.string(),
    });
    const map2 = again.backend.mapState({
      kind: "map",
      name: "map",
      ttl: undefined,
      keyType: Types.int(),
      valueType: Types.string(),
    });
    for (let n = 0; n < 100; n++) {
      again.at(`key${n}`);
      expect(list2.get()).toEqual(["a", "b"]);
      expect([...map2.entries()]).toEqual(
        Array.from({ length: n * 6 + 1 }, (_, m) => [m, `v${m}`]),
      );
    }
  });

  test("fires timers in time order, then by key", () => {
    const { backend, at } = make();
    const fired: string[] = [];
    const timers = backend.timerService("user-timers", VOID, {
      onEventTime: (time) => fired.push(`${String(backend.currentKey)}@${time}`),
      onProcessingTime: () => undefined,
    });
    for (const [key, time] of [
      ["b", 10],
      ["a", 10],
      ["c", 3000],
      ["a", 5],
      ["a", 10],
    ] as const) {
      at(key);
      timers.registerEventTimeTimer(null, time);
    }
    const bytes = finish(backend.snapshot(1));
    timers.advanceWatermark(10);
    expect(fired).toEqual(["a@5", "a@10", "b@10"]);
    expect(timers.eventTimerCount()).toBe(1);

    const again = make();
    again.backend.restore(bytes);
    const firedAgain: string[] = [];
    const restored = again.backend.timerService("user-timers", VOID, {
      onEventTime: (time) => firedAgain.push(`${String(again.backend.currentKey)}@${time}`),
      onProcessingTime: () => undefined,
    });
    restored.advanceWatermark(Number.POSITIVE_INFINITY);
    expect(firedAgain).toEqual(["a@5", "a@10", "b@10", "c@3000"]);
  });

  test("names state, operator and path of a value that cannot be written", () => {
    const { backend, at } = make();
    const orders = backend.valueState({
      kind: "value",
      name: "orders",
      ttl: undefined,
      type: Types.struct({ orders: Types.array(Types.struct({ customer: Types.string() })) }),
    });
    at("k");
    orders.update({ orders: [{ customer: "x" }, { customer: undefined as unknown as string }] });
    expect(() => finish(backend.snapshot(1))).toThrow(
      /^`orders\[1\]\.customer` of the value of state "orders" of Counter \(1\/1\)/,
    );
  });
});
