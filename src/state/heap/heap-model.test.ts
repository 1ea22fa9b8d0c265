import assert from "node:assert/strict";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyHash, Types, type TypeSerializer } from "../../serde/index.ts";
import { keyGroupOf, keyGroupRangeOf } from "../key-group.ts";
import type {
  AggregatingState,
  InternalTimerService,
  ListState,
  MapState,
  Mergeable,
  Namespaced,
  NamespaceLayout,
  NamespaceTables,
  ReducingState,
  ValueState,
} from "../keyed-state.ts";
import type {
  KeyedStateBackend,
  KeyedStateBytes,
  KeyedStateSnapshot,
  LoadedState,
  StateChange,
} from "../keyed-state-backend.ts";
import { ManualProcessingTime } from "../manual-processing-time.ts";
import type { KeyGroupRange } from "../state-handle.ts";
import { heapKeyedStateBackend } from "./heap-backend-factory.ts";

/** Every kind of state once, plain or with namespaces, beside a dumb oracle of `Map`s. */

const MAX_PARALLELISM = 8;
const SPACES = [10, 20, 30];
const MAP_KEYS = ["a", "b", "ab", "é", ""];

const KEY_TYPES: Readonly<
  Record<string, { type: TypeSerializer<never>; keys: readonly unknown[] }>
> = {
  string: {
    type: Types.string() as TypeSerializer<never>,
    keys: ["", "a", "b", "LHR", "\udc4b\0x", "é"],
  },
  int: {
    type: Types.int() as TypeSerializer<never>,
    keys: [0, 1, -1, 7, 2_147_483_647, -2_147_483_648],
  },
  double: {
    type: Types.double() as TypeSerializer<never>,
    keys: [0, Number.NaN, 1.5, -3, 1e300, Infinity],
  },
  tuple: {
    type: Types.tuple(Types.string(), Types.int()) as TypeSerializer<never>,
    keys: [
      ["a", 1],
      ["a", 2],
      ["b", 1],
      ["", 0],
    ],
  },
  any: {
    type: Types.any() as TypeSerializer<never>,
    keys: ["a", 1, { x: 1 }, { x: 2, y: ["z"] }, true, 5n],
  },
};

interface Total {
  n: number;
  text: string;
}

const TOTAL = Types.struct({ n: Types.int(), text: Types.string() });
const ROW = Types.struct({ sum: Types.double(), last: Types.int() });

interface States {
  readonly value: ValueState<{ sum: number; last: number }>;
  readonly list: ListState<string> & Partial<Namespaced<number>>;
  readonly map: MapState<string, Total>;
  readonly sum: ReducingState<number>;
  readonly mean: AggregatingState<number, string>;
  readonly total: ValueState<Total>;
  readonly wide: Namespaced<number> &
    Mergeable<number> &
    AggregatingState<number, number> &
    NamespaceTables<number, number>;
  readonly spacedList: Namespaced<number> & Mergeable<number> & ListState<string>;
  readonly spacedMap: Namespaced<number> & MapState<string, Total>;
  readonly timers: InternalTimerService<number>;
}

