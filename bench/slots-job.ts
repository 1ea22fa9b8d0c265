import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { defineJob, TumblingEventTimeWindows, Types, WatermarkStrategy } from "cutwater";
import type { Sink } from "cutwater";

/** Jobs that bench/slots.mjs runs. Arguments: which one, a folder to write into, number of records, number of keys. */

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
    if (kind === "count") {
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
