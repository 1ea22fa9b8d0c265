// Runs a job that takes all the processor it gets, and meanwhile 1,000 page loads and 100 open event streams for a minute, from another
// process. Says how much of the job's throughput that costs, and whether memory grows once they have left.
//
//   node scripts/load-test.mjs [seconds]
//
// The job runs in threads of its own, as `cutwater run` has it. The figures are records per second of those threads' processor time, so that
// other work on the machine does not change them; beside it stands what the main thread, which serves, has used.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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

/** Processor time of each thread of this process, in milliseconds, as Linux counts it. */
function threadTimes() {
  const ids = readdirSync("/proc/self/task");
  return new Map(
    ids.map((id) => {
      const fields = readFileSync(`/proc/self/task/${id}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return [Number(id), (Number(fields[11]) + Number(fields[12])) * 10];
    }),
  );
}

/** The job, in threads of its own, and a server in front of it. */
async function start(directory) {
  const dist = new URL(process.env.CUTWATER_DIST ?? "../dist/", import.meta.url);
  const { runAsync } = await import(new URL("api/index.js", dist));
  const { LogMemory, nodePlatform, silentLogger } = await import(new URL("base/index.js", dist));
  const { loadJob } = await import(new URL("loader/index.js", dist));
  const { startServer } = await import(new URL("server/index.js", dist));
  const platform = nodePlatform();
  const logMemory = new LogMemory(platform, silentLogger);
  const jobFile = new URL("../test/jobs/busy.ts", import.meta.url).pathname;
  const { job } = await loadJob(jobFile, platform.files);
  const client = await runAsync(
    job,
    {
      "parallelism.default": 2,
      "cutwater.slots": 2,
      "execution.checkpointing.interval": "1 s",
      "execution.checkpointing.dir": directory,
    },
    { platform, log: logMemory, jobModule: jobFile },
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
  return { client, server };
}

async function measure(seconds) {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc");
  const directory = mkdtempSync(join(tmpdir(), "cutwater-load-"));
  const { client, server } = await start(directory);
  const phase = async (during) => {
    const [records, before] = [client.recordsRead(), threadTimes()];
    await during();
    const after = threadTimes();
    const used = [...after].map(([id, ms]) => [id, ms - (before.get(id) ?? 0)]);
    const mainMs = used.find(([id]) => id === process.pid)?.[1] ?? 0;
    // The two busiest others are those of the job.
    const jobMs = used
      .filter(([id]) => id !== process.pid)
      .map(([, ms]) => ms)
      .toSorted((a, b) => b - a)
      .slice(0, 2);
    const jobSeconds = jobMs.reduce((sum, ms) => sum + ms, 0) / 1000;
    return { perSecond: (client.recordsRead() - records) / jobSeconds, mainMs };
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
  const loss = 1 - loaded.perSecond / ((before.perSecond + after.perSecond) / 2);
  const rate = ({ perSecond }) =>
    `${Math.round(perSecond).toLocaleString("en-US")} records per second of the job's threads`;
  console.log(`without: ${rate(before)}, then ${rate(after)}\nwith:    ${rate(loaded)}`);
  console.log(
    `loss ${(loss * 100).toFixed(2)} %; the main thread used ${(loaded.mainMs / 1000).toFixed(1)} s of ${seconds} s`,
  );
  console.log(`heap ${(growthBytes / (1 << 20)).toFixed(1)} MB more than before`);
  client.cancel();
  await client.result;
  await server.close();
  rmSync(directory, { recursive: true });
  if (loss > LOSS_LIMIT || growthBytes > GROWTH_LIMIT_BYTES) process.exitCode = 1;
}
