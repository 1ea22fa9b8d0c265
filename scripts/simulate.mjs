// Runs seeds of the simulator over a mixture of jobs, on all cores: `npm run simulate -- --seeds 10000`. The seeds that once failed come first.
//
//   --seeds n        how many (2000)         --seed n         this one alone, or the first with --seeds
//   --scenario name  only this job           --verbose        a line for each seed, and the log of one that fails
//   --workers n      processes (all cores)   --regressions    only the seeds that once failed
//   --bail           no more after a bad seed
//
// Exit code 1 if a seed is bad: something was lost or came twice, or the job never ended.
import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { nodePlatform } from "../dist/base/index.js";
import { loadJob } from "../dist/loader/index.js";
import {
  REGRESSIONS,
  runScenario,
  scenarioOf,
  SCENARIOS,
  simulatedJobFile,
  simulateWithoutFaults,
} from "../dist/testing/index.js";

const CHUNK = 10;
const MOST_BAD_SHOWN = 20;
const PROGRESS_EVERY_MS = 10_000;

const { values: flags } = parseArgs({
  options: {
    seeds: { type: "string" },
    seed: { type: "string" },
    scenario: { type: "string" },
    workers: { type: "string" },
    verbose: { type: "boolean", default: false },
    regressions: { type: "boolean", default: false },
    bail: { type: "boolean", default: false },
  },
});

if (process.send === undefined) await lead();
else serve();

/** Hands out the runs, and adds up what comes back. */
async function lead() {
  const runs = [...regressionRuns(), ...(flags.regressions ? [] : seedRuns())];
  const workers = Math.min(
    count("workers", availableParallelism()),
    Math.ceil(runs.length / CHUNK),
  );
  const totals = {
    seeds: 0,
    bad: 0,
    lost: 0,
    duplicated: 0,
    crashes: 0,
    restarts: 0,
    checkpoints: 0,
  };
  let next = 0;
  let shown = 0;
  const startedAt = Date.now();
  let saidAt = startedAt;

  const add = (result) => {
    for (const key of Object.keys(totals)) totals[key] += result[key] ?? 0;
    if (result.text !== undefined && (result.bad === 0 || shown++ < MOST_BAD_SHOWN))
      console.log(result.text);
    if (Date.now() - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = Date.now();
    const seconds = Math.round((saidAt - startedAt) / 1000);
    process.stderr.write(
      `${totals.seeds} of ${runs.length} runs, ${totals.bad} bad, ${seconds} s\n`,
    );
  };
  await Promise.all(
    Array.from({ length: workers }, () =>
      worker(() => {
        if (flags.bail && totals.bad > 0) return [];
        const chunk = runs.slice(next, next + CHUNK);
        next += CHUNK;
        return chunk;
      }, add),
    ),
  );
  const { seeds, bad, lost, duplicated, crashes, restarts, checkpoints } = totals;
  console.log(
    `${seeds} runs (${regressionRuns().length} of them seeds that once failed): ${lost} lost, ${duplicated} duplicated; ` +
      `${crashes} lives after the first, ${restarts} restarts, ${checkpoints} checkpoints; ${bad} bad`,
  );
  process.exitCode = bad === 0 ? 0 : 1;
}

function seedRuns() {
  const first = count("seed", 0);
  const length = count("seeds", flags.seed === undefined ? 2000 : 1);
  return Array.from({ length }, (_, index) => {
    const seed = first + index;
    return { seed, scenario: flags.scenario ?? scenarioOf(seed).name };
  });
}

/** None where one seed or one job was asked for. */
function regressionRuns() {
  if (flags.seed !== undefined || flags.scenario !== undefined) return [];
  return REGRESSIONS.map(({ scenario, seed, bug }) => ({ scenario, seed, bug }));
}

function count(flag, otherwise) {
  const given = flags[flag];
  if (given === undefined) return otherwise;
  const number = Number(given);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new Error(`--${flag} takes a whole number`);
  return number;
}

/** One process that takes chunks until there are none. */
function worker(nextChunk, onResult) {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
  return new Promise((resolve, reject) => {
    const hand = () => {
      const chunk = nextChunk();
      if (chunk.length === 0) child.disconnect();
      else child.send(chunk);
    };
    child.on("message", (message) => {
      if (message === "ready") hand();
      else onResult(message);
    });
    child.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`A simulating process ended with code ${code}`));
    });
  });
}

/** Runs what it is given, one after the other. */
function serve() {
  const log = process.stdout.write.bind(process.stdout);
  // What jobs print says nothing here.
  process.stdout.write = () => true;
  const runAll = async (chunk) => {
    for (const run of chunk) process.send(await simulateOne(run));
    process.send("ready");
  };
  process.on("message", (chunk) => {
    runAll(chunk).catch((error) => {
      process.stdout.write = log;
      console.error(error);
      process.exit(2);
    });
  });
  process.send("ready");
}

const prepared = new Map();

/** Makers of a scenario's job, and its run without faults; made once. */
function prepare(scenario) {
  const { name, job } = scenario;
  const make = async () => {
    const makeJob = typeof job === "function" ? job : await jobFileMaker(job);
    return { makeJob, baseline: await simulateWithoutFaults(makeJob(), { seed: 0 }) };
  };
  if (!prepared.has(name)) prepared.set(name, make());
  return prepared.get(name);
}

async function jobFileMaker({ path, arguments: args = [], mostLines }) {
  const platform = nodePlatform();
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const { job } = await loadJob(file, platform.files);
  const simulated = await simulatedJobFile(job, args, platform, mostLines);
  return () => simulated;
}

async function simulateOne({ seed, scenario: name, bug }) {
  const scenario = SCENARIOS.find((candidate) => candidate.name === name);
  if (scenario === undefined)
    throw new Error(
      `No scenario ${name}; there are: ${SCENARIOS.map((one) => one.name).join(", ")}`,
    );
  const { makeJob, baseline } = await prepare(scenario);
  const again = `npm run simulate -- --scenario ${name} --seed ${seed} --verbose`;
  const once = bug === undefined ? "" : ` (once failed: ${bug})`;
  try {
    const result = await runScenario(scenario, makeJob(), seed, baseline);
    const { report, difference, recentLog } = result;
    const { lost, duplicated } = difference;
    const bad = lost.length + duplicated.length > 0 ? 1 : 0;
    const struck = [...report.struck].map(([kind, times]) => `${kind} ${times}`).join(", ");
    const line =
      `${name} seed ${seed}${once}: ${lost.length} lost, ${duplicated.length} duplicated of ${baseline.output.length}; ${report.lives} lives, ` +
      `${report.restarts} restarts, ${report.completedCheckpoints} checkpoints, ${report.steps} steps, trace ${report.traceHash}; ${struck || "no faults"}`;
    const details =
      bad === 0
        ? []
        : [
            ...lost.slice(0, 5).map((text) => `  lost ${text}`),
            ...duplicated.slice(0, 5).map((text) => `  twice ${text}`),
            ...(flags.verbose ? recentLog.map((text) => `  ${text}`) : []),
            `  again: ${again}`,
          ];
    return {
      seeds: 1,
      bad,
      lost: lost.length,
      duplicated: duplicated.length,
      crashes: report.lives - 1,
      restarts: report.restarts,
      checkpoints: report.completedCheckpoints,
      text: bad === 1 || flags.verbose ? [line, ...details].join("\n") : undefined,
    };
  } catch (error) {
    const text = `${name} seed ${seed}${once}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n  again: ${again}`;
    return { seeds: 1, bad: 1, text };
  }
}
