import { assert, isStreamError } from "../base/index.ts";
import { keyHash, Types, type TypeSerializer, voidNamespace } from "../serde/index.ts";
import { keyGroupRangeOf } from "./key-group.ts";
import type {
  KeyedStateBackend,
  KeyedStateBytes,
  KeyedStateSnapshot,
} from "./keyed-state-backend.ts";
import type { KeyGroupRange } from "./state-handle.ts";

/** Makes an empty backend for the law that asks. */
export type MakeBackend = (
  keyType: TypeSerializer<unknown>,
  keyGroupRange: KeyGroupRange,
) => KeyedStateBackend;

/** What every keyed state backend must do, as data: each is checked for each backend. */
export interface KeyedStateBackendLaw {
  readonly name: string;
  /** @throws AssertionError if the backend breaks the law. */
  readonly check: (make: MakeBackend) => void;
}

/** Maximum parallelism of the backends in the laws. */
export const LAW_MAX_PARALLELISM = 128;

const WHOLE: KeyGroupRange = { first: 0, last: LAW_MAX_PARALLELISM - 1 };

const STRING = Types.string() as TypeSerializer<unknown>;
const COUNT = { kind: "value", name: "count", ttl: undefined, type: Types.long() } as const;
const LIST = { kind: "list", name: "list", ttl: undefined, type: Types.string() } as const;
const MAP = {
  kind: "map",
  name: "map",
  ttl: undefined,
  keyType: Types.int(),
  valueType: Types.string(),
} as const;
const VOID = { type: voidNamespace, identity: () => 0, layout: "key-major" } as const;

function setKey(backend: KeyedStateBackend, key: string): void {
  backend.setCurrentKey(key, keyHash(key, "string"));
}

function finish(snapshot: KeyedStateSnapshot, budget = 10): KeyedStateBytes {
  while (!snapshot.advance(budget));
  const { range, offsets, chunks, sizeBytes } = snapshot.result();
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { range, offsets, bytes };
}

function same(found: unknown, expected: unknown, what: string): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  assert(left === right, `${what}: ${String(right)} expected, ${String(left)} found`);
}

/** Fills a value state with `count` keys. */
function counted(make: MakeBackend, count: number): KeyedStateBackend {
  const backend = make(STRING, WHOLE);
  const state = backend.valueState(COUNT);
  for (let n = 0; n < count; n++) {
    setKey(backend, `k${n}`);
    state.update(n);
  }
  return backend;
}

function counts(backend: KeyedStateBackend, count: number): (number | undefined)[] {
  const state = backend.valueState(COUNT);
  return Array.from({ length: count }, (_, n) => {
    setKey(backend, `k${n}`);
    return state.value();
  });
}

const numbersTo = (count: number): number[] => [...Array(count).keys()];

const STATE_LAWS: readonly KeyedStateBackendLaw[] = [
  {
    name: "a value is what was last written under its key, and clearing makes it absent",
    check: (make) => {
      const backend = counted(make, 50);
      const state = backend.valueState(COUNT);
      setKey(backend, "k7");
      state.clear();
      setKey(backend, "k8");
      state.update(undefined);
      const expected = numbersTo(50).map((n) => (n === 7 || n === 8 ? undefined : n));
      same(counts(backend, 50), expected, "values");
      same(backend.entryCount(), 48, "entries");
    },
  },
  {
    name: "a state that is declared again is the same state, and as another kind it is refused",
    check: (make) => {
      const backend = counted(make, 1);
      same(counts(backend, 1), [0], "the state declared again");
      refused(() => backend.listState({ ...LIST, name: "count" }), "STATE_DECLARED_DIFFERENTLY");
    },
  },
  {
    name: "a list keeps order and duplicates, and updating with nothing clears it",
    check: (make) => {
      const backend = make(STRING, WHOLE);
      const list = backend.listState(LIST);
      setKey(backend, "a");
      same(list.get(), [], "an absent list");
      list.addAll(["x", "y"]);
      list.add("x");
      same(list.get(), ["x", "y", "x"], "the list");
      list.update([]);
      same([list.get(), backend.entryCount()], [[], 0], "the emptied list");
    },
  },
  {
    name: "a map iterates in the order of its keys, and its last entry takes it along",
    check: (make) => {
      const backend = make(STRING, WHOLE);
      const map = backend.mapState(MAP);
      setKey(backend, "a");
      for (const key of [5, -1, 3]) map.put(key, `v${key}`);
      same([...map.keys()], [-1, 3, 5], "keys");
      for (const key of [5, -1, 3, 99]) map.remove(key);
      same([map.isEmpty(), backend.entryCount()], [true, 0], "the emptied map");
    },
  },
  {
    name: "timers fire by time, then key, once each, and deleted ones do not",
    check: (make) => {
      const backend = make(STRING, WHOLE);
      const fired: string[] = [];
      const timers = backend.timerService("t", VOID, {
        onEventTime: (time) => fired.push(`${String(backend.currentKey)}${time}`),
        onProcessingTime: () => undefined,
      });
      for (const [key, time] of [
        ["b", 7],
        ["a", 7],
        ["c", 5000],
        ["a", 1],
        ["a", 7],
        ["d", 3],
      ] as const) {
        setKey(backend, key);
        timers.registerEventTimeTimer(null, time);
      }
      setKey(backend, "d");
      timers.deleteEventTimeTimer(null, 3);
      timers.advanceWatermark(7);
      same([fired, timers.eventTimerCount()], [["a1", "a7", "b7"], 1], "fired");
    },
  },
];

