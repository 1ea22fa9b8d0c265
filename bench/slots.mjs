// What slots on worker threads cost and give, on the built package:
//   node bench/slots.mjs [--dist <folder>] [exchange|latency|speedup|restart|idle]...
// CPU time and ratios of one run, since the machine may be busy with other work.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  for (const [transport, count] of [
    ["ring", 2_560_000],
    ["postMessage", 256_000],
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
      `six fields, batches of 128, by ${transport}`,
      `${shown(rates[transport], 1, 2)} M records/s per core`,
      `ns sent / taken: ${ends.map((end) => end.join("/")).join(" ")}`,
    );
  }
  report(
    "ring beside postMessage",
    `${(rates.ring.median / rates.postMessage.median).toFixed(1)}x`,
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

async function measureSpeedup() {
  const figures = {};
  for (const slots of [1, 2]) {
    for (let round = 0; round < 2; round++) {
      await withJob(
        ["count", "20000000", "1000"],
        { "parallelism.default": 2, "cutwater.slots": slots },
        async (client) => {
          const start = { cpu: process.cpuUsage(), wall: performance.now() };
          await client.result;
          const { user, system } = process.cpuUsage(start.cpu);
          if (round > 0)
            (figures[slots] ??= []).push({
              wall: performance.now() - start.wall,
              cpu: (user + system) / 1000,
            });
        },
      );
    }
  }
  const least = (slots, what) => Math.min(...figures[slots].map((figure) => figure[what]));
  report(
    "keyed windowed count, 20 M records, 2 slots beside 1",
    `wall ${(least(1, "wall") / least(2, "wall")).toFixed(2)}x, CPU ${(least(2, "cpu") / least(1, "cpu")).toFixed(2)}x`,
    `must 1.5x, aim 1.8x wall on an idle machine; load ${load()}; ms ${JSON.stringify(figures)}`,
  );
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
        await new Promise((resolve) => setTimeout(resolve, 3000));
        const start = { cpu: process.cpuUsage(), wall: performance.now() };
        await new Promise((resolve) => setTimeout(resolve, 12_000));
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
