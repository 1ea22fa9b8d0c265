// What keyed state in the heap costs, beside a hand-written Map. Run on the built package:
//   node --expose-gc bench/state-micro.mjs [--dist <folder>] [updates|panes|memory|snapshot|restore|timers]...
// Rates are per second of CPU time of this thread. Each section runs after other states have been used in the process.
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const args = process.argv.slice(2);
const distAt = args.indexOf("--dist");
const dist =
  distAt < 0
    ? fileURLToPath(new URL("../dist/", import.meta.url))
    : `${args.splice(distAt, 2)[1]}/`;
const load = (path) => import(pathToFileURL(dist + path).href);
const { heapKeyedStateBackend, ManualProcessingTime } = await load("state/index.js");
const { Types, keyHash, timeWindow, voidNamespace } = await load("serde/index.js");
const { importModuleInstance } = await load("base/index.js");

const SECTIONS = { updates, panes, memory, snapshot, restore, timers };
const wanted = args.length === 0 ? Object.keys(SECTIONS) : args;

/** CPU time of this thread in milliseconds. */
function cpuMs() {
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
}

function gc() {
  globalThis.gc?.();
}

let instance = 0;
async function makeBackend(keyType = Types.int()) {
  const own = await importModuleInstance(heapKeyedStateBackend.moduleUrl, `bench-${instance++}`);
  return heapKeyedStateBackend.create(own, {
    keyType,
    maxParallelism: 128,
    keyGroupRange: { first: 0, last: 127 },
    processingTime: new ManualProcessingTime(),
    ownerName: "Bench (1/1)",
  });
}

const STATS = Types.struct({ n: Types.double(), sum: Types.double(), last: Types.double() });
const STATS_TEXT = Types.struct({
  n: Types.double(),
  sum: Types.double(),
  last: Types.double(),
  name: Types.string(),
});

function statsDescriptor(name = "stats") {
  return {
    kind: "aggregating",
    name,
    ttl: undefined,
    accumulatorType: STATS,
    aggregate: {
      createAccumulator: () => ({ n: 0, sum: 0, last: 0 }),
      add: (value, a) => ({ n: a.n + 1, sum: a.sum + value, last: value }),
      getResult: (a) => a.sum,
      merge: (a, b) => ({ n: a.n + b.n, sum: a.sum + b.sum, last: b.last }),
    },
  };
}

function objectDescriptor() {
  return {
    ...statsDescriptor("objects"),
    accumulatorType: STATS_TEXT,
    aggregate: {
      ...statsDescriptor().aggregate,
      createAccumulator: () => ({ n: 0, sum: 0, last: 0, name: "x" }),
      add: (value, a) => {
        a.n++;
        a.sum += value;
        a.last = value;
        return a;
      },
    },
  };
}

function randomKeys(count, keys) {
  const out = new Int32Array(count);
  let seed = 12345;
  for (let i = 0; i < count; i++) {
    seed = (Math.imul(seed, 1103515245) + 12345) | 0;
    out[i] = (((seed >>> 8) ^ (seed << 13)) >>> 0) % keys;
  }
  return out;
}

/** Runs other states first, so that nothing is measured in a fresh process. */
async function pollute() {
  const backend = await makeBackend(Types.string());
  const shared = heapKeyedStateBackend.create(undefined, {
    keyType: Types.any(),
    maxParallelism: 128,
    keyGroupRange: { first: 0, last: 127 },
    processingTime: new ManualProcessingTime(),
    ownerName: "Bench (1/1)",
  });
  for (const b of [backend, shared]) {
    const value = b.valueState({ kind: "value", name: "v", ttl: undefined, type: Types.any() });
    const sum = b.reducingState({
      kind: "reducing",
      name: "r",
      ttl: undefined,
      type: Types.double(),
      reduce: (x, y) => x + y,
    });
    const list = b.listState({ kind: "list", name: "l", ttl: undefined, type: Types.string() });
    for (let i = 0; i < 200_000; i++) {
      const key = `key${i % 1000}`;
      b.setCurrentKey(key, keyHash(key, "string"));
      value.update({ i, key });
      sum.add(i);
      if (i % 10 === 0) list.add(key);
    }
  }
}

