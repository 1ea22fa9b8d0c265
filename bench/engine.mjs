// The engine beside hand-written loops, in one process, on the built package:
//   node --expose-gc bench/engine.mjs [--dist <folder>] [--no-pollution] [chain|tumbling|session]...
import { fileURLToPath, pathToFileURL } from "node:url";

import { bidMaker, bids } from "./events.mjs";
import {
  HAND_LOOPS,
  GAP_MS,
  PUBLISHED,
  WATERMARK_DELAY_MS,
  WATERMARK_EVERY,
  WINDOW_MS,
} from "./hand-loops.mjs";
import { check, cpuOf, shown, spread } from "./measure.mjs";
import { pollute } from "./pollute.mjs";

const args = process.argv.slice(2);
const distAt = args.indexOf("--dist");
const dist =
  distAt < 0
    ? fileURLToPath(new URL("../dist/", import.meta.url))
    : `${args.splice(distAt, 2)[1]}/`;
const noPollutionAt = args.indexOf("--no-pollution");
if (noPollutionAt >= 0) args.splice(noPollutionAt, 1);
const cutwater = await import(pathToFileURL(`${dist}index.js`).href);
const { Types } = cutwater;

/** Rows: name, hand loop, keys, events, the pipeline. */
const ROWS = [
  ["chain", "chain", 1_000, 4_000_000, chain],
  ["tumbling", "tumbling", 1_000, 4_000_000, tumbling],
  ["tumbling", "tumbling", 100_000, 4_000_000, tumbling],
  ["session", "session", 1_000, 400_000, session],
];

function summingSink(seen) {
  return {
    name: "Sum Sink",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter: () => ({
      write(value) {
        seen.emitted++;
        seen.checksum += value;
      },
      prepareCommit: () => ({ committables: [], durable: undefined }),
      close() {},
    }),
  };
}

function chain(env, source, seen) {
  env
    .fromSource(source)
    .filter((bid) => bid.price >= 100_000)
    .map((bid) => ({ auction: bid.auction, price: bid.price * 0.908, at: bid.dateTime }))
    .keyBy((mapped) => mapped.auction, Types.int())
    .aggregate(
      {
        createAccumulator: () => ({ count: 0, sum: 0 }),
        add: (mapped, held) => ({ count: held.count + 1, sum: held.sum + mapped.price }),
        getResult: (held) => held.sum / held.count,
        merge: (a, b) => ({ count: a.count + b.count, sum: a.sum + b.sum }),
      },
      { accumulator: Types.struct({ count: Types.long(), sum: Types.double() }) },
    )
    .sinkTo(summingSink(seen));
}

/** Watermarks as the hand loops have them: every so many events. */
function everySoManyEvents() {
  return cutwater.WatermarkStrategy.forGenerator(() => {
    let highest = cutwater.MIN_TIMESTAMP;
    let events = 0;
    return {
      onEvent(_bid, timestamp, output) {
        if (timestamp > highest) highest = timestamp;
        if (++events === WATERMARK_EVERY) {
          events = 0;
          output.emitWatermark(highest - WATERMARK_DELAY_MS - 1);
        }
      },
      onPeriodicEmit() {},
    };
  }).withTimestampAssigner((bid) => bid.dateTime);
}

function windowSink(seen) {
  return {
    name: "Window Sink",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter: () => ({
      write({ key, count, extra }) {
        seen.emitted += count;
        seen.checksum += key ^ (count + extra);
      },
      prepareCommit: () => ({ committables: [], durable: undefined }),
      close() {},
    }),
  };
}

const COUNT = {
  createAccumulator: () => 0,
  add: (_bid, count) => count + 1,
  getResult: (count) => count,
  merge: (a, b) => a + b,
};

function tumbling(env, source, seen) {
  env
    .fromSource(source, everySoManyEvents())
    .keyBy((bid) => bid.auction, Types.int())
    .window(cutwater.TumblingEventTimeWindows.of("1 min"))
    .aggregate(COUNT, (key, window, count) => ({ key, count, extra: window.start / WINDOW_MS }), {
      accumulator: Types.long(),
    })
    .sinkTo(windowSink(seen));
}

function session(env, source, seen) {
  env
    .fromSource(source, everySoManyEvents())
    .keyBy((bid) => bid.auction, Types.int())
    .window(cutwater.EventTimeSessionWindows.withGap(GAP_MS))
    .aggregate(COUNT, (key, window, count) => ({ key, count, extra: window.end - window.start }), {
      accumulator: Types.long(),
    })
    .sinkTo(windowSink(seen));
}

async function measureRow([name, loop, keys, count, build]) {
  const events = bids(count, keys);
  const hand = HAND_LOOPS[loop](events);
  const seen = { emitted: 0, checksum: 0 };
  const source = cutwater.generatorSource(bidMaker(events), { count });
  const job = cutwater.defineJob(`bench-${name}-${keys}`, (env) => build(env, source, seen));
  const run = async () => {
    seen.emitted = 0;
    seen.checksum = 0;
    await cutwater.run(job, { "execution.checkpointing.interval": "0 ms" });
    return { ...seen };
  };
  const handRates = [];
  const engineRates = [];
  const ratios = [];
  for (let repetition = -2; repetition < 5; repetition++) {
    const byHand = await cpuOf(hand);
    const byEngine = await cpuOf(run);
    check(`${name}: results`, byEngine.result.emitted, byHand.result.emitted);
    check(`${name}: checksum`, byEngine.result.checksum, byHand.result.checksum);
    if (repetition < 0) continue;
    handRates.push(count / byHand.cpuMs / 1000);
    engineRates.push(count / byEngine.cpuMs / 1000);
    ratios.push(byHand.cpuMs / byEngine.cpuMs);
  }
  console.log(
    `${name} ${keys}: hand ${shown(spread(handRates), 1, 1)} M/s (published ${PUBLISHED[loop][keys]}), engine ${shown(spread(engineRates), 1, 1)} M/s, ratio ${shown(spread(ratios), 100)} %`,
  );
}

if (noPollutionAt < 0) await pollute(cutwater);
for (const row of ROWS) {
  if (args.length > 0 && !args.includes(row[0])) continue;
  await measureRow(row);
}
