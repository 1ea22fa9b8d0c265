// A keyed count per minute of the same events by what an npm user would pick, beside the hand loop and the engine. No peer keeps state in checkpoints.
//   npm ci && node peers.mjs [<folder of the built package>]
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

import { count, groupBy, map, mergeMap, Observable, takeWhile } from "rxjs";

import { bidMaker, bids } from "../events.mjs";
import { tumblingLoop, WINDOW_MS } from "../hand-loops.mjs";
import { check, cpuOf, shown, spread } from "../measure.mjs";
import { measureThroughput, THROUGHPUT_ROWS } from "../pipelines.mjs";

const COUNT = 400_000;
const KEYS = 1_000;
const dist = process.argv[2] ?? fileURLToPath(new URL("../../dist/", import.meta.url));

function byRxjs(events) {
  const make = bidMaker(events);
  return () =>
    new Promise((resolve, reject) => {
      let emitted = 0;
      new Observable((subscriber) => {
        for (let index = 0; index < events.count; index++) {
          const { auction, dateTime } = make(index);
          subscriber.next({ auction, window: dateTime - (dateTime % WINDOW_MS) });
        }
        subscriber.complete();
      })
        .pipe(
          takeWhile(() => true),
          groupBy((bid) => bid.window),
          mergeMap((window) =>
            window.pipe(
              groupBy((bid) => bid.auction),
              mergeMap((key) => key.pipe(count(), map((n) => ({ key: key.key, window: window.key, n })))),
            ),
          ),
        )
        .subscribe({
          next: ({ n }) => {
            emitted += n;
          },
          error: reject,
          complete: () => resolve({ emitted }),
        });
    });
}

function byNodeStreams(events) {
  const make = bidMaker(events);
  return async () => {
    let emitted = 0;
    let index = 0;
    const windows = new Map();
    const source = new Readable({
      objectMode: true,
      read() {
        while (index < events.count) {
          const { auction, dateTime } = make(index++);
          if (!this.push({ auction, dateTime })) return;
        }
        this.push(null);
      },
    });
    const counts = new Transform({
      objectMode: true,
      transform({ auction, dateTime }, _encoding, done) {
        const start = dateTime - (dateTime % WINDOW_MS);
        let window = windows.get(start);
        if (window === undefined) windows.set(start, (window = new Map()));
        window.set(auction, (window.get(auction) ?? 0) + 1);
        done();
      },
      flush(done) {
        for (const [start, window] of windows) for (const [key, n] of window) this.push({ key, start, n });
        done();
      },
    });
    const sink = new Writable({
      objectMode: true,
      write({ n }, _encoding, done) {
        emitted += n;
        done();
      },
    });
    await pipeline(source, counts, sink);
    return { emitted };
  };
}

/** Counts by key only: it has no windows by event time. Fed without a broker. */
async function byKafkaStreams(events) {
  const { KafkaStreams } = await import("kafka-streams").then((module) => module.default);
  const make = bidMaker(events);
  return async () => {
    const factory = new KafkaStreams({ noptions: { "metadata.broker.list": "none", "group.id": "bench" } });
    const stream = factory.getKStream(null);
    let emitted = 0;
    stream.map((bid) => ({ key: bid.auction, value: 1 })).countByKey("key", "count").forEach(() => {
      emitted++;
    });
    for (let index = 0; index < events.count; index++) {
      const { auction, dateTime } = make(index);
      stream.writeToStream({ auction, dateTime });
    }
    const deadline = Date.now() + 60_000;
    while (emitted < events.count && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 1));
    return { emitted };
  };
}

async function measure(name, run, records, repetitions = 3) {
  const rates = [];
  for (let repetition = -1; repetition < repetitions; repetition++) {
    const { cpuMs, result } = await cpuOf(run);
    check(`${name}: records`, result.emitted, records);
    if (repetition >= 0) rates.push(records / cpuMs / 1000);
  }
  return spread(rates);
}

const events = bids(COUNT, KEYS);
const cutwater = await import(pathToFileURL(`${dist}/index.js`).href);
const row = THROUGHPUT_ROWS.find(({ name, keys }) => name === "tumbling" && keys === KEYS);
const { engine } = await measureThroughput(cutwater, row);
const hand = await measure("hand loop", tumblingLoop(events), COUNT, 7);
console.log(`keyed count per minute, ${KEYS / 1000}k keys, M events/s of CPU time`);
console.log(`  hand loop     ${shown(hand, 1, 2)}`);
console.log(`  cutwater      ${shown(engine, 1, 2)}`);
for (const [name, make, records] of [
  ["Node streams", byNodeStreams, COUNT],
  ["RxJS", byRxjs, COUNT],
  ["kafka-streams", byKafkaStreams, 50_000],
]) {
  try {
    const rate = await measure(name, await make(records === COUNT ? events : bids(records, KEYS)), records);
    console.log(`  ${name.padEnd(13)} ${shown(rate, 1, 2)}: cutwater is ${(engine.median / rate.median).toFixed(0)} times as fast`);
  } catch (error) {
    console.log(`  ${name.padEnd(13)} not measured: ${error instanceof Error ? error.message : error}`);
  }
}
process.exit(0);
