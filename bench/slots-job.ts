import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  defineJob,
  fileSource,
  ndjson,
  TumblingEventTimeWindows,
  Types,
  WatermarkStrategy,
} from "cutwater";
import type { DataStream, Of, Sink } from "cutwater";

/** Jobs that bench/slots.mjs runs. Arguments: which one, a folder to write into, number of records, number of keys. */

const Bid = Types.struct({
  auction: Types.int(),
  bidder: Types.int(),
  price: Types.double(),
  channel: Types.string(),
  url: Types.string(),
  dateTime: Types.timestamp(),
});
type Bid = Of<typeof Bid>;

/** What the count of bids needs of them. */
const Key = Types.struct({ auction: Types.int() });

const CHANNELS = ["Apple", "Google", "Facebook", "Baidu"] as const;
const URLS = Array.from(
  { length: 1024 },
  (_, at) => `https://www.nexmark.com/item.htm?query=1&channel_id=${1e9 + at}${"x".repeat(10)}`,
);

const counting = {
  createAccumulator: () => 0,
  add: (_value: unknown, count: number) => count + 1,
  getResult: (count: number) => count,
  merge: (a: number, b: number) => a + b,
};

const inBidTime = WatermarkStrategy.forMonotonousTimestamps<Bid>()
  .withTimestampAssigner(({ dateTime }) => dateTime)
  .withIdleness("1 min");

/** Bids per auction and minute, one record a millisecond: as they are, only what is counted, or folded before the exchange. */
function countBids(kind: string, timed: DataStream<Bid>): void {
  const isFolded = kind.endsWith("pre-aggregated");
  if (!kind.endsWith("projected")) return count(timed, isFolded);
  count(timed.map(({ auction }) => ({ auction }), { returns: Key }).uid("projected"), isFolded);
}

function count<T extends { readonly auction: number }>(
  bids: DataStream<T>,
  isFolded: boolean,
): void {
  const windows = bids
    .keyBy(({ auction }) => auction, Types.int())
    .window(TumblingEventTimeWindows.of("1 min"));
  (isFolded ? windows.preAggregate() : windows)
    .aggregate(counting, undefined, { accumulator: Types.int() })
    .uid("counts")
    .sinkTo(nothing)
    .uid("sink");
}

const Event = Types.struct({ key: Types.int(), number: Types.int(), sentAtNs: Types.double() });

/** Nanoseconds on a clock that all threads of the process share. */
const nowNs = () => Number(process.hrtime.bigint());

/** Keeps how long records were under way, and writes it down when it closes. */
function delaySink(folder: string): Sink<{ readonly sentAtNs: number }> {
  return {
    name: "delays",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter({ subtaskIndex }) {
      const delaysNs: number[] = [];
      return {
        write: ({ sentAtNs }) => void delaysNs.push(nowNs() - sentAtNs),
        prepareCommit: () => ({ committables: [], durable: undefined }),
        close: () =>
          writeFileSync(join(folder, `delays-${subtaskIndex}`), JSON.stringify(delaysNs)),
      };
    },
  };
}

/** Takes everything and does nothing. */
const nothing: Sink<unknown> = {
  name: "nothing",
  writerStateSerializer: undefined,
  committableSerializer: undefined,
  createWriter: () => ({
    write() {},
    prepareCommit: () => ({ committables: [], durable: undefined }),
    close() {},
  }),
};

export default defineJob(
  "slots-bench",
  (env, [kind = "count", folder = ".", count = "1000", keys = "1000"]) => {
    const keyCount = Number(keys);
    const events = (recordsPerSecond?: number, unbounded = false) =>
      env.fromGenerator((number) => ({ key: number % keyCount, number, sentAtNs: 0 }), {
        ...(unbounded ? {} : { count: Number(count) }),
        ...(recordsPerSecond === undefined ? {} : { recordsPerSecond }),
        type: Event,
      });
    if (kind.startsWith("bids")) {
      const bid = (number: number): Bid => ({
        auction: number % keyCount,
        bidder: number % 777,
        price: number * 1.5,
        channel: CHANNELS[number & 3] ?? "",
        url: URLS[number & 1023] ?? "",
        dateTime: 1_700_000_000_000 + number,
      });
      const bids = env.fromGenerator(bid, { count: Number(count), type: Bid }).uid("bids");
      countBids(kind, bids.assignTimestampsAndWatermarks(inBidTime).uid("times"));
    } else if (kind.startsWith("file")) {
      // What the bench has written: the argument in place of the count.
      countBids(kind, env.fromSource(fileSource(count, ndjson(Bid)), inBidTime).uid("bids"));
    } else if (kind === "count") {
      events()
        .uid("events")
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forMonotonousTimestamps<{ readonly number: number }>()
            .withTimestampAssigner(({ number }) => number)
            .withIdleness("1 min"),
        )
        .uid("times")
        .keyBy(({ key }) => key, Types.int())
        .window(TumblingEventTimeWindows.of("1 min"))
        .reduce((a, b) => ({ ...a, number: a.number + b.number }))
        .uid("sums")
        .sinkTo(nothing)
        .uid("sink");
    } else if (kind === "latency") {
      events(1000)
        .setParallelism(1)
        .uid("events")
        .map((event) => ({ ...event, sentAtNs: nowNs() }), { returns: Event })
        .setParallelism(1)
        .uid("stamp")
        .rebalance()
        .sinkTo(delaySink(folder))
        .uid("sink");
    } else if (kind === "state") {
      const first = { isMade: false };
      events(undefined, true)
        .uid("events")
        .keyBy(({ key }) => key, Types.int())
        .reduce((a, b) => ({ ...a, number: a.number + b.number }))
        .uid("sums")
        .filter(() => {
          const marker = join(folder, "lost");
          if (!first.isMade && existsSync(marker)) {
            first.isMade = true;
            writeFileSync(join(folder, `first-${nowNs()}`), "");
          }
          return true;
        })
        .uid("first")
        .sinkTo(nothing)
        .uid("sink");
    } else {
      env
        .fromGenerator((number) => number, { recordsPerSecond: 0.001, type: Types.int() })
        .uid("quiet")
        .rebalance()
        .sinkTo(nothing)
        .uid("sink");
    }
  },
);
