// Runs a job that takes all the processor it gets, and meanwhile 1,000 page loads and 100 open event streams for a minute, from another
// process. Says how much of the job's throughput that costs, and whether memory grows once they have left.
//
//   node scripts/load-test.mjs [seconds]
//
// The figures are per second of processor time, so that other work on the machine does not change them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const PAGE_LOADS = 1_000;
const STREAMS = 100;
const LOSS_LIMIT = 0.02;
const GROWTH_LIMIT_BYTES = 8 << 20;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

if (process.argv[2] === "--client")
  await beClients(process.argv[3], process.argv[4], Number(process.argv[5]));
else await measure(Number(process.argv[2] ?? 60));

/** What a browser asks for when the page is opened on a job. */
async function loadPage(agent, address, jobId) {
  const paths = [
    "/",
    "/dashboard.js",
    "/dashboard.css",
    "/overview",
    "/jobs/overview",
    `/jobs/${jobId}`,
    `/jobs/${jobId}/checkpoints`,
  ];
  for (const path of paths) {
    await new Promise((resolve, reject) => {
      get(`${address}${path}`, { agent }, (response) => {
        response.resume();
        response.on("end", resolve);
      }).on("error", reject);
    });
  }
}

async function beClients(address, jobId, seconds) {
  const abort = new AbortController();
  let events = 0;
  for (let number = 0; number < STREAMS; number++) {
    get(`${address}/cutwater/events`, { signal: abort.signal }, (response) => {
      response.on("data", () => events++);
      response.on("error", () => undefined);
    }).on("error", () => undefined);
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const begunMs = Date.now();
  const loads = [];
  for (let number = 0; number < PAGE_LOADS; number++) {
    const dueMs = begunMs + (number * seconds * 1000) / PAGE_LOADS;
    if (dueMs > Date.now()) await sleep(dueMs - Date.now());
    loads.push(loadPage(agent, address, jobId));
  }
  await Promise.all(loads);
  await sleep(Math.max(0, begunMs + seconds * 1000 - Date.now()));
  abort.abort();
  agent.destroy();
  console.log(
    JSON.stringify({ loads: loads.length, events, seconds: (Date.now() - begunMs) / 1000 }),
  );
}

async function measure(seconds) {
  const dist = new URL(process.env.CUTWATER_DIST ?? "../dist/", import.meta.url);
  const { defineJob, runAsync } = await import(new URL("api/index.js", dist));
  const { LogMemory, nodePlatform, silentLogger } = await import(new URL("base/index.js", dist));
  const { generatorSource } = await import(new URL("connectors/index.js", dist));
  const { startServer } = await import(new URL("server/index.js", dist));
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc");

  const directory = mkdtempSync(join(tmpdir(), "cutwater-load-"));
  const platform = nodePlatform();
  const logMemory = new LogMemory(platform, silentLogger);
  const job = defineJob("load", (env) => {
    env
      .fromSource(generatorSource((index) => index))
      .keyBy((value) => value % 1000)
      .reduce((a, b) => Math.max(a, b))
      .filter((value) => value < 0)
      .print();
  });
  const client = await runAsync(
    job,
    {
      "parallelism.default": 2,
      "execution.checkpointing.interval": "1 s",
      "execution.checkpointing.dir": directory,
    },
    { platform, log: logMemory },
  );
  const server = await startServer({
    platform,
    logMemory,
    version: "0.0.0",
    bindAddress: "127.0.0.1",
    port: 0,
    isPortFlexible: true,
    token: undefined,
    pageDirectory: undefined,
  });
  server.registry.add(client);

  const phase = async (during) => {
    const [records, cpu] = [client.recordsRead(), process.cpuUsage()];
    await during();
    const { user, system } = process.cpuUsage(cpu);
    return ((client.recordsRead() - records) * 1_000_000) / (user + system);
  };
  await sleep(5_000);
  collectGarbage();
  const heapBefore = process.memoryUsage().heapUsed;
  const before = await phase(() => sleep((seconds * 1000) / 3));
  const loaded = await phase(async () => {
    const script = new URL(import.meta.url).pathname;
    const child = spawn(
      process.execPath,
      [script, "--client", server.address, client.jobId, String(seconds)],
      {
        stdio: ["ignore", "inherit", "inherit"],
      },
    );
    await once(child, "exit");
  });
  const after = await phase(() => sleep((seconds * 1000) / 3));
  collectGarbage();
  const growthBytes = process.memoryUsage().heapUsed - heapBefore;
  const loss = 1 - loaded / ((before + after) / 2);
  const rate = (value) =>
    `${Math.round(value).toLocaleString("en-US")} records per second of processor time`;
  console.log(`without: ${rate(before)}, then ${rate(after)}\nwith:    ${rate(loaded)}`);
  console.log(
    `loss ${(loss * 100).toFixed(2)} %, heap ${(growthBytes / (1 << 20)).toFixed(1)} MB more than before`,
  );
  client.cancel();
  await client.result;
  await server.close();
  rmSync(directory, { recursive: true });
  if (loss > LOSS_LIMIT || growthBytes > GROWTH_LIMIT_BYTES) process.exitCode = 1;
}
