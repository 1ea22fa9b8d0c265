// One end of an exchange between two threads, for bench/slots.mjs: sends or takes so many records of six fields and tells its own CPU time.
import { parentPort, workerData } from "node:worker_threads";

import { cpuMs } from "./measure.mjs";

const { side, transport, count, batchSize, memory, bell, port, loader } = workerData;
const { registerJobLoader } = await import(loader);
registerJobLoader();
const { RingReader, RingWriter } = await import("../src/runtime/exchange/ring/ring-channel.ts");
const { SlotPort } = await import("../src/runtime/exchange/ring/slot-port.ts");
const { Types } = await import("../src/serde/index.ts");

const Bid = Types.struct({
  auction: Types.int(),
  bidder: Types.int(),
  price: Types.double(),
  channel: Types.string(),
  url: Types.string(),
  dateTime: Types.timestamp(),
});
const limits = { batchSize, capacityRecords: batchSize * 4, capacityBatches: 16 };
const words = new Int32Array(bell);
const slots = new SlotPort({
  ring(slot) {
    Atomics.add(words, slot, 1);
    Atomics.notify(words, slot);
  },
});
const codec = { type: Bid, keyType: Types.int(), edgeName: "bench" };
const CHANNELS = ["Apple", "Google", "Facebook", "Baidu"];
const URLS = Array.from(
  { length: 1024 },
  (_, at) => `https://www.nexmark.com/item.htm?query=1&channel_id=${1e9 + at}${"x".repeat(10)}`,
);
/** Hot records, as a source has just made them. */
const pool = Array.from({ length: 8192 }, (_, at) => ({
  auction: at % 1000,
  bidder: at % 777,
  price: at * 1.5,
  channel: CHANNELS[at % 4],
  url: URLS[at % 1024],
  dateTime: 1_700_000_000_000 + at,
}));

/** Sleeps until the other end rings; blocks, for there is nothing else in this thread. */
function sleep(slot, seen) {
  Atomics.wait(words, slot, seen, 100);
}

async function sendRing() {
  const writer = new RingWriter({ memory, codec, limits, port: slots, peerSlot: 1 });
  let sent = 0;
  while (sent < count) {
    const seen = Atomics.load(words, 0);
    if (!writer.hasRoom()) {
      sleep(0, seen);
      continue;
    }
    const batch = writer.newBatch();
    for (let at = 0; at < batchSize; at++) {
      const record = pool[(sent + at) & 8191];
      batch.values[at] = record;
      batch.timestamps[at] = record.dateTime;
      batch.keys[at] = record.auction;
      batch.hashes[at] = record.auction;
    }
    batch.length = batchSize;
    writer.sendBatch(batch);
    sent += batchSize;
  }
  while (!writer.hasRoom()) sleep(0, Atomics.load(words, 0));
}

async function takeRing() {
  const reader = new RingReader({ memory, codec, limits, port: slots, peerSlot: 0 });
  let sum = 0;
  for (let taken = 0; taken < count;) {
    const seen = Atomics.load(words, 1);
    const batch = reader.peek();
    if (batch === undefined) {
      sleep(1, seen);
      continue;
    }
    for (let at = 0; at < batch.length; at++) sum += batch.values[at].price;
    taken += batch.length;
    reader.drop();
    reader.recycle(batch);
  }
  return sum;
}

async function sendMessages() {
  let sent = 0;
  let open = 0;
  let go = () => undefined;
  port.on("message", () => {
    open--;
    go();
  });
  while (sent < count) {
    if (open >= 16) await new Promise((resolve) => (go = resolve));
    port.postMessage(transport === "postMessage" ? objectsAt(sent) : batchAt(sent));
    open++;
    sent += batchSize;
  }
  await new Promise((resolve) => (go = () => open === 0 && resolve()));
  port.close();
}

/** What a program without an engine would send. */
function objectsAt(sent) {
  const objects = [];
  for (let at = 0; at < batchSize; at++) objects.push(pool[(sent + at) & 8191]);
  return objects;
}

/** All that goes through a ring. */
function batchAt(sent) {
  const values = objectsAt(sent);
  return {
    values,
    timestamps: Float64Array.from(values, ({ dateTime }) => dateTime),
    keys: values.map(({ auction }) => auction),
    hashes: Int32Array.from(values, ({ auction }) => auction),
  };
}

function takeMessages() {
  return new Promise((resolve) => {
    let taken = 0;
    let sum = 0;
    port.on("message", (batch) => {
      const values = Array.isArray(batch) ? batch : batch.values;
      for (const record of values) sum += record.price;
      taken += values.length;
      port.postMessage(0);
      if (taken >= count) {
        resolve(sum);
        port.close();
      }
    });
  });
}

const run =
  transport === "ring"
    ? side === "send"
      ? sendRing
      : takeRing
    : side === "send"
      ? sendMessages
      : takeMessages;
parentPort.postMessage("ready");
parentPort.once("message", async () => {
  const startMs = cpuMs();
  await run();
  parentPort.postMessage({ side, cpuMs: cpuMs() - startMs });
  parentPort.close();
});
