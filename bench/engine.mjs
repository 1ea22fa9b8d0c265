// All figures of the engine, on the built package, after six other pipelines ran in the process:
//   npm run bench [-- --dist <folder>] [chain|tumbling|session|stop|loss|memory|timers|restore|startup|peers]...
// Prints a table, and appends a line to bench/results.jsonl.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";

import { clockName, load, shown } from "./measure.mjs";
import { measureThroughput, THROUGHPUT_ROWS } from "./pipelines.mjs";
import { pollute } from "./pollute.mjs";
import { startupCost } from "./first-record.mjs";
import {
  checkpointLoss,
  longestStops,
  memoryPerKey,
  restoreCost,
  timerCost,
} from "./state-costs.mjs";

const args = process.argv.slice(2);
const distAt = args.indexOf("--dist");
const dist =
  distAt < 0 ? fileURLToPath(new URL("../dist/", import.meta.url)) : args.splice(distAt, 2)[1];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const cutwater = await import(pathToFileURL(`${dist}/index.js`).href);
const results = [];

const isWanted = (name) => args.length === 0 || args.includes(name);

/** Says how a figure stands to its two limits. */
function verdict(value, must, aim, isMore) {
  const reaches = (limit) => (isMore ? value >= limit : value <= limit);
  return reaches(aim) ? "aim" : reaches(must) ? "must" : "BELOW";
}

function report({ name, figure, unit, must, aim, isMore = false, digits = 2, note = "" }) {
  const value = typeof figure === "number" ? figure : figure.median;
  const text = typeof figure === "number" ? figure.toFixed(digits) : shown(figure, 1, digits);
  const state = verdict(value, must, aim, isMore);
  results.push({
    name,
    unit,
    must,
    aim,
    state,
    ...(typeof figure === "number" ? { median: figure } : figure),
  });
  console.log(
    `${name.padEnd(34)} ${`${text} ${unit}`.padEnd(26)} must ${must}, aim ${aim}`.padEnd(88),
    state.padEnd(6),
    note,
  );
}

console.log(
  `${cpus()[0]?.model}, node ${process.version}, load ${load()}; ${clockName}; median [least..most]`,
);
await pollute(cutwater);

for (const row of THROUGHPUT_ROWS) {
  if (!isWanted(row.name)) continue;
  const { hand, engine, ratio, published } = await measureThroughput(cutwater, row);
  report({
    name: `${row.name}, ${row.keys / 1000}k keys, of hand loop`,
    figure: ratio,
    unit: "%",
    must: row.must,
    aim: row.aim,
    isMore: true,
    digits: 0,
    note: `engine ${shown(engine, 1, 1)} M/s, hand ${shown(hand, 1, 1)} (published ${published})`,
  });
}
if (isWanted("stop")) {
  const { stops, quiet, discarded } = await longestStops(cutwater);
  const note = `least is nearest to a quiet machine; without checkpoints ${shown(quiet, 1, 2)}; ${discarded} pre-empted spans left out`;
  report({
    name: "longest stop, snapshot of 1M keys",
    figure: stops,
    unit: "ms",
    must: 5,
    aim: 1,
    note,
  });
}
if (isWanted("loss")) {
  const figure = await checkpointLoss(cutwater);
  report({ name: "lost to checkpoints, 1M keys, 10 s", figure, unit: "%", must: 5, aim: 2 });
}
if (isWanted("timers")) {
  const figure = await timerCost(cutwater);
  report({ name: "user timer, insert and fire, 1M", figure, unit: "us", must: 1, aim: 0.5 });
}
if (isWanted("restore")) {
  const figure = await restoreCost(cutwater);
  report({ name: "restore of 1M keys", figure, unit: "s CPU", must: 1, aim: 0.5 });
}
if (isWanted("memory")) {
  const figure = await memoryPerKey(cutwater);
  report({ name: "memory per key, 5M keys", figure, unit: "B", must: 100, aim: 56, digits: 1 });
}
if (isWanted("startup")) {
  const { ratio, runMs, nodeMs } = startupCost(dist);
  const note = `run ${shown(runMs)} ms, node ${shown(nodeMs)} ms CPU`;
  report({
    name: "cutwater run, of node -e 0",
    figure: ratio,
    unit: "x",
    must: 6,
    aim: 3,
    digits: 1,
    note,
  });
}
if (isWanted("peers")) measurePeers();

appendFileSync(
  here("results.jsonl"),
  `${JSON.stringify({ at: new Date().toISOString(), machine: cpus()[0]?.model, node: process.version, load: load(), results })}\n`,
);

/** The peers run in a process of their own, with their own lock; they are measured where they are installed. */
function measurePeers() {
  if (!existsSync(here("peers/node_modules"))) {
    console.log("peers: not installed; run npm ci in bench/peers");
    return;
  }
  spawnSync(process.execPath, [here("peers/peers.mjs"), dist], { stdio: "inherit" });
}
