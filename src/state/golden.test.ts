import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { keyHash, Types, voidNamespace } from "../serde/index.ts";
import { heapKeyedStateBackend } from "./heap/heap-backend-factory.ts";
import type { KeyedStateBackend } from "./keyed-state-backend.ts";
import { ManualProcessingTime } from "./manual-processing-time.ts";
import { OperatorStateBackend } from "./operator-state-backend.ts";
import type { OperatorStatePartitions } from "./state-handle.ts";

/** Files of state format 1, as released. They must restore for ever; to add a version, add files. */

const FOLDER = new URL("../../test/golden/state/", import.meta.url);
const KEYED = new URL("keyed-1.bin", FOLDER);
const OPERATOR = new URL("operator-1.bin", FOLDER);
const HANDLES = new URL("handles-1.json", FOLDER);

interface Handles {
  readonly keyedOffsets: readonly number[];
  readonly operatorStates: readonly OperatorStatePartitions[];
}

function makeKeyed(): KeyedStateBackend {
  return heapKeyedStateBackend.create(undefined, {
    keyType: Types.string(),
    maxParallelism: 16,
    keyGroupRange: { first: 0, last: 15 },
    processingTime: new ManualProcessingTime(),
    ownerName: "Golden (1/1)",
  });
}

const TTL = {
  ttlMs: 1000,
  updateType: "OnCreateAndWrite",
  visibility: "NeverReturnExpired",
  cleanupFullSnapshot: false,
  cleanupEntriesPerAccess: 0,
} as const;
const POINT = Types.struct({
  x: Types.double(),
  y: Types.int(),
  label: Types.optional(Types.string()),
});

function keyedStates(backend: KeyedStateBackend, fired: string[]) {
  const ttl = undefined;
  const windowed = {
    type: Types.long(),
    identity: (start: number) => start,
    layout: "key-major",
  } as const;
  return {
    point: backend.valueState({ kind: "value", name: "point", ttl, type: POINT }),
    aged: backend.valueState({ kind: "value", name: "aged", ttl: TTL, type: Types.long() }),
    list: backend.listState({ kind: "list", name: "list", ttl, type: Types.string() }),
    map: backend.mapState({
      kind: "map",
      name: "map",
      ttl,
      keyType: Types.int(),
      valueType: Types.any(),
    }),
    sum: backend.namespacedReducingState(
      { kind: "reducing", name: "sum", ttl, type: Types.double(), reduce: (a, b) => a + b },
      windowed,
    ),
    timers: backend.timerService(
      "user-timers",
      { type: voidNamespace, identity: () => 0, layout: "key-major" },
      {
        onEventTime: (time) => fired.push(`${String(backend.currentKey)} ${time}`),
        onProcessingTime: (time) => fired.push(`${String(backend.currentKey)} processing ${time}`),
      },
    ),
  };
}

const NAMES = ["", "LHR", "\u00e9\ud83d\udeeb", "\ud800"];

function fillKeyed(backend: KeyedStateBackend): void {
  const { point, aged, list, map, sum, timers } = keyedStates(backend, []);
  for (const [index, name] of NAMES.entries()) {
    backend.setCurrentKey(name, keyHash(name, "string"));
    point.update({ x: index / 3, y: 7 - index, label: index === 1 ? undefined : name });
    aged.update(index);
    list.addAll(["a", name]);
    map.put(index, { when: new Date(index), big: BigInt(index), none: undefined });
    map.put(-1, null);
    map.put(-2, undefined);
    sum.setCurrentNamespace(index * 1000);
    sum.add(index + 0.5);
    timers.registerEventTimeTimer(null, index - 1);
    timers.registerEventTimeTimer(null, Number.POSITIVE_INFINITY);
    timers.registerProcessingTimeTimer(null, 5000 + index);
  }
}

function fillOperator(backend: OperatorStateBackend): void {
  backend.listState({ name: "splits", type: Types.string() }).addAll(["one", "", "two"]);
  backend.unionListState({ name: "offsets", type: POINT }).add({ x: 1, y: 2, label: "z" });
  backend
    .broadcastState({ name: "rules", keyType: Types.string(), valueType: Types.long() })
    .put("r", 7);
}

/** What is written today. */
function written(): { keyed: Buffer; operator: Buffer; handles: Handles } {
  const backend = makeKeyed();
  fillKeyed(backend);
  const snapshot = backend.snapshot(1);
  while (!snapshot.advance(100));
  const { offsets, chunks } = snapshot.result();
  const operatorBackend = new OperatorStateBackend("Golden (1/1)");
  fillOperator(operatorBackend);
  const operator = operatorBackend.snapshot();
  return {
    keyed: Buffer.concat(chunks),
    operator: Buffer.from(operator?.bytes ?? []),
    handles: { keyedOffsets: offsets, operatorStates: operator?.states ?? [] },
  };
}

function update(): void {
  const { keyed, operator, handles } = written();
  writeFileSync(KEYED, keyed);
  writeFileSync(OPERATOR, operator);
  writeFileSync(HANDLES, `${JSON.stringify(handles, undefined, 2)}\n`);
}

if (process.env["UPDATE_GOLDEN"] !== undefined && !existsSync(HANDLES)) update();

describe("state written in format 1", () => {
  const handles = JSON.parse(readFileSync(HANDLES, "utf8")) as Handles;

  test("is what is written today: another form needs another version, and files of its own", () => {
    const { keyed, operator, handles: today } = written();
    expect(keyed.toString("hex")).toBe(readFileSync(KEYED).toString("hex"));
    expect(operator.toString("hex")).toBe(readFileSync(OPERATOR).toString("hex"));
    expect(today).toEqual(handles);
  });

  test("restores as keyed state and timers", () => {
    const backend = makeKeyed();
    const bytes = readFileSync(KEYED);
    backend.restore({ range: { first: 0, last: 15 }, offsets: handles.keyedOffsets, bytes });
    const fired: string[] = [];
    const { point, aged, list, map, sum, timers } = keyedStates(backend, fired);
    for (const [index, name] of NAMES.entries()) {
      backend.setCurrentKey(name, keyHash(name, "string"));
      expect(point.value()).toEqual({
        x: index / 3,
        y: 7 - index,
        label: index === 1 ? undefined : name,
      });
      expect(aged.value()).toBe(index);
      expect(list.get()).toEqual(["a", name]);
      expect([...map.entries()]).toEqual([
        [-2, undefined],
        [-1, null],
        [index, { when: new Date(index), big: BigInt(index), none: undefined }],
      ]);
      sum.setCurrentNamespace(index * 1000);
      expect(sum.get()).toBe(index + 0.5);
    }
    expect(timers.processingTimerCount()).toBe(4);
    timers.advanceWatermark(1e9);
    expect(fired).toEqual([" -1", "LHR 0", "\u00e9\ud83d\udeeb 1", "\ud800 2"]);
    expect(timers.eventTimerCount()).toBe(4);
  });

  test("restores as operator state", () => {
    const backend = new OperatorStateBackend("Golden (1/1)");
    backend.restore({ states: handles.operatorStates, bytes: readFileSync(OPERATOR) });
    expect(backend.listState({ name: "splits", type: Types.string() }).get()).toEqual([
      "one",
      "",
      "two",
    ]);
    expect(backend.unionListState({ name: "offsets", type: POINT }).get()).toEqual([
      { x: 1, y: 2, label: "z" },
    ]);
    const rules = backend.broadcastState({
      name: "rules",
      keyType: Types.string(),
      valueType: Types.long(),
    });
    expect([...rules.entries()]).toEqual([["r", 7]]);
  });
});
