import { defineJob } from "../../../api/index.ts";
import { fileSink, fileSource, ndjson } from "../../../connectors/index.ts";
import { EventTimeSessionWindows, outputTag, WatermarkStrategy } from "../../../operators/index.ts";
import { type Of, Types } from "../../../serde/index.ts";
import type { SimulatedJob } from "../simulation.ts";

const Reading = Types.struct({
  at: Types.timestamp(),
  sensor: Types.string(),
  value: Types.double(),
});

/** Rows out of order, and some far too late. */
function readings(count: number): readonly { at: number; sensor: string; value: number }[] {
  return Array.from({ length: count }, (_, index) => ({
    at: index * 10 + ((index * 7919) % 40) - (index % 97 === 0 ? 900 : 0),
    sensor: `s${(index * 31) % 7}`,
    value: index,
  }));
}

/** Files in, session windows, late records aside, files out. */
export function sessionJob(count = 1500): SimulatedJob {
  const late = outputTag("late", Reading);
  const definition = defineJob("sessions", (env) => {
    const sessions = env
      .fromSource(
        fileSource("/in/*.ndjson", ndjson(Reading)),
        WatermarkStrategy.forBoundedOutOfOrderness<Of<typeof Reading>>("50 ms")
          .withTimestampAssigner((reading) => reading.at)
          .punctuated(),
      )
      .uid("readings")
      .setParallelism(1)
      .keyBy((reading) => reading.sensor)
      .window(EventTimeSessionWindows.withGap("60 ms"))
      .sideOutputLateData(late)
      .aggregate({
        createAccumulator: () => ({ count: 0, sum: 0 }),
        add: (reading, held) => ({ count: held.count + 1, sum: held.sum + reading.value }),
        getResult: (held) => held,
        merge: (a, b) => ({ count: a.count + b.count, sum: a.sum + b.sum }),
      })
      .uid("sessions");
    sessions.sinkTo(fileSink("/out/sessions", ndjson())).uid("sessions-out");
    sessions
      .getSideOutput(late)
      .sinkTo(fileSink("/out/late", ndjson(Reading)))
      .uid("late-out");
  });
  return {
    build: (configuration) => definition.build(configuration),
    prepare(disk) {
      const lines = readings(count).map((reading) => JSON.stringify(reading));
      disk.put("/in/readings.ndjson", new TextEncoder().encode(`${lines.join("\n")}\n`));
    },
    output(disk) {
      return disk
        .filesBelow("/out")
        .filter((path) => /\/part-/.test(path))
        .flatMap((path) => {
          const folder = path.split("/")[2];
          const text = new TextDecoder().decode(disk.read(path));
          return text
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => `${folder} ${line}`);
        });
    },
  };
}
