// What slots on worker threads cost and give, on the built package:
//   node bench/slots.mjs [--dist <folder>] [exchange|latency|speedup|restart|idle]...
// CPU time and ratios of one run, since the machine may be busy with other work.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";

import { load, shown, spread } from "./measure.mjs";

const args = process.argv.slice(2);
const distAt = args.indexOf("--dist");
const dist =
  distAt < 0 ? fileURLToPath(new URL("../dist/", import.meta.url)) : args.splice(distAt, 2)[1];
const isWanted = (name) => args.length === 0 || args.includes(name);
const module = (path) => import(pathToFileURL(join(dist, path)).href);
const JOB = fileURLToPath(new URL("slots-job.ts", import.meta.url));

function report(name, figure, limits) {
  console.log(`${name.padEnd(58)} ${figure.padEnd(34)} ${limits}`);
}

/** Two threads, each with one end. @returns CPU milliseconds of both. */
async function exchange(transport, count, batchSize) {
  const { registerJobLoader } = await module("loader/index.js");
  registerJobLoader();
  const { allocateRings } = await import("../src/runtime/exchange/ring/shared-ring.ts");
  const [memory] = allocateRings(1, 1 << 17);
  const bell = new SharedArrayBuffer(8);
  const { port1, port2 } = new MessageChannel();
  const ends = ["send", "take"].map((side) => {
    const port = side === "send" ? port1 : port2;
    const loader = pathToFileURL(join(dist, "loader/index.js")).href;
    return new Worker(new URL("ring-end.mjs", import.meta.url), {
      workerData: { side, transport, count, batchSize, memory, bell, port, loader },
      transferList: [port],
    });
  });
  const next = (worker) =>
    new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  await Promise.all(ends.map(next));
  const results = ends.map(next);
  for (const end of ends) end.postMessage("go");
  return (await Promise.all(results)).map(({ cpuMs }) => cpuMs);
}

async function measureExchange() {
  const rates = {};
  for (const [transport, count, what] of [
    ["ring", 2_560_000, "by ring"],
    ["postMessage", 256_000, "by postMessage, the objects alone"],
    ["postMessage-batch", 256_000, "by postMessage, with time, key and hash"],
  ]) {
    const perCore = [];
    const ends = [];
    for (let round = 0; round < 4; round++) {
      const cpu = await exchange(transport, count, 128);
      if (round === 0) continue;
      perCore.push(count / (cpu[0] + cpu[1]) / 1000);
      ends.push(cpu.map((ms) => Math.round((ms * 1e6) / count)));
    }
    rates[transport] = spread(perCore);
    report(
      `six fields, batches of 128, ${what}`,
      `${shown(rates[transport], 1, 2)} M records/s per core`,
      `ns sent / taken: ${ends.map((end) => end.join("/")).join(" ")}`,
    );
  }
  const beside = (other) => (rates.ring.median / rates[other].median).toFixed(1);
  report(
    "ring beside postMessage",
    `${beside("postMessage")}x, with the same content ${beside("postMessage-batch")}x`,
    "must 6x, aim 10x; 3 M/s and 5 M/s",
  );
}

/** Starts the job with settings; the folder is gone afterwards. */
async function withJob(jobArguments, settings, body) {
  const { runAsync } = await module("index.js");
  const { loadJob } = await module("loader/index.js");
  const { nodePlatform } = await module("base/index.js");
  const { job } = await loadJob(JOB, nodePlatform().files);
  const folder = mkdtempSync(join(tmpdir(), "cutwater-bench-"));
  const [kind, ...rest] = jobArguments;
  const all = {
    "execution.checkpointing.dir": join(folder, "checkpoints"),
    "execution.checkpointing.interval": "1 h",
    ...settings,
  };
  const client = await runAsync(job, all, {
    jobModule: JOB,
    jobArguments: [kind, folder, ...rest],
    log: { log: (level, text) => process.env.DEBUG && console.log(level, text) },
  });
  try {
    return await body(client, folder);
  } finally {
    client.cancel();
    await client.result.catch(() => undefined);
    rmSync(folder, { recursive: true });
  }
}