/** The best of several measurements, each long enough for a clock that moves in steps of a few ms. */
function best(times, run) {
  let min = Infinity;
  for (let i = 0; i < times; i++) {
    let total = 0;
    let runs = 0;
    while (total < 150) {
      total += run();
      runs++;
    }
    min = Math.min(min, total / runs);
  }
  return min;
}

function millions(count, ms) {
  return `${(count / ms / 1000).toFixed(1).padStart(6)} M/s`;
}

async function updates() {
  console.log("updates of three numbers (n, sum, last), random int keys; ratio to Map");
  for (const keys of [1_000, 100_000, 1_000_000, 5_000_000]) {
    const count = Math.max(2_000_000, keys);
    const ids = randomKeys(count, keys);
    const repeats = keys >= 1_000_000 ? 2 : 5;
    gc();
    const map = new Map();
    for (let k = 0; k < keys; k++) map.set(k, { n: 0, sum: 0, last: 0 });
    const hand = best(repeats, () => {
      const start = cpuMs();
      for (let i = 0; i < count; i++) {
        const a = map.get(ids[i]);
        a.n++;
        a.sum += i;
        a.last = i;
      }
      return cpuMs() - start;
    });
    map.clear();
    gc();
    const rates = [];
    for (const descriptor of [statsDescriptor(), objectDescriptor()]) {
      const backend = await makeBackend();
      const state = backend.aggregatingState(descriptor);
      for (let k = 0; k < keys; k++) {
        backend.setCurrentKey(k, k);
        state.add(0);
      }
      rates.push(
        best(repeats, () => {
          const start = cpuMs();
          for (let i = 0; i < count; i++) {
            const key = ids[i];
            backend.setCurrentKey(key, key);
            state.add(i);
          }
          return cpuMs() - start;
        }),
      );
      backend.dispose();
      gc();
    }
    const [rows, objects] = rates;
    console.log(
      `${String(keys).padStart(9)} keys  Map ${millions(count, hand)}  rows ${millions(count, rows)} (${((100 * hand) / rows).toFixed(0)} %)  objects ${millions(count, objects)} (${((100 * hand) / objects).toFixed(0)} %)`,
    );
  }
}