const SNAPSHOT_LAWS: readonly KeyedStateBackendLaw[] = [
  {
    name: "a snapshot holds the state of its moment, however it goes on",
    check: (make) => {
      const backend = counted(make, 200);
      const state = backend.valueState(COUNT);
      const snapshot = backend.snapshot(1);
      for (let n = 0; n < 300; n++) {
        snapshot.advance(1);
        setKey(backend, `k${299 - n}`);
        if (n % 3 === 0) state.clear();
        else state.update(-1);
      }
      const again = make(STRING, WHOLE);
      again.restore(finish(snapshot));
      same(
        counts(again, 300),
        [...numbersTo(200), ...Array<undefined>(100).fill(undefined)],
        "restored",
      );
    },
  },
  {
    name: "snapshots may overlap, and a cancelled one leaves no trace",
    check: (make) => {
      const backend = counted(make, 20);
      const first = backend.snapshot(1);
      const lost = backend.snapshot(2);
      setKey(backend, "k3");
      backend.valueState(COUNT).update(33);
      const second = backend.snapshot(3);
      setKey(backend, "k3");
      backend.valueState(COUNT).update(333);
      lost.cancel();
      const [later, earlier] = [finish(second), finish(first)];
      const expected = [
        [earlier, 3],
        [later, 33],
        [finish(backend.snapshot(4)), 333],
      ] as const;
      for (const [bytes, value] of expected) {
        const again = make(STRING, WHOLE);
        again.restore(bytes);
        same(counts(again, 20)[3], value, "the value at its moment");
      }
    },
  },
  {
    name: "state goes over any change of parallelism, each key to the one subtask that owns it",
    check: (make) => {
      const file = finish(counted(make, 500).snapshot(1));
      const thirds = numbersTo(3).map((subtask) => {
        const backend = make(STRING, keyGroupRangeOf(subtask, LAW_MAX_PARALLELISM, 3));
        backend.restore(file);
        backend.valueState(COUNT);
        return finish(backend.snapshot(2));
      });
      const halves = numbersTo(2).map((subtask) => {
        const backend = make(STRING, keyGroupRangeOf(subtask, LAW_MAX_PARALLELISM, 2));
        for (const part of thirds) backend.restore(part);
        return counts(backend, 500);
      });
      for (const n of numbersTo(500)) {
        same(
          halves.map((half) => half[n]).filter((value) => value !== undefined),
          [n],
          `owners of k${n}`,
        );
      }
    },
  },
  {
    name: "state that is not declared any more is written on",
    check: (make) => {
      const between = make(STRING, WHOLE);
      between.restore(finish(counted(make, 30).snapshot(1)));
      between.listState(LIST);
      const again = make(STRING, WHOLE);
      again.restore(finish(between.snapshot(2)));
      same(counts(again, 30), numbersTo(30), "values");
    },
  },
  {
    name: "bytes of another key type or value type are refused, naming the state",
    check: (make) => {
      const file = finish(counted(make, 3).snapshot(1));
      refused(
        () => make(Types.long() as TypeSerializer<unknown>, WHOLE).restore(file),
        "STATE_INCOMPATIBLE",
      );
      const backend = make(STRING, WHOLE);
      backend.restore(file);
      refused(() => backend.valueState({ ...COUNT, type: Types.string() }), "STATE_INCOMPATIBLE");
    },
  },
  {
    name: "a value is migrated to a type that has widened",
    check: (make) => {
      const backend = make(STRING, WHOLE);
      backend.restore(finish(counted(make, 3).snapshot(1)));
      const wide = backend.valueState({ ...COUNT, type: Types.double() });
      setKey(backend, "k2");
      same(wide.value(), 2, "the migrated value");
    },
  },
  {
    name: "damaged bytes are refused, wherever the damage is",
    check: (make) => {
      const file = finish(counted(make, 40).snapshot(1));
      for (let at = 0; at < file.bytes.length; at += 7) {
        const bytes = file.bytes.slice();
        bytes[at] = (bytes[at] ?? 0) ^ 0x10;
        const backend = make(STRING, WHOLE);
        try {
          backend.restore({ ...file, bytes });
          same(counts(backend, 40), numbersTo(40), `values after damage at byte ${at}`);
        } catch (error) {
          const foreseen =
            isStreamError(error, "STATE_BYTES_CORRUPT") ||
            isStreamError(error, "STATE_INCOMPATIBLE");
          assert(foreseen, `damage at byte ${at} is named: ${String(error)}`);
        }
      }
    },
  },
];

function refused(
  action: () => unknown,
  code: "STATE_INCOMPATIBLE" | "STATE_DECLARED_DIFFERENTLY",
): void {
  try {
    action();
  } catch (error) {
    assert(isStreamError(error, code), `the error is ${code}: ${String(error)}`);
    return;
  }
  assert(false, `${code} is thrown`);
}

/** The laws of `KeyedStateBackend`. */
export const KEYED_STATE_BACKEND_LAWS: readonly KeyedStateBackendLaw[] = [
  ...STATE_LAWS,
  ...SNAPSHOT_LAWS,
];