async function measureLatency() {
  for (const [name, slots] of [
    ["one slot", 1],
    ["two slots", 2],
  ]) {
    await withJob(
      ["latency", "4000"],
      { "parallelism.default": 2, "cutwater.slots": slots },
      async (client, folder) => {
        await client.result;
        for (const subtask of [0, 1]) {
          const path = join(folder, `delays-${subtask}`);
          const delays = JSON.parse(readFileSync(path, "utf8"))
            .slice(200)
            .toSorted((a, b) => a - b);
          const at = (part) => (delays[Math.floor(delays.length * part)] / 1e6).toFixed(2);
          const where = slots === 2 && subtask === 1 ? "to another slot" : "within the slot";
          report(
            `1,000 records/s, ${name}, ${where}`,
            `p50 ${at(0.5)}, p99 ${at(0.99)} ms`,
            "must 5 ms added, aim 2 ms",
          );
        }
      },
    );
  }
}

/** Runs the job once. @returns Milliseconds of the clock and of CPU, of all threads. */
async function timeJob(jobArguments, slots) {
  const settings = { "parallelism.default": 2, "cutwater.slots": slots };
  return withJob(jobArguments, settings, async (client) => {
    const start = { cpu: process.cpuUsage(), wall: performance.now() };
    await client.result;
    const { user, system } = process.cpuUsage(start.cpu);
    return { wall: performance.now() - start.wall, cpu: (user + system) / 1000 };
  });
}

/** NDJSON of bids in two files, one for each subtask. @returns Where they are. */
function writeBids(folder, count) {
  const path = join(folder, String(count));
  mkdirSync(path);
  for (const file of [0, 1]) {
    const name = join(path, `bids-${file}.ndjson`);
    for (let at = 0; at < count / 2; at += 50_000)
      appendFileSync(name, bidLines(at, Math.min(at + 50_000, count / 2)));
  }
  return `${path}/*.ndjson`;
}

