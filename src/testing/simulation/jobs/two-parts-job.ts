import { defineJob } from "../../../api/index.ts";
import { Types } from "../../../serde/index.ts";
import type { SimulatedJob } from "../simulation.ts";
import { collectingJob } from "./collecting-job.ts";

/** Two parts without a channel between them: what fails in one lets the other go on. */
export function twoPartsJob(): SimulatedJob {
  return collectingJob((sink) =>
    defineJob("two-parts", (env) => {
      for (const part of ["left", "right"]) {
        env
          .fromSequence(0, 499)
          .uid(`${part}-numbers`)
          .setParallelism(2)
          .slotSharingGroup(part)
          .rebalance()
          .map((value) => value * 7)
          .uid(`${part}-map`)
          .keyBy((value) => value % 10, Types.int())
          .aggregate({
            createAccumulator: () => 0,
            add: (_value: number, count: number) => count + 1,
            getResult: (count) => `${part} ${count}`,
            merge: (a, b) => a + b,
          })
          .uid(`${part}-counts`)
          .sinkTo(sink)
          .uid(`${part}-sink`);
      }
    }),
  );
}
