/**
 * Bursts of departures: for each airport, session windows over real flights, with late rows in a side output.
 *
 * npm start                            the whole file at once
 * npm start -- -- --rate 500           500 rows a second, to watch it, or to kill it and start it again
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import {
  type AggregateFunction,
  defineJob,
  EventTimeSessionWindows,
  fileSink,
  fileSource,
  ndjson,
  type Of,
  outputTag,
  readRecords,
  Types,
  WatermarkStrategy,
} from "cutwater";

const Flight = Types.struct({
  departure: Types.timestamp(),
  delayMinutes: Types.int(),
  distanceMiles: Types.int(),
  origin: Types.string(),
  destination: Types.string(),
});
type Flight = Of<typeof Flight>;

const Delays = Types.struct({
  count: Types.int(),
  sumMinutes: Types.int(),
  worstMinutes: Types.int(),
});
type Delays = Of<typeof Delays>;

const Burst = Types.struct({
  airport: Types.string(),
  start: Types.timestamp(),
  end: Types.timestamp(),
  count: Types.int(),
  meanDelayMinutes: Types.double(),
  worstDelayMinutes: Types.int(),
});
type Burst = Of<typeof Burst>;

const delays: AggregateFunction<Flight, Delays, Delays> = {
  createAccumulator: () => ({
    count: 0,
    sumMinutes: 0,
    worstMinutes: -2_147_483_648,
  }),
  add: (flight, sum) => ({
    count: sum.count + 1,
    sumMinutes: sum.sumMinutes + flight.delayMinutes,
    worstMinutes: Math.max(sum.worstMinutes, flight.delayMinutes),
  }),
  getResult: (sum) => sum,
  merge: (a, b) => ({
    count: a.count + b.count,
    sumMinutes: a.sumMinutes + b.sumMinutes,
    worstMinutes: Math.max(a.worstMinutes, b.worstMinutes),
  }),
};

const data = fileURLToPath(new URL("../data/flights.ndjson", import.meta.url));
const late = outputTag("late", Flight);

export default defineJob("departure-bursts", (env, args) => {
  const { values } = parseArgs({
    args: [...args],
    options: { rate: { type: "string" }, out: { type: "string" } },
  });
  const out = values.out ?? "out/flights";
  const rate = values.rate === undefined ? {} : { recordsPerSecond: Number(values.rate) };
  const bursts = env
    .fromSource(
      fileSource(data, ndjson(Flight), rate),
      // The rows lie in the order in which they were reported; one that comes more than 30 minutes late is late.
      WatermarkStrategy.forBoundedOutOfOrderness("30 min")
        .punctuated()
        .withTimestampAssigner((flight: Flight) => flight.departure),
    )
    .setParallelism(1)
    .uid("flights")
    .keyBy((flight) => flight.origin)
    .window(EventTimeSessionWindows.withGap("10 min"))
    .sideOutputLateData(late)
    .aggregate(
      delays,
      (airport, window, sum) => ({
        airport,
        start: window.start,
        end: window.end,
        count: sum.count,
        meanDelayMinutes: Math.round((100 * sum.sumMinutes) / sum.count) / 100,
        worstDelayMinutes: sum.worstMinutes,
      }),
      { accumulator: Delays, returns: Burst },
    )
    .uid("bursts");
  bursts
    .sinkTo(fileSink(`${out}/bursts`, ndjson(Burst), { existing: "overwrite" }))
    .uid("bursts-out");
  bursts
    .getSideOutput(late)
    .sinkTo(fileSink(`${out}/late`, ndjson(Flight), { existing: "overwrite" }))
    .uid("late-out");
});

/** Run after the job: nothing is lost, nothing is counted twice, and the busiest burst is known. */
export async function check(args: readonly string[]): Promise<string> {
  const { values } = parseArgs({
    args: [...args],
    options: { rate: { type: "string" }, out: { type: "string" } },
  });
  const out = values.out ?? "out/flights";
  const bursts = await readRecords<Burst>(`${out}/bursts`, ndjson(Burst));
  const lateFlights = await readRecords<Flight>(`${out}/late`, ndjson(Flight));
  const counted = bursts.reduce((sum, burst) => sum + burst.count, 0);
  strictEqual(counted + lateFlights.length, 20_000, "each flight is in one burst or is late");
  const busiest = bursts.toSorted((a, b) => b.count - a.count || a.start - b.start)[0];
  ok(busiest !== undefined, "there is a burst");
  deepStrictEqual([busiest.airport, busiest.count], ["DFW", 6]);
  const minutes = (busiest.end - busiest.start) / 60_000;
  return [
    `${bursts.length} bursts hold ${counted} flights; ${lateFlights.length} were late.`,
    `The largest: ${busiest.count} departures from ${busiest.airport} in ${minutes} minutes, mean delay ${busiest.meanDelayMinutes} minutes.`,
    `Written to ${out}/bursts and ${out}/late.`,
  ].join("\n");
}