async function panes() {
  console.log("tumbling count: one table per window, 100 windows of 20k records");
  const WINDOWS = 100;
  const PER_WINDOW = 20_000;
  for (const [keys, kind] of [
    [1_000, "int"],
    [100_000, "int"],
    [1_000, "string"],
    [100_000, "string"],
  ]) {
    const perWindow = keys === 1_000 ? PER_WINDOW : PER_WINDOW * 20;
    const windows = keys === 1_000 ? WINDOWS : 10;
    const count = perWindow * windows;
    const numbers = randomKeys(count, keys);
    const names = Array.from({ length: keys }, (_, k) => `key${k}`);
    const isText = kind === "string";
    const hashes = Int32Array.from({ length: keys }, (_, k) =>
      isText ? keyHash(names[k], "string") : k,
    );
    let handSum = 0;
    const hand = best(4, () => {
      const start = cpuMs();
      handSum = 0;
      for (let w = 0; w < windows; w++) {
        const pane = new Map();
        for (let i = w * perWindow; i < (w + 1) * perWindow; i++) {
          const key = isText ? names[numbers[i]] : numbers[i];
          const held = pane.get(key);
          if (held === undefined) pane.set(key, { count: 1 });
          else held.count++;
        }
        for (const { count: n } of pane.values()) handSum += n;
      }
      return cpuMs() - start;
    });
    const rates = [];
    for (const shape of ["scalar", "row"]) {
      const backend = await makeBackend(isText ? Types.string() : Types.int());
      const add =
        shape === "scalar"
          ? {
              accumulatorType: Types.long(),
              aggregate: {
                createAccumulator: () => 0,
                add: (_, a) => a + 1,
                getResult: (a) => a,
                merge: (a, b) => a + b,
              },
            }
          : {
              accumulatorType: Types.struct({ count: Types.long() }),
              aggregate: {
                createAccumulator: () => ({ count: 0 }),
                add: (_, a) => ({ count: a.count + 1 }),
                getResult: (a) => a.count,
                merge: (a, b) => ({ count: a.count + b.count }),
              },
            };
      const state = backend.namespacedAggregatingState(
        { kind: "aggregating", name: "window-contents", ttl: undefined, ...add },
        { type: timeWindow, identity: (window) => window.start, layout: "namespace-major" },
      );
      let sum = 0;
      rates.push(
        best(4, () => {
          const start = cpuMs();
          sum = 0;
          for (let w = 0; w < windows; w++) {
            const window = { start: w * 1000, end: w * 1000 + 1000 };
            state.setCurrentNamespace(window);
            for (let i = w * perWindow; i < (w + 1) * perWindow; i++) {
              const k = numbers[i];
              if (isText) backend.setCurrentKey(names[k], hashes[k]);
              else backend.setCurrentKey(k, k);
              state.add(i);
            }
            const cursor = state.cursor(window);
            while (cursor.advance()) sum += cursor.value();
            state.clearNamespace(window);
          }
          return cpuMs() - start;
        }),
      );
      if (sum !== handSum) throw new Error(`${sum} counted, ${handSum} by hand`);
    }
    console.log(
      `${String(keys).padStart(7)} ${kind} keys  Map ${millions(count, hand)}  scalar ${millions(count, rates[0])} (${((100 * hand) / rates[0]).toFixed(0)} %)  row ${millions(count, rates[1])} (${((100 * hand) / rates[1]).toFixed(0)} %)`,
    );
  }
}

