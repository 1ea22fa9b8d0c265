/**
 * Late data: tumbling windows that are updated while lateness allows, and a side output for what comes after that.
 */
import { deepStrictEqual } from "node:assert/strict";

import {
  defineJob,
  fileSink,
  ndjson,
  outputTag,
  readRecords,
  Types,
  TumblingEventTimeWindows,
  WatermarkStrategy,
} from "cutwater";

const Reading = Types.struct({
  sensor: Types.string(),
  at: Types.timestamp(),
  value: Types.double(),
});

const readings = [
  { sensor: "a", at: 1_000, value: 1 },
  { sensor: "a", at: 9_000, value: 2 },
  { sensor: "a", at: 12_000, value: 3 }, // the watermark is at 11,999: the window [0, 10,000) has fired
  { sensor: "a", at: 8_000, value: 4 }, // late, but within 5 s: fires again with the whole window
  { sensor: "a", at: 16_000, value: 5 }, // the watermark is at 15,999: the window is given up
  { sensor: "a", at: 7_000, value: 6 }, // too late
];

const Sum = Types.struct({ end: Types.long(), sum: Types.double() });
const late = outputTag("late", Reading);

export default defineJob("late-data", (env) => {
  const windows = env
    .fromCollection(readings, Reading)
    .uid("readings")
    .assignTimestampsAndWatermarks(
      WatermarkStrategy.forMonotonousTimestamps<(typeof readings)[number]>()
        .punctuated()
        .withTimestampAssigner((reading) => reading.at),
    )
    .setParallelism(1)
    .keyBy((reading) => reading.sensor)
    .window(TumblingEventTimeWindows.of("10 s"))
    .allowedLateness("5 s")
    .sideOutputLateData(late)
    .reduce(
      (a, b) => ({ ...b, value: a.value + b.value }),
      (_sensor, window, total) => ({ end: window.end, sum: total.value }),
    )
    .uid("sums");
  windows.sinkTo(fileSink("out/late-data/sums", ndjson(Sum), { existing: "overwrite" }));
  windows
    .getSideOutput(late)
    .sinkTo(fileSink("out/late-data/too-late", ndjson(Reading), { existing: "overwrite" }));
});

export async function check(): Promise<string> {
  const sums = await readRecords("out/late-data/sums", ndjson(Sum));
  const tooLate = await readRecords("out/late-data/too-late", ndjson(Reading));
  deepStrictEqual(sums, [
    { end: 10_000, sum: 3 },
    { end: 10_000, sum: 7 },
    { end: 20_000, sum: 8 },
  ]);
  deepStrictEqual(tooLate, [{ sensor: "a", at: 7_000, value: 6 }]);
  return `${sums.length} results, ${tooLate.length} reading too late.`;
}
