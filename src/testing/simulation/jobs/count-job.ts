import { defineJob } from "../../../api/index.ts";
import { Types } from "../../../serde/index.ts";
import type { SimulatedJob } from "../simulation.ts";
import { collectingJob } from "./collecting-job.ts";

/** Rebalance, then keyed counts: barriers meet at every task. */
export function countJob(): SimulatedJob {
  return collectingJob((sink) =>
    defineJob("count", (env) => {
      env
        .fromSequence(0, 1999)
        .uid("numbers")
        .setParallelism(2)
        .rebalance()
        .map((value) => value * 7)
        .keyBy((value) => value % 10, Types.int())
        .aggregate({
          createAccumulator: () => 0,
          add: (_value: number, count: number) => count + 1,
          getResult: (count) => String(count),
          merge: (a, b) => a + b,
        })
        .uid("counts")
        .sinkTo(sink)
        .uid("sink");
    }),
  );
}