function bidLines(from, to) {
  let lines = "";
  for (let at = from; at < to; at++)
    lines += `${JSON.stringify({
      auction: (at * 7919) % 1000,
      bidder: at % 777,
      price: at * 1.5,
      channel: ["Apple", "Google", "Facebook", "Baidu"][at % 4],
      url: `https://www.nexmark.com/item.htm?query=1&channel_id=${1e9 + (at % 1024)}${"x".repeat(10)}`,
      dateTime: 1_700_000_000_000 + at,
    })}\n`;
  return lines;
}

/** Name, kind of the job, records of a short and of a long run. */
const COUNTS = [
  ["keyed windowed count, whole records of three numbers", "count", 10_000_000, 40_000_000],
  ["the same of bids, all six fields", "bids", 5_000_000, 20_000_000],
  ["the same of bids, only the key goes over", "bids-projected", 5_000_000, 20_000_000],
  ["the same of bids, preAggregate()", "bids-pre-aggregated", 10_000_000, 40_000_000],
  ["the same of bids from NDJSON files, all six fields", "file", 600_000, 2_400_000],
  ["the same of bids from NDJSON files, preAggregate()", "file-pre-aggregated", 600_000, 2_400_000],
];

/**
 * Two slots beside one. A run begins with threads that start and code that is not optimised yet, twice as much of it with two slots; so the
 * long run is told as a whole, and less the short one: the rate at which a job goes on.
 */
async function measureSpeedup() {
  const folder = mkdtempSync(join(tmpdir(), "cutwater-bids-"));
  const wanted = args.filter((name) => COUNTS.some(([, kind]) => kind === name));
  for (const [name, kind, short, long] of COUNTS) {
    if (wanted.length > 0 && !wanted.includes(kind)) continue;
    const inputOf = (count) => (kind.startsWith("file") ? writeBids(folder, count) : String(count));
    const inputs = [short, long].map(inputOf);
    const figures = {};
    for (const slots of [1, 2]) {
      const runs = [[], []];
      for (let round = 0; round < 3; round++) {
        for (const [index, input] of inputs.entries()) {
          const figure = await timeJob([kind, input, "1000"], slots);
          if (round > 0) runs[index].push(figure);
        }
      }
      const least = (index, what) => Math.min(...runs[index].map((figure) => figure[what]));
      figures[slots] = Object.fromEntries(
        ["wall", "cpu"].map((what) => [
          what,
          { whole: least(1, what), rest: least(1, what) - least(0, what) },
        ]),
      );
    }
    for (const input of inputs)
      if (kind.startsWith("file")) rmSync(dirname(input), { recursive: true });
    const [one, two] = [figures[1], figures[2]];
    const ns = (ms) => Math.round((ms * 1e6) / (long - short));
    report(
      name,
      `wall ${(one.wall.rest / two.wall.rest).toFixed(2)}x (whole run ${(one.wall.whole / two.wall.whole).toFixed(2)}x)`,
      `must 1.5x, aim 1.8x wall on an idle machine; load ${load()}; CPU ns a record ${ns(one.cpu.rest)} and ${ns(two.cpu.rest)}, at most ${((2 * one.cpu.rest) / two.cpu.rest).toFixed(2)}x`,
    );
  }
  rmSync(folder, { recursive: true });
}

async function measureRestart() {
  const workers = [];
  const { loadJob } = await module("loader/index.js");
  const { nodePlatform } = await module("base/index.js");
  await loadJob(JOB, nodePlatform().files);
  process.on("worker", (worker) => workers.push(worker));
  const settings = {
    "parallelism.default": 2,
    "cutwater.slots": 2,
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.delay": "0 ms",
  };
  await withJob(["state", "0", "1000000"], settings, async (client, folder) => {
    while (client.recordsRead() < 2_500_000)
      await new Promise((resolve) => setTimeout(resolve, 100));
    await client.job.master.coordinator.triggerCheckpoint();
    const latest = client.job.master.coordinator.latestCompleted;
    const lostNs = Number(process.hrtime.bigint());
    void workers[0].terminate();
    // By then every task of the lost attempt has ended: what writes a result is of the next one.
    while (client.job.master.restartCount === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    writeFileSync(join(folder, "lost"), "");
    let first;
    while (first === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const times = readdirSync(folder)
        .filter((name) => name.startsWith("first-"))
        .map((name) => Number(name.slice(6)));
      first =
        times.length === 0 || client.job.master.restartCount === 0 ? undefined : Math.min(...times);
    }
    report(
      `thread lost with 1 M keys (checkpoint ${latest?.checkpointId}), to the first result`,
      `${Math.round((first - lostNs) / 1e6)} ms wall`,
      `must 3 s, aim 1 s; load ${load()}`,
    );
  });
}

/** In a process of its own, for memory and idle time. */
function measureIdle() {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), "--dist", dist, "idle-child"],
    { encoding: "utf8" },
  );
  if (stdout === "") throw new Error(stderr);
  process.stdout.write(stdout);
}

async function idleChild() {
  for (const slots of [1, 2]) {
    await withJob(
      ["idle"],
      {
        "parallelism.default": 2,
        "cutwater.slots": slots,
        "execution.checkpointing.interval": "10 s",
      },
      async () => {
        // What is left of the start, such as collecting its garbage, is no part of being idle.
        await new Promise((resolve) => setTimeout(resolve, 12_000));
        const start = { cpu: process.cpuUsage(), wall: performance.now() };
        await new Promise((resolve) => setTimeout(resolve, 20_000));
        const { user, system } = process.cpuUsage(start.cpu);
        const share = (user + system) / 10 / (performance.now() - start.wall);
        report(
          `idle job, ${slots} slots, checkpoint each 10 s`,
          `${share.toFixed(2)} % of a core`,
          "must 2 %, aim 0.5 %",
        );
        report(
          `resident memory of it`,
          `${Math.round(process.memoryUsage.rss() / (1 << 20))} MB`,
          "must 200 MB, aim 120 MB (2 slots)",
        );
      },
    );
  }
}

if (args.includes("idle-child")) {
  await idleChild();
} else {
  console.log(`node ${process.version}, load ${load()}`);
  if (isWanted("exchange")) await measureExchange();
  if (isWanted("latency")) await measureLatency();
  if (isWanted("speedup")) await measureSpeedup();
  if (isWanted("restart")) await measureRestart();
  if (isWanted("idle")) measureIdle();
}
process.exit(0);
