import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { keyHash, Types } from "../serde/index.ts";
import type { StateTtlConfig } from "./descriptor.ts";
import { heapKeyedStateBackend } from "./heap/heap-backend-factory.ts";
import type {
  AggregatingState,
  InternalTimerService,
  ListState,
  MapState,
  NamespaceOptions,
  ReducingState,
  ValueState,
} from "./keyed-state.ts";
import type { KeyedStateBackend } from "./keyed-state-backend.ts";
import { ManualProcessingTime } from "./manual-processing-time.ts";

const FOLDER = new URL("../../../shared/conformance/", import.meta.url);

interface Step {
  readonly [name: string]: unknown;
}

interface Scenario {
  readonly id: string;
  readonly about: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

function scenarios(path: string): readonly (readonly [string, string, Scenario])[] {
  const url = new URL(path, FOLDER);
  if (!existsSync(url)) return [];
  const file = JSON.parse(readFileSync(url, "utf8")) as { scenarios: Scenario[] };
  return file.scenarios.map((scenario) => [scenario.id, scenario.about, scenario] as const);
}

function makeBackend(clock: ManualProcessingTime): KeyedStateBackend {
  return heapKeyedStateBackend.create(undefined, {
    keyType: Types.string(),
    maxParallelism: 128,
    keyGroupRange: { first: 0, last: 127 },
    processingTime: clock,
    ownerName: "Conformance (1/1)",
  });
}

function restoredFrom(backend: KeyedStateBackend, clock: ManualProcessingTime): KeyedStateBackend {
  const snapshot = backend.snapshot(1);
  while (!snapshot.advance(2));
  const { range, offsets, chunks } = snapshot.result();
  backend.dispose();
  const next = makeBackend(clock);
  next.restore({ range, offsets, bytes: Buffer.concat(chunks) });
  return next;
}

function setKey(backend: KeyedStateBackend, key: string): void {
  backend.setCurrentKey(key, keyHash(key, "string"));
}

/** The state of a scenario, each operation by its name. */
type Operations = Readonly<Record<string, (argument: never) => unknown>>;

const NULLABLE_INT = Types.nullable(Types.int());

function ttlOf(config: Scenario["config"]): StateTtlConfig | undefined {
  const ttl = config["ttl"] as (Partial<StateTtlConfig> & { ttlMs: number | string }) | undefined;
  if (ttl === undefined) return undefined;
  return {
    updateType: "OnCreateAndWrite",
    visibility: "NeverReturnExpired",
    cleanupFullSnapshot: false,
    cleanupEntriesPerAccess: 5,
    ...ttl,
    ttlMs: Number(ttl.ttlMs),
  };
}

function declare(backend: KeyedStateBackend, config: Scenario["config"]): Operations {
  const ttl = ttlOf(config);
  switch (config["state"]) {
    case "value":
      return valueOperations(
        backend.valueState({ kind: "value", name: "s", ttl, type: Types.int() }),
      );
    case "list":
      return listOperations(backend.listState({ kind: "list", name: "s", ttl, type: Types.int() }));
    case "map":
      return mapOperations(
        backend.mapState({
          kind: "map",
          name: "s",
          ttl,
          keyType: Types.string(),
          valueType: NULLABLE_INT,
        }),
      );
    case "reducing-sum":
      return foldOperations(
        backend.reducingState({
          kind: "reducing",
          name: "s",
          ttl,
          type: Types.long(),
          reduce: (a, b) => a + b,
        }),
      );
    case "aggregating-mean":
      return foldOperations(
        backend.aggregatingState({
          kind: "aggregating",
          name: "s",
          ttl,
          accumulatorType: Types.struct({ sum: Types.long(), count: Types.int() }),
          aggregate: {
            createAccumulator: () => ({ sum: 0, count: 0 }),
            add: (value: number, { sum, count }) => ({ sum: sum + value, count: count + 1 }),
            getResult: ({ sum, count }) => sum / count,
            merge: (a, b) => ({ sum: a.sum + b.sum, count: a.count + b.count }),
          },
        }),
      );
    default:
      throw new Error(`State ${String(config["state"])}`);
  }
}

function valueOperations(state: ValueState<number>): Operations {
  return {
    get: () => state.value() ?? null,
    update: (value: number | null | undefined) => state.update(value ?? undefined),
    clear: () => state.clear(),
  };
}

function listOperations(state: ListState<number>): Operations {
  return {
    get: () => [...state.get()],
    add: (value: number) => state.add(value),
    addAll: (values: readonly number[]) => state.addAll(values),
    update: (values: readonly number[]) => state.update(values),
    clear: () => state.clear(),
  };
}

function mapOperations(state: MapState<string, number | null>): Operations {
  return {
    get: (key: string) => state.get(key) ?? null,
    put: ([key, value]: readonly [string, number | null]) => state.put(key, value),
    putAll: (entries: Readonly<Record<string, number>>) => state.putAll(Object.entries(entries)),
    remove: (key: string) => state.remove(key),
    contains: (key: string) => state.contains(key),
    isEmpty: () => state.isEmpty(),
    entries: () => Object.fromEntries(state.entries()),
    keys: () => [...state.keys()],
    clear: () => state.clear(),
  };
}

function foldOperations(
  state: ReducingState<number> | AggregatingState<number, number>,
): Operations {
  return {
    get: () => state.get() ?? null,
    add: (value: number) => state.add(value),
    clear: () => state.clear(),
  };
}

const NAMESPACE: NamespaceOptions<string> = {
  type: Types.string(),
  identity: (name) => name,
  layout: "key-major",
};

describe.skipIf(!existsSync(FOLDER))(
  "keyed state as Flink keeps it (needs ../shared/conformance)",
  () => {
    test.each([...scenarios("state/keyed.json"), ...scenarios("state/ttl.json")])(
      "%s %s",
      (_id, _about, scenario) => {
        const clock = new ManualProcessingTime();
        let backend = makeBackend(clock);
        let operations = declare(backend, scenario.config);
        let answer: unknown = undefined;
        let failed = false;
        const found: Step[] = [];
        for (const step of scenario.steps) {
          if ("snapshotRestore" in step) {
            backend = restoredFrom(backend, clock);
            operations = declare(backend, scenario.config);
          } else if ("ttlTime" in step) {
            clock.set(step["ttlTime"] as number);
          } else if ("do" in step) {
            setKey(backend, (step["key"] as string | undefined) ?? "k");
            try {
              answer = operations[step["do"] as string]?.(step["with"] as never);
            } catch {
              failed = true;
            }
          } else {
            found.push(
              "expectError" in step ? { expectError: failed } : { expect: { value: answer } },
            );
          }
        }
        const expected = scenario.steps.filter((step) => "expect" in step || "expectError" in step);
        expect(found).toEqual(expected);
      },
    );
  },
);

type Fired = Readonly<Record<string, unknown>>;

interface Rule {
  readonly domain?: string;
  readonly time?: number;
  readonly key?: string;
  readonly namespace?: string;
}

/** Drives a timer service as a scenario says. */
class TimerRunner {
  readonly #clock = new ManualProcessingTime();
  readonly #rules: readonly (Rule & Step)[];
  #backend: KeyedStateBackend;
  #service: InternalTimerService<string>;
  #fired: Fired[] = [];