function declare(backend: KeyedStateBackend, layout: NamespaceLayout, fired: string[]): States {
  const namespace = { type: Types.int(), identity: (space: number) => space, layout };
  const map = { kind: "map", ttl: undefined, keyType: Types.string(), valueType: TOTAL } as const;
  return {
    value: backend.valueState({ kind: "value", name: "value", ttl: undefined, type: ROW }),
    list: backend.listState({ kind: "list", name: "list", ttl: undefined, type: Types.string() }),
    map: backend.mapState({ ...map, name: "map" }),
    sum: backend.reducingState({
      kind: "reducing",
      name: "sum",
      ttl: undefined,
      type: Types.int(),
      reduce: (a, b) => a + b,
    }),
    total: backend.valueState({ kind: "value", name: "total", ttl: undefined, type: TOTAL }),
    mean: backend.aggregatingState({
      kind: "aggregating",
      name: "mean",
      ttl: undefined,
      accumulatorType: TOTAL,
      aggregate: {
        createAccumulator: (): Total => ({ n: 0, text: "" }),
        // Changed in place on purpose: the contract allows it.
        add: (value: number, total) =>
          Object.assign(total, { n: total.n + value, text: `${total.text}${value},` }),
        getResult: (total) => total.text,
        merge: (a, b) => ({ n: a.n + b.n, text: a.text + b.text }),
      },
    }),
    wide: backend.namespacedAggregatingState(
      {
        kind: "aggregating",
        name: "wide",
        ttl: undefined,
        accumulatorType: ROW,
        aggregate: {
          createAccumulator: () => ({ sum: 0, last: 0 }),
          add: (value: number, { sum }) => ({ sum: sum + value, last: value }),
          getResult: ({ sum, last }) => sum * 1000 + last,
          merge: (a, b) => ({ sum: a.sum + b.sum, last: b.last }),
        },
      },
      namespace,
    ),
    spacedList: backend.namespacedListState(
      { kind: "list", name: "spaced-list", ttl: undefined, type: Types.string() },
      namespace,
    ),
    spacedMap: backend.namespacedMapState({ ...map, name: "spaced-map" }, namespace),
    timers: backend.timerService("timers", namespace, {
      onEventTime: (time, space) => fired.push(`${text(backend.currentKey)} ${space} ${time}`),
      onProcessingTime: () => undefined,
    }),
  };
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, held: unknown) =>
    typeof held === "bigint"
      ? `${held}n`
      : typeof held === "number" && !Number.isFinite(held)
        ? String(held)
        : held,
  );
}

/** State as text, cell by cell. An absent cell is not there. */
type Dump = Readonly<Record<string, string>>;

class Oracle {
  readonly cells = new Map<string, unknown>();
  timers = new Set<string>();

  get<T>(name: string): T | undefined {
    return this.cells.get(name) as T | undefined;
  }

  put(name: string, value: unknown): void {
    if (value === undefined) this.cells.delete(name);
    else this.cells.set(name, value);
  }

  dump(): Dump {
    const entries = [...this.cells].map(([name, value]) => [name, text(value)] as const);
    return Object.fromEntries(
      [...entries, ...[...this.timers].map((timer) => [`timer ${timer}`, ""] as const)].sort(
        byName,
      ),
    );
  }
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface Command {
  readonly op: number;
  readonly key: number;
  readonly space: number;
  readonly other: number;
  readonly n: number;
}

const COMMAND: fc.Arbitrary<Command> = fc.record({
  op: fc.nat(29),
  key: fc.nat(5),
  space: fc.nat(2),
  other: fc.nat(2),
  n: fc.nat(9),
});

/** A backend and its oracle, changed together. */
class Pair {
  readonly backend: KeyedStateBackend;
  readonly states: States;
  readonly oracle: Oracle;
  readonly fired: string[] = [];
  readonly #keyType: TypeSerializer<unknown>;
  readonly #keys: readonly unknown[];

  constructor(
    keyKind: string,
    layout: NamespaceLayout,
    restored: readonly KeyedStateBytes[] = [],
    range?: KeyGroupRange,
    loaded: readonly LoadedState[] = [],
  ) {
    const { type, keys } = KEY_TYPES[keyKind] as {
      type: TypeSerializer<unknown>;
      keys: readonly unknown[];
    };
    this.#keyType = type;
    this.#keys = keys;
    this.oracle = new Oracle();
    this.backend = heapKeyedStateBackend.create(undefined, {
      keyType: type,
      maxParallelism: MAX_PARALLELISM,
      keyGroupRange: range ?? { first: 0, last: MAX_PARALLELISM - 1 },
      processingTime: new ManualProcessingTime(),
      ownerName: "Model (1/1)",
    });
    for (const bytes of restored) this.backend.restore(bytes);
    if (loaded.length > 0) this.backend.load(loaded);
    this.states = declare(this.backend, layout, this.fired);
  }

