// What window operators cost, beside hand-written loops. Run on the built package:
//   node --expose-gc bench/windows.mjs [--dist <folder>] [tumbling|sliding|session]...
// Rates are per second of CPU time of this thread, after other pipelines have run in the process; ratios are what counts.
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const args = process.argv.slice(2);
const distAt = args.indexOf("--dist");
const dist =
  distAt < 0
    ? fileURLToPath(new URL("../dist/", import.meta.url))
    : `${args.splice(distAt, 2)[1]}/`;
const load = (path) => import(pathToFileURL(dist + path).href);
const { heapKeyedStateBackend, ManualProcessingTime, OperatorStateBackend } =
  await load("state/index.js");
const { Types } = await load("serde/index.js");
const { importModuleInstance, nodePlatform, silentLogger } = await load("base/index.js");
const ops = await load("operators/index.js");

const EVENTS = 2_000_000;
const EVENTS_PER_MS = 10;
const WATERMARK_EVERY = 1024;
const REPETITIONS = Number(process.env["REPETITIONS"] ?? 5);

function cpuMs() {
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
}

/** Records whose objects are in cache, as they are when a source has just made them; keys uniform. */
function makeInput(keys) {
  const pool = Array.from({ length: 8192 }, () => ({ key: 0, price: 1, url: "x" }));
  const keyOf = new Int32Array(EVENTS);
  let seed = 42;
  for (let i = 0; i < EVENTS; i++) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    keyOf[i] = Math.floor((seed / 0x1_0000_0000) * keys);
  }
  return { pool, keyOf };
}

const START = 1_700_000_000_000 - (1_700_000_000_000 % 60_000);

let instance = 0;
async function makeOperator(factory, output, isOwn = true) {
  const id = instance++;
  const clock = new ManualProcessingTime();
  const own = isOwn
    ? await importModuleInstance(heapKeyedStateBackend.moduleUrl, `w${id}`)
    : undefined;
  const keyed = heapKeyedStateBackend.create(own, {
    keyType: Types.int(),
    maxParallelism: 128,
    keyGroupRange: { first: 0, last: 127 },
    processingTime: clock,
    ownerName: "Bench (1/1)",
  });
  const platform = nodePlatform();
  const metrics = {
    numRecordsIn: 0,
    numRecordsOut: 0,
    numLateRecordsDropped: 0,
    counter: () => ({ count: 0 }),
    gauge() {},
  };
  const context = {
    jobName: "bench",
    jobId: "0".repeat(32),
    operatorName: factory.kind,
    operatorId: "0".repeat(32),
    subtaskIndex: 0,
    parallelism: 1,
    maxParallelism: 128,
    attempt: 0,
    log: silentLogger,
    metrics,
    processingTime: clock,
    platform,
    files: platform.files,
    keyed,
    operatorState: new OperatorStateBackend("Bench"),
    isRestored: false,
    restoredCheckpointId: undefined,
    isCheckpointed: true,
    autoWatermarkIntervalMs: 200,
    sideOutput: () => output,
    execute() {},
    fail(error) {
      throw error;
    },
  };
  const ownModule = isOwn ? await importModuleInstance(factory.moduleUrl, `w${id}`) : undefined;
  const operator = factory.create(ownModule, { context, output });
  operator.initializeState?.();
  await operator.open?.();
  return { operator, keyed };
}

class Sink {
  count = 0;
  sum = 0;
  processElement(value) {
    this.count++;
    this.sum += value;
  }
  processWatermark() {}
  processWatermarkStatus() {}
}

/** A driver of its own per operator, as a task has its own pump. */
function makeDriver() {
  return new Function(
    "operator",
    "keyed",
    "input",
    "events",
    `const { pool, keyOf } = input;
    for (let i = 0; i < events; i++) {
      const record = pool[i & 8191];
      const key = keyOf[i];
      record.key = key;
      const timestamp = ${START} + Math.floor(i / ${EVENTS_PER_MS});
      keyed.setCurrentKey(key, key);
      operator.processElement(record, timestamp);
      if (i % ${WATERMARK_EVERY} === ${WATERMARK_EVERY - 1}) {
        operator.processWatermark(timestamp - 1000);
        while (operator.continue()) ;
      }
    }
    operator.processWatermark(Infinity);
    while (operator.continue()) ;`,
  );
}