  constructor(config: Scenario["config"]) {
    this.#rules = (config["onFire"] ?? []) as (Rule & Step)[];
    this.#backend = makeBackend(this.#clock);
    this.#service = this.#makeService();
  }

  #makeService(): InternalTimerService<string> {
    const onFire = (domain: string, time: number, namespace: string): void => {
      const key = String(this.#backend.currentKey);
      this.#fired.push({ domain, key, namespace, time });
      for (const rule of this.#rules) {
        if (rule.domain !== undefined && rule.domain !== domain) continue;
        if (rule.time !== undefined && Number(rule.time) !== time) continue;
        if (rule.key !== undefined && rule.key !== key) continue;
        this.#act(rule, rule.namespace ?? namespace);
      }
    };
    return this.#backend.timerService("timers", NAMESPACE, {
      onEventTime: (time, namespace) => onFire("event", time, namespace),
      onProcessingTime: (time, namespace) => onFire("processing", time, namespace),
    });
  }

  #act(step: Step, namespace: string): void {
    const actions: Readonly<Record<string, (time: number) => void>> = {
      registerEventTimer: (time) => this.#service.registerEventTimeTimer(namespace, time),
      registerProcessingTimer: (time) => this.#service.registerProcessingTimeTimer(namespace, time),
      deleteEventTimer: (time) => this.#service.deleteEventTimeTimer(namespace, time),
      deleteProcessingTimer: (time) => this.#service.deleteProcessingTimeTimer(namespace, time),
    };
    for (const [name, act] of Object.entries(actions)) if (name in step) act(toTime(step[name]));
  }

  /** Takes an input step, or answers an expectation. */
  take(step: Step): unknown {
    if ("expect" in step) {
      const fired = this.#fired;
      this.#fired = [];
      return { expect: inKeyOrder(fired) };
    }
    if ("expectTimers" in step) {
      const event = this.#service.eventTimerCount();
      return { expectTimers: { event, processing: this.#service.processingTimerCount() } };
    }
    if ("watermark" in step) {
      this.#service.advanceWatermark(toTime(step["watermark"]));
      this.#fired.push({ watermark: step["watermark"] });
    } else if ("processingTime" in step) {
      this.#clock.set(toTime(step["processingTime"]));
    } else if ("snapshotRestore" in step) {
      this.#backend = restoredFrom(this.#backend, this.#clock);
      this.#clock.set(0);
      this.#service = this.#makeService();
    } else {
      setKey(this.#backend, step["key"] as string);
      this.#act(step, step["namespace"] as string);
    }
    return undefined;
  }
}

function toTime(value: unknown): number {
  const time = Number(value);
  if (time > Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY;
  return time < Number.MIN_SAFE_INTEGER ? Number.NEGATIVE_INFINITY : time;
}

/** Orders what fired between two watermarks: Flink does not say how. */
function inKeyOrder(fired: readonly Fired[]): readonly Fired[] {
  const sorted: Fired[] = [];
  let run: Fired[] = [];
  const flush = (): void => {
    const text = ({ time, ...rest }: Fired): string =>
      `${String(time).padStart(20)} ${JSON.stringify(rest)}`;
    sorted.push(...run.sort((a, b) => (text(a) < text(b) ? -1 : 1)));
    run = [];
  };
  for (const entry of fired) {
    if (!("watermark" in entry)) {
      run.push({
        domain: entry["domain"],
        key: entry["key"],
        namespace: entry["namespace"],
        time: entry["time"],
      });
      continue;
    }
    flush();
    sorted.push(entry);
  }
  flush();
  return sorted;
}

describe.skipIf(!existsSync(FOLDER))(
  "timers as Flink fires them (needs ../shared/conformance)",
  () => {
    test.each(scenarios("timers/service.json"))("%s %s", (_id, _about, scenario) => {
      const runner = new TimerRunner(scenario.config);
      const found = scenario.steps.map((step) => runner.take(step));
      const expected = scenario.steps.map((step) => {
        if ("expect" in step) return { expect: inKeyOrder(step["expect"] as Fired[]) };
        return "expectTimers" in step ? step : undefined;
      });
      expect(found).toEqual(expected);
    });
  },
);