  groupOf(key: unknown): number {
    return keyGroupOf(keyHash(key, this.#keyType.keyKind), MAX_PARALLELISM);
  }

  setKey(key: unknown): void {
    this.backend.setCurrentKey(key, keyHash(key, this.#keyType.keyKind));
  }

  run({ op, key: keyIndex, space: spaceIndex, other, n }: Command): void {
    const key = this.#keys[keyIndex % this.#keys.length];
    const space = SPACES[spaceIndex] as number;
    const target = SPACES[other] as number;
    const mapKey = MAP_KEYS[n % MAP_KEYS.length] as string;
    const { states, oracle } = this;
    this.setKey(key);
    const at = (state: string, cell: unknown = "", spaceOf: number | "" = ""): string =>
      `${state} ${text(key)} ${spaceOf} ${text(cell)}`;
    for (const state of [states.wide, states.spacedList, states.spacedMap])
      state.setCurrentNamespace(space);
    const listAt = at("list");
    switch (op) {
      case 0:
      case 1:
        states.value.update({ sum: n / 2, last: n });
        return oracle.put(at("value"), { sum: n / 2, last: n });
      case 2:
        states.value.clear();
        return oracle.put(at("value"), undefined);
      case 3:
      case 4:
        states.list.add(`v${n}`);
        return oracle.put(listAt, [...(oracle.get<string[]>(listAt) ?? []), `v${n}`]);
      case 5:
        states.list.update(n === 0 ? [] : [`u${n}`, "x"]);
        return oracle.put(listAt, n === 0 ? undefined : [`u${n}`, "x"]);
      case 6:
      case 7:
      case 8:
        states.map.put(mapKey, { n, text: mapKey });
        return oracle.put(at("map", mapKey), { n, text: mapKey });
      case 9:
      case 28:
      case 29:
        states.map.remove(mapKey);
        return oracle.put(at("map", mapKey), undefined);
      case 10:
        states.map.clear();
        for (const name of MAP_KEYS) oracle.put(at("map", name), undefined);
        return;
      case 11:
      case 12:
        states.sum.add(n);
        return oracle.put(at("sum"), (oracle.get<number>(at("sum")) ?? 0) + n);
      case 13:
        states.mean.add(n);
        return oracle.put(at("mean"), `${oracle.get<string>(at("mean")) ?? ""}${n},`);
      case 14:
        states.mean.clear();
        return oracle.put(at("mean"), undefined);
      case 15:
      case 16: {
        states.wide.add(n);
        const before = oracle.get<number>(at("wide", "", space)) ?? 0;
        return oracle.put(at("wide", "", space), Math.floor(before / 1000) * 1000 + n * 1000 + n);
      }
      case 17: {
        if (space === target) return;
        states.wide.mergeNamespaces(target, [space]);
        const from = oracle.get<number>(at("wide", "", space));
        if (from === undefined) return;
        const into = oracle.get<number>(at("wide", "", target)) ?? 0;
        oracle.put(at("wide", "", space), undefined);
        return oracle.put(at("wide", "", target), Math.floor(into / 1000) * 1000 + from);
      }
      case 18: {
        if (n > 2) return;
        states.wide.clearNamespace(space);
        for (const held of this.#keys) oracle.put(`wide ${text(held)} ${space} ""`, undefined);
        return;
      }
      case 19: {
        states.spacedList.add(`s${n}`);
        const name = at("spaced-list", "", space);
        return oracle.put(name, [...(oracle.get<string[]>(name) ?? []), `s${n}`]);
      }
      case 20: {
        if (space === target) return;
        const from = oracle.get<string[]>(at("spaced-list", "", space));
        const into = oracle.get<string[]>(at("spaced-list", "", target)) ?? [];
        states.spacedList.mergeNamespaces(target, [space]);
        if (from === undefined) return;
        oracle.put(at("spaced-list", "", space), undefined);
        return oracle.put(at("spaced-list", "", target), [...into, ...from]);
      }
      case 21:
        states.spacedMap.put(mapKey, { n, text: "s" });
        return oracle.put(at("spaced-map", mapKey, space), { n, text: "s" });
      case 22:
        states.spacedMap.remove(mapKey);
        return oracle.put(at("spaced-map", mapKey, space), undefined);
      case 23:
      case 24:
        states.timers.registerEventTimeTimer(space, n * 700);
        oracle.timers.add(`${text(key)} ${space} ${n * 700}`);
        return;
      case 25:
        states.timers.deleteEventTimeTimer(space, n * 700);
        oracle.timers.delete(`${text(key)} ${space} ${n * 700}`);
        return;
      case 27: {
        // Read, changed in place, put back.
        const held = states.total.value() ?? { n: 0, text: "" };
        held.n += n;
        states.total.update(held);
        return oracle.put(at("total"), { n: held.n, text: "" });
      }
      default: {
        // Reading, and putting back what was read and changed, is the way objects are updated.
        const held = states.map.get(mapKey);
        if (held === undefined) return;
        held.n = 50 + n;
        states.map.put(mapKey, held);
        oracle.put(at("map", mapKey), { n: 50 + n, text: held.text });
      }
    }
  }

  /** Reads everything through the state interfaces. */
  dump(): Dump {
    const found: [string, string][] = [];
    const { states } = this;
    for (const key of this.#keys) {
      this.setKey(key);
      const add = (state: string, cell: unknown, space: number | "", value: unknown): void => {
        if (value !== undefined)
          found.push([`${state} ${text(key)} ${space} ${text(cell)}`, text(value)]);
      };
      add("value", "", "", states.value.value());
      add("list", "", "", states.list.get().length === 0 ? undefined : states.list.get());
      for (const [name, value] of states.map.entries()) add("map", name, "", value);
      add("sum", "", "", states.sum.get());
      add("mean", "", "", states.mean.get());
      add("total", "", "", states.total.value());
      for (const space of SPACES) {
        for (const state of [states.wide, states.spacedList, states.spacedMap])
          state.setCurrentNamespace(space);
        add("wide", "", space, states.wide.get());
        add(
          "spaced-list",
          "",
          space,
          states.spacedList.get().length === 0 ? undefined : states.spacedList.get(),
        );
        for (const [name, value] of states.spacedMap.entries())
          add("spaced-map", name, space, value);
      }
    }
    return Object.fromEntries(found.sort(byName));
  }

  /** Fires all timers; afterwards there is none. */
  drainTimers(): Dump {
    this.states.timers.advanceWatermark(Number.POSITIVE_INFINITY);
    const times = this.fired.map((line) => Number(line.split(" ").at(-1)));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    return Object.fromEntries(this.fired.map((line): [string, string] => [`timer ${line}`, ""]));
  }
}

function bytesOf(snapshot: KeyedStateSnapshot): KeyedStateBytes {
  const { chunks, range, offsets, sizeBytes } = snapshot.result();
  const bytes = Buffer.concat(chunks);
  assert.equal(bytes.length, sizeBytes);
  return { range, offsets, bytes };
}

/** Restores at another parallelism and puts together what all subtasks hold. */
function restoredDump(
  keyKind: string,
  layout: NamespaceLayout,
  files: readonly KeyedStateBytes[],
  parallelism: number,
): Dump {
  const found: [string, string][] = [];
  for (let subtask = 0; subtask < parallelism; subtask++) {
    const range = keyGroupRangeOf(subtask, MAX_PARALLELISM, parallelism);
    const pair = new Pair(keyKind, layout, files, range);
    found.push(...Object.entries(pair.dump()), ...Object.entries(pair.drainTimers()));
  }
  return Object.fromEntries(found.sort(byName));
}

const LAYOUT = fc.constantFrom<NamespaceLayout>("namespace-major", "key-major");
const KEY_KIND = fc.constantFrom(...Object.keys(KEY_TYPES));
const COMMANDS = fc.array(COMMAND, { maxLength: 120, size: "max" });

describe("the heap backend beside an oracle", () => {
  test("answers as the oracle does", () => {
    fc.assert(
      fc.property(KEY_KIND, LAYOUT, COMMANDS, (keyKind, layout, commands) => {
        const pair = new Pair(keyKind, layout);
        for (const command of commands) pair.run(command);
        expect({ ...pair.dump(), ...pair.drainTimers() }).toEqual(pair.oracle.dump());
      }),
      { numRuns: 120 },
    );
  });

  test("snapshots hold the moment they were taken, two at once, under changes, and restore at any parallelism", () => {
    const moments = fc.tuple(
      COMMANDS,
      COMMANDS,
      COMMANDS,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 8 }),
    );
    fc.assert(
      fc.property(
        KEY_KIND,
        LAYOUT,
        moments,
        (keyKind, layout, [before, between, after, budget, parallelism]) => {
          const pair = new Pair(keyKind, layout);
          for (const command of before) pair.run(command);
          const first = pair.backend.snapshot(1);
          const firstExpected = pair.oracle.dump();
          for (const [index, command] of between.entries()) {
            if (index % 9 === 0) first.advance(budget);
            pair.run(command);
          }
          const second = pair.backend.snapshot(2);
          const secondExpected = pair.oracle.dump();
          const third = pair.backend.snapshot(3);
          for (const [index, command] of after.entries()) {
            if (index % 4 === 0) first.advance(budget);
            if (index % 5 === 0) second.advance(budget);
            if (index === 7) third.cancel();
            pair.run(command);
          }
          third.cancel();
          while (!second.advance(budget));
          while (!first.advance(budget));
          const again =
            parallelism > 1
              ? splitAgain(keyKind, layout, bytesOf(first), parallelism)
              : [bytesOf(first)];
          expect(restoredDump(keyKind, layout, [bytesOf(first)], parallelism)).toEqual(
            firstExpected,
          );
          expect(restoredDump(keyKind, layout, again, 1)).toEqual(firstExpected);
          expect(restoredDump(keyKind, layout, [bytesOf(second)], 1)).toEqual(secondExpected);
          expect({ ...pair.dump(), ...pair.drainTimers() }).toEqual(pair.oracle.dump());
        },
      ),
      { numRuns: 120 },
    );
  });

  test("changes since the last taking, as last values, make a replica", () => {
    fc.assert(
      fc.property(KEY_KIND, LAYOUT, COMMANDS, COMMANDS, (keyKind, layout, before, after) => {
        const pair = new Pair(keyKind, layout);
        pair.backend.trackChanges();
        const replica = new Map<string, string>();
        for (const commands of [before, after]) {
          for (const command of commands) pair.run(command);
          for (const change of pair.backend.takeChanges()) apply(replica, change);
        }
        expect([...pair.backend.takeChanges()]).toEqual([]);
        // A fresh backend that gets the same final state in one go reports it whole.
        const whole = new Map<string, string>();
        const snapshot = pair.backend.snapshot(1);
        while (!snapshot.advance(100));
        const copy = new Pair(keyKind, layout);
        copy.backend.trackChanges();
        for (const command of [...before, ...after]) copy.run(command);
        for (const change of copy.backend.takeChanges()) apply(whole, change);
        expect([...replica].sort(byName)).toEqual([...whole].sort(byName));
      }),
      { numRuns: 80 },
    );
  });

  test("what changes have told, loaded in any order into any parallelism, is the state", () => {
    fc.assert(
      fc.property(
        KEY_KIND,
        LAYOUT,
        fc.array(COMMANDS, { maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        (keyKind, layout, batches, parallelism, reversed) => {
          const pair = new Pair(keyKind, layout);
          pair.backend.trackChanges();
          const copy = new Replica();
          for (const commands of batches) {
            for (const command of commands) pair.run(command);
            copy.apply(pair.backend);
          }
          const found: [string, string][] = [];
          for (let subtask = 0; subtask < parallelism; subtask++) {
            const range = keyGroupRangeOf(subtask, MAX_PARALLELISM, parallelism);
            const again = new Pair(keyKind, layout, [], range, copy.loaded(range, reversed));
            found.push(...Object.entries(again.dump()), ...Object.entries(again.drainTimers()));
          }
          expect(Object.fromEntries(found.sort(byName))).toEqual(pair.oracle.dump());
        },
      ),
      { numRuns: 120 },
    );
  });
});

/** Whoever keeps the durable copy. */
class Replica {
  readonly #states = new Map<
    string,
    { description: Uint8Array; cells: Map<string, StateChange> }
  >();

  apply(backend: KeyedStateBackend): void {
    for (const change of backend.takeChanges()) {
      const { state, value } = change;
      const held = this.#states.get(state) ?? {
        description: backend.describeState(state),
        cells: new Map<string, StateChange>(),
      };
      this.#states.set(state, held);
      if (value === undefined) held.cells.delete(nameOf(change));
      else held.cells.set(nameOf(change), change);
    }
  }

  loaded(range: KeyGroupRange, reversed: boolean): readonly LoadedState[] {
    return [...this.#states.values()].map(({ description, cells }) => {
      const mine = [...cells.values()].filter(({ keyHash: hash }) => {
        const group = keyGroupOf(hash, MAX_PARALLELISM);
        return group >= range.first && group <= range.last;
      });
      return { description, cells: reversed ? mine.toReversed() : mine };
    });
  }
}

describe("loading", () => {
  test("a cell of a key group that belongs to another subtask is refused", () => {
    const pair = new Pair("string", "key-major");
    pair.backend.trackChanges();
    for (let n = 0; n < 20; n++) pair.run({ op: 0, key: n, space: 0, other: 0, n });
    const copy = new Replica();
    copy.apply(pair.backend);
    const all = copy.loaded({ first: 0, last: MAX_PARALLELISM - 1 }, false);
    expect(() => new Pair("string", "key-major", [], { first: 0, last: 0 }, all)).toThrow(
      /A cell of key group \d+, outside 0 to 0/,
    );
  });

  test("a state that is loaded under another description counts as changed, all of it", () => {
    const make = (loaded: readonly LoadedState[]): KeyedStateBackend => {
      const backend = heapKeyedStateBackend.create(undefined, {
        keyType: Types.string() as TypeSerializer<unknown>,
        maxParallelism: MAX_PARALLELISM,
        keyGroupRange: { first: 0, last: MAX_PARALLELISM - 1 },
        processingTime: new ManualProcessingTime(),
        ownerName: "Model (1/1)",
      });
      if (loaded.length > 0) backend.load(loaded);
      backend.trackChanges();
      return backend;
    };
    const value = { kind: "value", name: "v", ttl: undefined, type: Types.int() } as const;
    const map = {
      kind: "map",
      name: "m",
      ttl: undefined,
      keyType: Types.string(),
      valueType: Types.int(),
    } as const;
    const first = make([]);
    for (const key of ["a", "b"]) {
      first.setCurrentKey(key, keyHash(key, "string"));
      first.valueState(value).update(7);
      first.mapState(map).put("x", 1);
      first.mapState(map).put("y", 2);
    }
    const copy = new Replica();
    copy.apply(first);
    const loaded = copy.loaded({ first: 0, last: MAX_PARALLELISM - 1 }, false);
    const same = make(loaded);
    same.valueState(value);
    same.mapState(map);
    expect([...same.takeChanges()]).toEqual([]);
    const widened = make(loaded);
    widened.valueState({ ...value, type: Types.long() });
    widened.mapState({ ...map, valueType: Types.long() });
    const changes = [...widened.takeChanges()];
    expect(changes.map(({ state, value: bytes }) => `${state} ${bytes?.length}`).sort()).toEqual([
      "m 9",
      "m 9",
      "m 9",
      "m 9",
      "v 8",
      "v 8",
    ]);
  });
});

function apply(replica: Map<string, string>, change: StateChange): void {
  const name = nameOf(change);
  if (change.value === undefined) replica.delete(name);
  else replica.set(name, hex(change.value));
}

function hex(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "-" : Buffer.from(bytes).toString("hex");
}

function nameOf({ state, key, namespace, mapKey, keyHash: hash }: StateChange): string {
  return `${state} ${hash} ${hex(key)} ${hex(namespace)} ${hex(mapKey)}`;
}

/** Restores into several subtasks and snapshots each of them. */
function splitAgain(
  keyKind: string,
  layout: NamespaceLayout,
  file: KeyedStateBytes,
  parallelism: number,
): KeyedStateBytes[] {
  return Array.from({ length: parallelism }, (_, subtask) => {
    const pair = new Pair(
      keyKind,
      layout,
      [file],
      keyGroupRangeOf(subtask, MAX_PARALLELISM, parallelism),
    );
    const snapshot = pair.backend.snapshot(9);
    while (!snapshot.advance(7));
    return bytesOf(snapshot);
  });
}
