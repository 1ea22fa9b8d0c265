// The pipelines whose throughput is measured beside a hand-written loop. Each row has functions of its own.
import { bidMaker, bids } from "./events.mjs";
import {
  GAP_MS,
  HAND_LOOPS,
  PUBLISHED,
  WATERMARK_DELAY_MS,
  WATERMARK_EVERY,
  WINDOW_MS,
} from "./hand-loops.mjs";
import { check, cpuOf, spread } from "./measure.mjs";

/** Repetitions that count, after as many that warm up as come before 0. */
const WARM_UPS = 2;
const REPETITIONS = 7;

/** Rows of the table: their limits are percent of the hand loop. */
export const THROUGHPUT_ROWS = [
  { name: "chain", loop: "chain", keys: 1_000, count: 4_000_000, build: chain, must: 60, aim: 80 },
  {
    name: "tumbling",
    loop: "tumbling",
    keys: 1_000,
    count: 4_000_000,
    build: tumbling,
    must: 100,
    aim: 200,
  },
  {
    name: "tumbling",
    loop: "tumbling",
    keys: 100_000,
    count: 4_000_000,
    build: tumbling,
    must: 100,
    aim: 200,
  },
  {
    name: "session",
    loop: "session",
    keys: 1_000,
    count: 4_000_000,
    build: session,
    must: 80,
    aim: 130,
  },
];

/** Runs hand loop and engine in turns. No garbage is collected in between: that would throw optimised code away, as nothing does in a job that runs. */
export async function measureThroughput(cutwater, { name, loop, keys, count, build }) {
  const events = bids(count, keys);
  const hand = HAND_LOOPS[loop](events);
  const seen = { emitted: 0, checksum: 0 };
  const source = cutwater.generatorSource(bidMaker(events), { count });
  const job = cutwater.defineJob(`bench-${name}-${keys}`, (env) =>
    build(cutwater, env, source, seen),
  );
  const run = async () => {
    seen.emitted = 0;
    seen.checksum = 0;
    await cutwater.run(job, { "execution.checkpointing.interval": "0 ms" });
    return { ...seen };
  };
  const figures = { hand: [], engine: [], ratio: [] };
  for (let repetition = -WARM_UPS; repetition < REPETITIONS; repetition++) {
    const byHand = await cpuOf(hand);
    const byEngine = await cpuOf(run);
    check(`${name}: results`, byEngine.result.emitted, byHand.result.emitted);
    check(`${name}: checksum`, byEngine.result.checksum, byHand.result.checksum);
    if (repetition < 0) continue;
    figures.hand.push(count / byHand.cpuMs / 1000);
    figures.engine.push(count / byEngine.cpuMs / 1000);
    figures.ratio.push((100 * byHand.cpuMs) / byEngine.cpuMs);
  }
  return {
    hand: spread(figures.hand),
    engine: spread(figures.engine),
    ratio: spread(figures.ratio),
    published: PUBLISHED[loop][keys],
  };
}

function sink(name, write) {
  return {
    name,
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter: () => ({
      write,
      prepareCommit: () => ({ committables: [], durable: undefined }),
      close() {},
    }),
  };
}

function chain({ Types }, env, source, seen) {
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
    .sinkTo(
      sink("Sum Sink", (value) => {
        seen.emitted++;
        seen.checksum += value;
      }),
    );
}

/** Watermarks as the hand loops have them: every so many events. */
class EverySoManyEvents {
  highest = Number.MIN_SAFE_INTEGER;
  events = 0;

  onEvent(_bid, timestamp, output) {
    if (timestamp > this.highest) this.highest = timestamp;
    if (++this.events !== WATERMARK_EVERY) return;
    this.events = 0;
    output.emitWatermark(this.highest - WATERMARK_DELAY_MS - 1);
  }

  onPeriodicEmit() {}
}

function everySoManyEvents({ WatermarkStrategy }) {
  return WatermarkStrategy.forGenerator(() => new EverySoManyEvents()).withTimestampAssigner(
    (bid) => bid.dateTime,
  );
}

function tumbling(cutwater, env, source, seen) {
  const { Types, TumblingEventTimeWindows } = cutwater;
  const count = {
    createAccumulator: () => 0,
    add: (_bid, held) => held + 1,
    getResult: (held) => held,
    merge: (a, b) => a + b,
  };
  env
    .fromSource(source, everySoManyEvents(cutwater))
    .keyBy((bid) => bid.auction, Types.int())
    .window(TumblingEventTimeWindows.of(WINDOW_MS))
    .aggregate(count, (key, window, held) => ({ key, held, start: window.start }), {
      accumulator: Types.long(),
    })
    .sinkTo(
      sink("Window Sink", ({ key, held, start }) => {
        seen.emitted += held;
        seen.checksum += key ^ (held + start / WINDOW_MS);
      }),
    );
}

function session(cutwater, env, source, seen) {
  const { Types, EventTimeSessionWindows } = cutwater;
  const count = {
    createAccumulator: () => 0,
    add: (_bid, held) => held + 1,
    getResult: (held) => held,
    merge: (a, b) => a + b,
  };
  env
    .fromSource(source, everySoManyEvents(cutwater))
    .keyBy((bid) => bid.auction, Types.int())
    .window(EventTimeSessionWindows.withGap(GAP_MS))
    .aggregate(count, (key, window, held) => ({ key, held, lasted: window.end - window.start }), {
      accumulator: Types.long(),
    })
    .sinkTo(
      sink("Session Sink", ({ key, held, lasted }) => {
        seen.emitted += held;
        seen.checksum += key ^ (held + lasted);
      }),
    );
}
