import { defineJob } from "../../../api/index.ts";
import { fileSource, ndjson } from "../../../connectors/index.ts";
import { TumblingEventTimeWindows, WatermarkStrategy } from "../../../operators/index.ts";
import { type Of, Types } from "../../../serde/index.ts";
import type { SimulatedJob } from "../simulation.ts";
import { collectingJob } from "./collecting-job.ts";
import { sessionJob } from "./session-job.ts";

const Reading = Types.struct({
  at: Types.timestamp(),
  sensor: Types.string(),
  value: Types.double(),
});

/** Files in, tumbling windows that are folded before and after the exchange. */
export function preAggregatedJob(count = 1500): SimulatedJob {
  const inFiles = sessionJob(count);
  const job = collectingJob((sink) =>
    defineJob("pre-aggregated", (env) => {
      env
        .fromSource(
          fileSource("/in/*.ndjson", ndjson(Reading)),
          WatermarkStrategy.forBoundedOutOfOrderness<Of<typeof Reading>>("1 s")
            .withTimestampAssigner((reading) => reading.at)
            .punctuated(),
        )
        .uid("readings")
        .setParallelism(1)
        .keyBy((reading) => reading.sensor, Types.string())
        .window(TumblingEventTimeWindows.of("300 ms"))
        .preAggregate()
        .aggregate(
          {
            createAccumulator: () => ({ count: 0, sum: 0 }),
            add: (reading, held) => ({ count: held.count + 1, sum: held.sum + reading.value }),
            getResult: (held) => held,
            merge: (a, b) => ({ count: a.count + b.count, sum: a.sum + b.sum }),
          },
          (sensor, { start }, held) => JSON.stringify([sensor, start, held]),
        )
        .uid("sums")
        .sinkTo(sink)
        .uid("sink");
    }),
  );
  return { ...job, prepare: (disk) => inFiles.prepare?.(disk) };
}