const countAggregate = () => ({
  createAccumulator: () => ({ n: 0 }),
  // As the contract allows, and as the loops by hand do: the accumulator itself is changed.
  add: (_value, accumulator) => {
    accumulator.n++;
    return accumulator;
  },
  getResult: (accumulator) => accumulator.n,
  merge: (a, b) => ({ n: a.n + b.n }),
});
const Count = Types.struct({ n: Types.double() });

const windowSetup = (assigner, overrides = {}) => ({
  assigner,
  trigger: undefined,
  evictor: undefined,
  allowedLatenessMs: 0,
  lateOutput: undefined,
  aggregation: { kind: "aggregate", aggregate: countAggregate() },
  makeFunction: undefined,
  recordType: Types.any(),
  accumulatorType: Count,
  ...overrides,
});

async function runOperator(factory, input, events = EVENTS, isOwn = true) {
  const sink = new Sink();
  const { operator, keyed } = await makeOperator(factory, sink, isOwn);
  const drive = makeDriver();
  globalThis.gc?.();
  const before = cpuMs();
  drive(operator, keyed, input, events);
  const took = cpuMs() - before;
  keyed.dispose();
  return { took, sink };
}

/** Other pipelines, so that what they share has seen many shapes. */
async function pollute() {
  const input = makeInput(100);
  const assigners = [
    ops.TumblingEventTimeWindows.of(1000),
    ops.SlidingEventTimeWindows.of(2000, 1000),
    ops.EventTimeSessionWindows.withGap(500),
    ops.TumblingEventTimeWindows.of(5000),
  ];
  for (const assigner of assigners) {
    const list = windowSetup(assigner, {
      aggregation: { kind: "list" },
      makeFunction: () => ({
        process: (_key, _context, elements, out) => out.collect([...elements].length),
      }),
    });
    await runOperator(ops.windowOperator(list), input, 60_000, false);
    await runOperator(ops.windowOperator(windowSetup(assigner)), input, 60_000, false);
    const reduced = windowSetup(assigner, {
      aggregation: { kind: "reduce", reduce: (a, b) => ({ ...a, price: a.price + b.price }) },
      makeFunction: () => ({
        process: (_key, _context, elements, out) => out.collect([...elements][0].price),
      }),
    });
    await runOperator(ops.windowOperator(reduced), input, 60_000, false);
  }
  for (const factory of [
    ops.mapOperator((value) => value.price),
    ops.filterOperator((value) => value.price > 0),
    ops.flatMapOperator((value, out) => out.collect(value.price)),
  ]) {
    const sink = new Sink();
    const { operator, keyed } = await makeOperator(factory, sink, false);
    operator.continue = () => false;
    makeDriver()(operator, keyed, input, 60_000);
  }
}

/** The obvious loop: a `Map` per window. */
function tumblingByHand({ pool, keyOf }) {
  const windows = new Map();
  let current = undefined;
  let [start, end] = [0, 0];
  let watermark = -Infinity;
  let [count, sum] = [0, 0];
  const fire = () => {
    for (const [windowStart, table] of windows) {
      if (windowStart + 59_999 > watermark) continue;
      for (const entry of table.values()) {
        count++;
        sum += entry.n;
      }
      windows.delete(windowStart);
    }
  };
  for (let i = 0; i < EVENTS; i++) {
    const record = pool[i & 8191];
    record.key = keyOf[i];
    const timestamp = START + Math.floor(i / EVENTS_PER_MS);
    if (timestamp < start || timestamp >= end) {
      start = timestamp - (timestamp % 60_000);
      end = start + 60_000;
      current = windows.get(start);
      if (current === undefined) windows.set(start, (current = new Map()));
    }
    const entry = current.get(record.key);
    if (entry === undefined) current.set(record.key, { n: 1 });
    else entry.n++;
    if (i % WATERMARK_EVERY === WATERMARK_EVERY - 1) {
      watermark = timestamp - 1000;
      fire();
    }
  }
  watermark = Infinity;
  fire();
  return { count, sum };
}

/** The obvious loop: a `Map` per window, each record into six. */
function slidingByHand({ pool, keyOf }) {
  const windows = new Map();
  let watermark = -Infinity;
  let [count, sum] = [0, 0];
  const fire = () => {
    for (const [windowStart, table] of windows) {
      if (windowStart + 59_999 > watermark) continue;
      for (const entry of table.values()) {
        count++;
        sum += entry.n;
      }
      windows.delete(windowStart);
    }
  };
  for (let i = 0; i < EVENTS; i++) {
    const record = pool[i & 8191];
    record.key = keyOf[i];
    const timestamp = START + Math.floor(i / EVENTS_PER_MS);
    const last = timestamp - (timestamp % 10_000);
    for (let start = last; start > timestamp - 60_000; start -= 10_000) {
      let table = windows.get(start);
      if (table === undefined) windows.set(start, (table = new Map()));
      const entry = table.get(record.key);
      if (entry === undefined) table.set(record.key, { n: 1 });
      else entry.n++;
    }
    if (i % WATERMARK_EVERY === WATERMARK_EVERY - 1) {
      watermark = timestamp - 1000;
      fire();
    }
  }
  watermark = Infinity;
  fire();
  return { count, sum };
}

