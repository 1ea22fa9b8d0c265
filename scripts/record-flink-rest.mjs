// Starts a real Flink, runs the reference job on it, and records what its REST answers into test/golden/rest/<version>/.
//
//   node scripts/record-flink-rest.mjs [version]
//
// Needs what test/systems/servers/flink needs: Java 17 with javac, python3 with pip, curl, unzip.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REQUESTS = JSON.parse(
  readFileSync(new URL("../test/systems/rest-requests.json", import.meta.url), "utf8"),
);
const version = process.argv[2] ?? "2.3.0";
const repository = new URL("..", import.meta.url).pathname;
const target = join(repository, "test/golden/rest", `flink-${version}`);
const work = mkdtempSync(join(tmpdir(), "record-flink-rest-"));
const [port, rpcPort] = [await freePort(), await freePort()];
const prometheusPort = 29_249;

const environment = {
  ...process.env,
  FLINK_VERSION: version,
  FLINK_INSTANCE: "record-rest",
  FLINK_REST_PORT: String(port),
  FLINK_RPC_PORT: String(rpcPort),
  FLINK_SETTINGS: join(work, "settings"),
};

const systems = process.env.CUTWATER_SYSTEMS ?? join(process.env.HOME, ".cache/cutwater-systems");

/** Places of this machine do not belong into the repository. */
function clean(text) {
  return text.replaceAll(work, "/tmp/reference").replaceAll(systems, "/opt/flink");
}

/** Of stacks, dumps and what is serialized the beginning is enough. */
function shortened(key, value) {
  if (Array.isArray(value) && (key === "threadInfos" || key === "classpath"))
    return value.slice(0, 2);
  if (typeof value !== "string") return value;
  if (key === "serialized-throwable") return value.slice(0, 24);
  return value.split("\n").slice(0, 3).join("\n");
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: free } = server.address();
  server.close();
  return free;
}

function run(command, parameters, options = {}) {
  const result = spawnSync(command, parameters, { encoding: "utf8", ...options });
  if (result.status !== 0) {
    throw new Error(`${command} ${parameters.join(" ")}: ${result.stdout}${result.stderr}`, {
      cause: result.error,
    });
  }
  return result.stdout;
}

const flink = (...parameters) =>
  run(join(repository, "test/systems/servers/flink"), parameters, { env: environment });

function buildJob() {
  const home = join(systems, `flink-${version}`);
  const jars = readdirSync(join(home, "lib")).map((name) => join(home, "lib", name));
  const classes = join(work, "classes");
  mkdirSync(classes);
  const source = join(repository, "test/systems/java/ReferenceJob.java");
  run("javac", ["-d", classes, "-cp", jars.join(":"), source]);
  const jar = join(work, "reference-job.jar");
  run("jar", ["cfe", jar, "ReferenceJob", "-C", classes, "."]);
  return jar;
}

const base = `http://127.0.0.1:${port}`;
const ask = async (path) => (await fetch(`${base}${path}`)).json();

async function until(what, probe) {
  for (let tries = 0; tries < 600; tries++) {
    const found = await probe();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`${what} did not come`);
}

/** The ids that stand for `:jobid` and the like in the requests. */
async function findPlaces(jobId) {
  const job = await until("a restart and three checkpoints after it", async () => {
    const checkpoints = await ask(`/jobs/${jobId}/checkpoints`);
    const { exceptionHistory } = await ask(`/jobs/${jobId}/exceptions`);
    const { state, ...rest } = await ask(`/jobs/${jobId}`);
    const isReady =
      state === "RUNNING" &&
      exceptionHistory.entries.length > 0 &&
      checkpoints.latest.restored !== null &&
      checkpoints.latest.failed !== null &&
      checkpoints.latest.completed.id >= checkpoints.latest.restored.id + 3;
    return isReady && { ...rest, checkpoints };
  });
  const { taskmanagers } = await ask("/taskmanagers");
  return {
    jobid: jobId,
    vertexid: job.vertices[1].id,
    sourcevertexid: job.vertices[0].id,
    completed: String(job.checkpoints.latest.completed.id),
    failed: String(job.checkpoints.latest.failed.id),
    taskmanagerid: taskmanagers[0].id,
  };
}

async function record(places) {
  const recorded = [];
  for (const request of REQUESTS) {
    const path = request.path.replaceAll(/:([a-z]+)/g, (whole, name) => places[name] ?? whole);
    // What Flink answers from its cache is as old at most.
    if (request.name === "checkpoints-with-savepoint" || request.name === "job-finished") {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    const answer = await fetch(`${base}${path}`, {
      method: request.method,
      ...(request.body === undefined
        ? {}
        : {
            body: typeof request.body === "string" ? request.body : JSON.stringify(request.body),
            headers: { "Content-Type": "application/json" },
          }),
    });
    const contentType = answer.headers.get("content-type");
    const text = await answer.text();
    const isJson = contentType?.startsWith("application/json");
    const body = isJson ? JSON.parse(text) : text.slice(0, 400);
    if (request.keep !== undefined) places[request.keep] = body["request-id"];
    if (request.isPolled && body.status?.id === "IN_PROGRESS") {
      const done = await until(request.name, async () => {
        const { status, operation } = await ask(path);
        return status.id === "COMPLETED" && { status, operation };
      });
      recorded.push({ request, status: answer.status, contentType, body: done });
      continue;
    }
    recorded.push({ request, status: answer.status, contentType, body });
  }
  return recorded;
}

writeFileSync(
  environment.FLINK_SETTINGS,
  [
    "execution.checkpointing.interval: 1 s",
    "execution.checkpointing.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION",
    "execution.checkpointing.tolerable-failed-checkpoints: 10",
    "restart-strategy.type: fixed-delay",
    "restart-strategy.fixed-delay.attempts: 10",
    "metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
    `metrics.reporter.prom.port: ${prometheusPort}-${prometheusPort + 9}`,
    "rest.flamegraph.enabled: true",
    "web.checkpoints.history: 500",
    "web.refresh-interval: 100",
    "",
  ].join("\n"),
);
flink("install", version);
const jar = buildJob();
try {
  console.log(flink("start").trim());
  const jobId = /JobID ([0-9a-f]{32})/.exec(flink("run", jar))?.[1];
  await findPlaces(jobId);
  // The metrics are fetched each 10 s.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  const places = await findPlaces(jobId);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const scrapes = [];
  for (let offset = 0; offset < 2; offset++) {
    const answer = await fetch(`http://127.0.0.1:${prometheusPort + offset}/metrics`);
    scrapes.push(await answer.text());
  }
  writeFileSync(join(target, "prometheus.txt"), clean(scrapes.join("")));
  for (const { request, status, contentType, body } of await record(places)) {
    const file = { method: request.method, path: request.path, status, contentType, body };
    writeFileSync(
      join(target, `${request.name}.json`),
      `${clean(JSON.stringify(file, shortened, 1))}\n`,
    );
  }
  console.log(`recorded into ${target}`);
} finally {
  flink("stop");
  rmSync(work, { recursive: true, force: true });
}
