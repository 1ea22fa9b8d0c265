import { defineJob } from "../../../api/index.ts";
import { Types } from "../../../serde/index.ts";
import type { SimulatedJob } from "../simulation.ts";
import { collectingJob } from "./collecting-job.ts";

/** Sources of which some end long before the others: most checkpoints are taken when tasks have finished. */
export function earlyEndJob(): SimulatedJob {
  return collectingJob((sink) =>
    defineJob("early end", (env) => {
      const first = env.fromSequence(0, 99).uid("first").setParallelism(1);
      const second = env.fromSequence(100, 399).uid("second").setParallelism(2);
      const last = env
        .fromSequence(400, 1399)
        .uid("last")
        .setParallelism(1)
        .map((value) => value);
      first
        .filter((value) => value % 3 === 0)
        .map((value) => `alone ${value}`, { returns: Types.string() })
        .sinkTo(sink)
        .uid("alone");
      first
        .union(second, last)
        .rebalance()
        .keyBy((value) => value % 7, Types.int())
        .aggregate({
          createAccumulator: () => ({ key: 0, count: 0 }),
          add: (value: number, { count }) => ({ key: value % 7, count: count + 1 }),
          getResult: ({ key, count }) => `${key}: ${count}`,
          merge: (a, b) => ({ key: a.key, count: a.count + b.count }),
        })
        .uid("counts")
        .sinkTo(sink)
        .uid("sink");
    }),
  );
}
