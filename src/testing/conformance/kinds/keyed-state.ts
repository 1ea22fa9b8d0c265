import { keyHash, Types } from "../../../serde/index.ts";
import {
  heapKeyedStateBackend,
  type KeyedStateBackend,
  ManualProcessingTime,
  type StateTtlConfig,
} from "../../../state/index.ts";
import { compareExactly } from "../comparison.ts";
import type { Fields } from "../fields.ts";
import { ScenarioFault } from "../scenario.ts";
import type { ScenarioKind } from "../scenario-kind.ts";

export const keyedStateKind: ScenarioKind = {
  kind: "keyed-state",
  start(config) {
    const state = config.text("state");
    const ttl = ttlOf(config.objectIfAny("ttl"));
    const clock = new ManualProcessingTime();
    let backend = makeBackend(clock);
    let operations = declareState(backend, state, ttl);
    let answer: unknown = undefined;
    return {
      act(step) {
        if (step.has("ttlTime")) {
          clock.set(step.time("ttlTime"));
        } else if (step.has("snapshotRestore")) {
          const options = step.object("snapshotRestore");
          backend = restored(backend, clock);
          operations = declareState(backend, state, ttl);
          if (options.has("ttlTime")) clock.set(options.time("ttlTime"));
          options.done();
        } else {
          const operation = operations[step.text("do")];
          if (operation === undefined) throw step.fault("do", `an operation of ${state} state`);
          const key = step.text("key", "k");
          backend.setCurrentKey(key, keyHash(key, "string"));
          answer = operation(step.any("with") as never);
        }
      },
      check: (_name, expected) => compareExactly(expected, { value: answer }),
    };
  },
};

type Operations = Readonly<Record<string, (argument: never) => unknown>>;

function ttlOf(config: Fields | undefined): StateTtlConfig | undefined {
  if (config === undefined) return undefined;
  const updateType = config.text("updateType", "OnCreateAndWrite");
  const visibility = config.text("visibility", "NeverReturnExpired");
  if (!UPDATE_TYPES.includes(updateType)) throw config.fault("updateType", "known");
  if (!VISIBILITIES.includes(visibility)) throw config.fault("visibility", "known");
  const ttl: StateTtlConfig = {
    ttlMs: config.time("ttlMs"),
    updateType: updateType as StateTtlConfig["updateType"],
    visibility: visibility as StateTtlConfig["visibility"],
    cleanupFullSnapshot: config.boolean("cleanupFullSnapshot", false),
    cleanupEntriesPerAccess: config.number("cleanupEntriesPerAccess", 5),
  };
  config.done();
  return ttl;
}

const UPDATE_TYPES: readonly string[] = ["Disabled", "OnCreateAndWrite", "OnReadAndWrite"];
const VISIBILITIES: readonly string[] = ["NeverReturnExpired", "ReturnExpiredIfNotCleanedUp"];

function makeBackend(clock: ManualProcessingTime): KeyedStateBackend {
  return heapKeyedStateBackend.create(undefined, {
    keyType: Types.string(),
    maxParallelism: 128,
    keyGroupRange: { first: 0, last: 127 },
    processingTime: clock,
    ownerName: "keyed-state (1/1)",
  });
}

function restored(backend: KeyedStateBackend, clock: ManualProcessingTime): KeyedStateBackend {
  const snapshot = backend.snapshot(1);
  while (!snapshot.advance(2));
  const { range, offsets, chunks } = snapshot.result();
  backend.dispose();
  const next = makeBackend(clock);
  next.restore({ range, offsets, bytes: Buffer.concat(chunks) });
  return next;
}

function declareState(
  backend: KeyedStateBackend,
  kind: string,
  ttl: StateTtlConfig | undefined,
): Operations {
  const name = "s";
  switch (kind) {
    case "value": {
      const state = backend.valueState({ kind: "value", name, ttl, type: Types.long() });
      return {
        get: () => state.value() ?? null,
        update: (value: number | null | undefined) => state.update(value ?? undefined),
        clear: () => state.clear(),
      };
    }
    case "list": {
      const state = backend.listState({ kind: "list", name, ttl, type: Types.long() });
      return {
        get: () => [...state.get()],
        add: (value: number) => state.add(value),
        addAll: (values: readonly number[]) => state.addAll(values),
        update: (values: readonly number[]) => state.update(values),
        clear: () => state.clear(),
      };
    }
    case "map":
      return mapOperations(backend, ttl);
    case "reducing-sum": {
      const reduce = (a: number, b: number): number => a + b;
      return foldOperations(
        backend.reducingState({ kind: "reducing", name, ttl, type: Types.long(), reduce }),
      );
    }
    case "aggregating-mean":
      return foldOperations(
        backend.aggregatingState({
          kind: "aggregating",
          name,
          ttl,
          accumulatorType: Types.struct({ sum: Types.long(), count: Types.long() }),
          aggregate: {
            createAccumulator: () => ({ sum: 0, count: 0 }),
            add: (value: number, { sum, count }) => ({ sum: sum + value, count: count + 1 }),
            getResult: ({ sum, count }) => sum / count,
            merge: (a, b) => ({ sum: a.sum + b.sum, count: a.count + b.count }),
          },
        }),
      );
    default:
      throw new ScenarioFault(`The state \`${kind}\` is not known to this runner`);
  }
}

function mapOperations(backend: KeyedStateBackend, ttl: StateTtlConfig | undefined): Operations {
  const state = backend.mapState<string, number | null>({
    kind: "map",
    name: "s",
    ttl,
    keyType: Types.string(),
    valueType: Types.nullable(Types.long()),
  });
  return {
    get: (key: string) => state.get(key) ?? null,
    put: ([key, value]: readonly [string, number | null]) => state.put(key, value),
    putAll: (entries: Readonly<Record<string, number>>) => state.putAll(Object.entries(entries)),
    remove: (key: string) => state.remove(key),
    contains: (key: string) => state.contains(key),
    isEmpty: () => state.isEmpty(),
    entries: () => Object.fromEntries(state.entries()),
    keys: () => [...state.keys()].toSorted(),
    clear: () => state.clear(),
  };
}

function foldOperations(state: {
  get(): number | undefined;
  add(value: number): void;
  clear(): void;
}): Operations {
  return {
    get: () => state.get() ?? null,
    add: (value: number) => state.add(value),
    clear: () => state.clear(),
  };
}
