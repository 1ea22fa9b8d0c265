// Six other pipelines, run first in the process: V8 collects types per function, so what is quick in a fresh process may be slow in a
// real one. Each has records, keys and functions of its own kind, and a counted result.
import { check } from "./measure.mjs";

const RECORDS = 60_000;

/** Runs the six, and checks what they count. */
export async function pollute(cutwater) {
  for (const [name, build, expected] of PIPELINES) {
    const seen = { count: 0 };
    const job = cutwater.defineJob(`bench-pollute-${name}`, (env) =>
      build(cutwater, env, countingSink(name, seen)),
    );
    await cutwater.run(job, { "execution.checkpointing.interval": "0 ms" });
    check(`pipeline ${name}`, seen.count, expected);
  }
}

function countingSink(name, seen) {
  return {
    name: `Count ${name}`,
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter: () => ({
      write: (value) => {
        seen.count += typeof value === "number" ? value : value.count;
      },
      prepareCommit: () => ({ committables: [], durable: undefined }),
      close() {},
    }),
  };
}

const times = (cutwater) =>
  cutwater.WatermarkStrategy.forBoundedOutOfOrderness("1 s").withTimestampAssigner(
    (record) => record.at,
  );

/** Names of strings, tumbling windows, a reduced struct. */
function words({ Types, TumblingEventTimeWindows, ...rest }, env, sink) {
  const type = Types.struct({ word: Types.string(), count: Types.int(), at: Types.timestamp() });
  env
    .fromGenerator((i) => ({ word: `word${i % 97}`, count: 1, at: i }), { count: RECORDS, type })
    .assignTimestampsAndWatermarks(times(rest))
    .keyBy((record) => record.word)
    .window(TumblingEventTimeWindows.of("5 s"))
    .reduce((a, b) => ({ ...a, count: a.count + b.count }))
    .sinkTo(sink);
}

/** Numbers, flat-mapped, keyed by boolean, a process function with value state. */
function parity({ Types, valueState }, env, sink) {
  const total = valueState("total", Types.double());
  env
    .fromSequence(1, RECORDS)
    .flatMap(
      (number, out) => {
        out.collect(number);
        out.collect(-number);
      },
      { returns: Types.double() },
    )
    .keyBy((number) => number % 2 === 0, Types.boolean())
    .process(() => {
      let state;
      return {
        open: (context) => void (state = context.getState(total)),
        processElement(number, _context, out) {
          state.update((state.value() ?? 0) + number);
          out.collect({ count: 1, number });
        },
      };
    })
    .map((result) => ({ count: result.count, half: result.number / 2 }))
    .sinkTo(sink);
}

/** Undeclared records, composite keys, list state, event-time timers. */
function sessions({ Types, ...rest }, env, sink) {
  env
    .fromGenerator((i) => ({ user: i % 500, page: `p${i % 7}`, at: i * 20 }), { count: RECORDS })
    .assignTimestampsAndWatermarks(times(rest))
    .filter((view) => view.page !== "p9")
    .keyBy((view) => view.user, Types.int())
    .window(rest.EventTimeSessionWindows.withGap("3 s"))
    .process(() => ({
      process: (_user, _context, views, out) => out.collect({ count: [...views].length }),
    }))
    .sinkTo(sink);
}

/** Two streams of different records, joined by key in map state. */
function pairs({ Types, mapState }, env, sink) {
  const left = env
    .fromGenerator((i) => ({ id: `k${i % 300}`, left: i }), { count: RECORDS / 2 })
    .keyBy((record) => record.id, Types.string());
  const right = env
    .fromGenerator((i) => ({ key: `k${i % 300}`, right: i / 2 }), { count: RECORDS / 2 })
    .keyBy((record) => record.key, Types.string());
  left
    .connect(right)
    .process(() => {
      let seen;
      return {
        open: (context) =>
          void (seen = context.getMapState(mapState("seen", Types.string(), Types.int()))),
        processElement1: (record, _context, out) => {
          seen.put("left", record.left);
          out.collect({ count: 1, left: record.left });
        },
        processElement2: (record, _context, out) => {
          seen.put("right", 1);
          out.collect({ count: 1, right: record.right });
        },
      };
    })
    .sinkTo(sink);
}

/** Tuples as arrays, rebalanced, sliding windows, an aggregate with objects. */
function slides({ Types, SlidingEventTimeWindows, WatermarkStrategy }, env, sink) {
  env
    .fromGenerator((i) => [i % 40, `v${i}`, i * 2], { count: RECORDS / 2 })
    .rebalance()
    .assignTimestampsAndWatermarks(
      WatermarkStrategy.forMonotonousTimestamps().withTimestampAssigner((tuple) => tuple[2]),
    )
    .keyBy((tuple) => tuple[0], Types.long())
    .window(SlidingEventTimeWindows.of("2 s", "1 s"))
    .aggregate({
      createAccumulator: () => ({ names: [], n: 0 }),
      add: ([, name], held) => ({ names: [name], n: held.n + 1 }),
      getResult: (held) => held.n / 2,
      merge: (a, b) => ({ names: b.names, n: a.n + b.n }),
    })
    .sinkTo(sink);
}

/** A union with maps to other shapes, keyed by double, rolling aggregate. */
function unions({ Types }, env, sink) {
  const a = env.fromSequence(1, RECORDS / 2).map((n) => ({ id: n % 11, a: n }));
  const b = env.fromSequence(1, RECORDS / 2).map((n) => ({ b: `${n % 5}`, id: n % 13 }));
  a.union(b)
    .filter((record) => record.id >= 0)
    .map((record) => ({ id: record.id / 2, weight: 1 }))
    .keyBy((record) => record.id, Types.double())
    .aggregate(
      {
        createAccumulator: () => 0,
        add: (record, held) => held + record.weight,
        getResult: (held) => ({ count: 1, total: held }),
        merge: (x, y) => x + y,
      },
      { accumulator: Types.double() },
    )
    .filter((result) => result.total > 0)
    .sinkTo(sink);
}

const PIPELINES = [
  ["words", words, RECORDS],
  ["parity", parity, 2 * RECORDS],
  ["sessions", sessions, RECORDS],
  ["pairs", pairs, RECORDS],
  ["slides", slides, RECORDS / 2],
  ["unions", unions, RECORDS],
];