const GAP = 10_000;

/** Sessions by hand: one open session per key, timers in buckets of a second that are armed again when they come up too early. */
function sessionByHand({ pool, keyOf }) {
  const sessions = new Map();
  const buckets = new Map();
  let nextBucket = Math.floor(START / 1000);
  let [count, sum] = [0, 0];
  const arm = (session) => {
    const bucket = Math.floor((session.end - 1) / 1000);
    const list = buckets.get(bucket);
    if (list === undefined) buckets.set(bucket, [session]);
    else list.push(session);
  };
  const fire = (session) => {
    count++;
    sum += session.n;
    if (sessions.get(session.key) === session) sessions.delete(session.key);
  };
  const advance = (watermark) => {
    for (; nextBucket * 1000 <= watermark && buckets.size > 0; nextBucket++) {
      const list = buckets.get(nextBucket);
      if (list === undefined) continue;
      const kept = [];
      for (const session of list) {
        if (session.end - 1 <= watermark) fire(session);
        else if (Math.floor((session.end - 1) / 1000) > nextBucket) arm(session);
        else kept.push(session);
      }
      if (kept.length > 0) {
        buckets.set(nextBucket, kept);
        return;
      }
      buckets.delete(nextBucket);
    }
  };
  for (let i = 0; i < EVENTS; i++) {
    const record = pool[i & 8191];
    record.key = keyOf[i];
    const timestamp = START + Math.floor(i / EVENTS_PER_MS);
    const session = sessions.get(record.key);
    if (session === undefined || timestamp > session.end) {
      const fresh = { key: record.key, start: timestamp, end: timestamp + GAP, n: 1 };
      sessions.set(record.key, fresh);
      arm(fresh);
    } else {
      session.end = timestamp + GAP;
      session.n++;
    }
    if (i % WATERMARK_EVERY === WATERMARK_EVERY - 1) advance(timestamp - 1000);
  }
  for (const list of buckets.values()) for (const session of list) fire(session);
  return { count, sum };
}

const CASES = {
  tumbling: {
    keys: [1000, 100_000],
    byHand: tumblingByHand,
    factory: () => ops.windowOperator(windowSetup(ops.TumblingEventTimeWindows.of("1 min"))),
  },
  sliding: {
    keys: [1000],
    byHand: slidingByHand,
    factory: () => ops.windowOperator(windowSetup(ops.SlidingEventTimeWindows.of("1 min", "10 s"))),
  },
  session: {
    keys: [1000, 100_000],
    byHand: sessionByHand,
    factory: () => ops.windowOperator(windowSetup(ops.EventTimeSessionWindows.withGap(GAP))),
  },
};

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

await pollute();
for (const name of args.length === 0 ? Object.keys(CASES) : args) {
  const { keys, byHand, factory } = CASES[name];
  for (const keyCount of keys) {
    const input = makeInput(keyCount);
    const [hand, ours] = [[], []];
    for (let repetition = 0; repetition <= REPETITIONS; repetition++) {
      globalThis.gc?.();
      const before = cpuMs();
      const expected = byHand(input);
      const tookByHand = cpuMs() - before;
      const { took, sink } = await runOperator(factory(), input);
      if (sink.sum !== expected.sum || sink.count !== expected.count) {
        throw new Error(
          `${name}: ${sink.count} results of ${sink.sum} records, by hand ${expected.count} of ${expected.sum}`,
        );
      }
      if (repetition === 0) continue;
      hand.push(tookByHand);
      ours.push(took);
    }
    const rate = (took) => (EVENTS / took / 1000).toFixed(1);
    const ratios = hand.map((took, index) => (100 * took) / ours[index]);
    console.log(
      `${name}, ${keyCount} keys: by hand ${rate(median(hand))} M/s, operator ${rate(median(ours))} M/s, ` +
        `ratio ${median(ratios).toFixed(0)} % [${Math.min(...ratios).toFixed(0)}..${Math.max(...ratios).toFixed(0)}]`,
    );
  }
}