function usedBytes() {
  gc();
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function memory() {
  const keys = 5_000_000;
  for (const [name, type] of [
    ["int", Types.int()],
    ["long", Types.long()],
  ]) {
    const before = usedBytes();
    const backend = await makeBackend(type);
    const state = backend.aggregatingState(statsDescriptor());
    let longest = 0;
    let last = performance.now();
    for (let k = 0; k < keys; k++) {
      backend.setCurrentKey(k, keyHash(k, type.keyKind));
      state.add(1);
      if ((k & 1023) === 0) {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
      }
    }
    console.log(
      `memory: ${((usedBytes() - before) / keys).toFixed(1)} B per ${name} key of three numbers at 5 M; longest pause of 1024 inserts ${longest.toFixed(1)} ms`,
    );
    backend.dispose();
  }
}

async function filled(keys) {
  const backend = await makeBackend();
  const state = backend.aggregatingState(statsDescriptor());
  for (let k = 0; k < keys; k++) {
    backend.setCurrentKey(k, k);
    state.add(1);
  }
  return { backend, state };
}

/**
 * CPU time of the process in ms. A slice is shorter than the steps of the thread's clock; the process's is exact, and includes
 * what the collector's threads do meanwhile, so that it is an upper bound of the thread's.
 */
function exactMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function snapshot() {
  const keys = 1_000_000;
  const { backend, state } = await filled(keys);
  const ids = randomKeys(4_000_000, keys);
  for (const budget of [256, 1024, 4096]) {
    const rounds = [];
    for (let round = 0; round < 5; round++) rounds.push(oneSnapshot(backend, state, ids, budget));
    rounds.sort((x, y) => x.longest - y.longest);
    const { sync, slices, longest, total, result, sizeBytes, chunks, rate } = rounds[0];
    const at = (share) => slices[Math.floor(slices.length * share)].toFixed(3);
    console.log(
      `snapshot of 1 M keys, slices of ${budget}: sync ${sync.toFixed(3)} ms, ${slices.length} slices p50 ${at(0.5)} p99 ${at(0.99)} longest ${longest.toFixed(2)} ms (other rounds ${rounds
        .slice(1)
        .map((r) => r.longest.toFixed(1))
        .join(" ")}), all ${total.toFixed(0)} ms, ` +
        `result ${result.toFixed(3)} ms, ${(sizeBytes / 1e6).toFixed(0)} MB in ${chunks.length} chunks; updates meanwhile ${rate.toFixed(1)} M/s`,
    );
  }
  backend.dispose();
}

function oneSnapshot(backend, state, ids, budget) {
  gc();
  let start = exactMs();
  const open = backend.snapshot(1);
  const sync = exactMs() - start;
  const slices = [];
  let updated = 0;
  let updateMs = 0;
  for (let done = false; !done;) {
    start = exactMs();
    done = open.advance(budget);
    slices.push(exactMs() - start);
    start = exactMs();
    for (let i = 0; i < 1024; i++, updated++) {
      const key = ids[updated % ids.length];
      backend.setCurrentKey(key, key);
      state.add(1);
    }
    updateMs += exactMs() - start;
  }
  start = exactMs();
  const { sizeBytes, chunks } = open.result();
  const result = exactMs() - start;
  const total = slices.reduce((sum, ms) => sum + ms, 0);
  slices.sort((x, y) => x - y);
  const longest = Math.max(sync, result, slices.at(-1));
  return {
    sync,
    slices,
    longest,
    total,
    result,
    sizeBytes,
    chunks,
    rate: updated / updateMs / 1000,
  };
}

async function restore() {
  const keys = 1_000_000;
  const { backend } = await filled(keys);
  const open = backend.snapshot(1);
  while (!open.advance(100_000));
  const { chunks, range, offsets } = open.result();
  const bytes = Buffer.concat(chunks);
  backend.dispose();
  for (let round = 0; round < 3; round++) {
    gc();
    const again = await makeBackend();
    const start = cpuMs();
    again.restore({ range, offsets, bytes });
    again.aggregatingState(statsDescriptor());
    const took = cpuMs() - start;
    if (again.entryCount() !== keys) throw new Error("keys lost");
    console.log(`restore of 1 M keys of three numbers: ${took.toFixed(0)} ms CPU`);
    again.dispose();
  }
}

async function timers() {
  const count = 1_000_000;
  for (const order of ["advancing", "random"]) {
    for (let round = 0; round < 2; round++) {
      const backend = await makeBackend();
      let fired = 0;
      const service = backend.timerService(
        "user-timers",
        { type: voidNamespace, identity: () => 0, layout: "key-major" },
        { onEventTime: () => fired++, onProcessingTime: () => undefined },
      );
      const times = randomKeys(count, order === "random" ? 3_600_000 : 600_000);
      gc();
      let insert = 0;
      let fire = 0;
      let start = cpuMs();
      if (order === "random") {
        for (let i = 0; i < count; i++) {
          backend.setCurrentKey(i, i);
          service.registerEventTimeTimer(null, times[i]);
        }
        insert = cpuMs() - start;
        start = cpuMs();
        for (let t = 0; t <= 3_600_000; t += 1000) service.advanceWatermark(t);
        fire = cpuMs() - start;
      } else {
        const perStep = count / 3600;
        let next = 0;
        for (let s = 0; s < 4300; s++) {
          start = cpuMs();
          const end = Math.min(count, Math.round((s + 1) * perStep));
          for (; next < end; next++) {
            backend.setCurrentKey(next, next);
            service.registerEventTimeTimer(null, s * 1000 + times[next]);
          }
          insert += cpuMs() - start;
          start = cpuMs();
          service.advanceWatermark(s * 1000);
          fire += cpuMs() - start;
        }
      }
      if (fired < count * 0.99) throw new Error(`${fired} fired`);
      console.log(
        `timers, ${order}: insert ${((insert / count) * 1e6).toFixed(0)} ns, fire ${((fire / count) * 1e6).toFixed(0)} ns, together ${(((insert + fire) / count) * 1000).toFixed(2)} us`,
      );
    }
  }
}

await pollute();
for (const section of wanted) await SECTIONS[section]();
