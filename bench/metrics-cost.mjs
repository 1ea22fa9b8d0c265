// What counting costs: the built package beside a copy of it in which no record, batch or byte is counted, in turns in one process.
//   node bench/metrics-cost.mjs [--dist <folder>] [repetitions]
// Figures are CPU time of the thread. The bound is 1 % of the throughput.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { bidMaker, bids } from "./events.mjs";
import { check, clockName, cpuOf, load, median, shown, spread } from "./measure.mjs";
import { THROUGHPUT_ROWS } from "./pipelines.mjs";

const args = process.argv.slice(2);
const distAt = args.indexOf("--dist");
const dist =
  distAt < 0 ? fileURLToPath(new URL("../dist/", import.meta.url)) : args.splice(distAt, 2)[1];
const repetitions = Number(args[0] ?? 15);
const WARM_UPS = 3;
const LIMIT_PERCENT = 1;

/** Statements that count something on the way of a record, as the build leaves them. */
const COUNTING = [
  /\b[\w.#]*metrics\.numRecords(?:In|Out)\+\+/g,
  /\bthis\.recordCount\+\+/g,
  /\bthis\.recordCount \+= batch\.length/g,
  /\bthis\.traffic\.bytes \+= [^;,]+/g,
  /\bthis\.traffic\.buffers\+\+/g,
];

/** A copy of the package without counting, and how many statements it lacks. */
function withoutCounting(target) {
  cpSync(dist, target, { recursive: true });
  let removed = 0;
  for (const name of readdirSync(target, { recursive: true })) {
    if (!name.endsWith(".js") || name.includes("dashboard")) continue;
    const path = join(target, name);
    const before = readFileSync(path, "utf8");
    let text = before;
    for (const statement of COUNTING)
      text = text.replaceAll(statement, () => {
        removed++;
        return "0";
      });
    if (text !== before) writeFileSync(path, text);
  }
  return removed;
}

function makeRun(cutwater, row, events) {
  const seen = { emitted: 0, checksum: 0 };
  const source = cutwater.generatorSource(bidMaker(events), { count: row.count });
  const job = cutwater.defineJob(`metrics-${row.name}`, (env) =>
    row.build(cutwater, env, source, seen),
  );
  return async () => {
    seen.emitted = 0;
    seen.checksum = 0;
    await cutwater.run(job, { "execution.checkpointing.interval": "0 ms" });
    return { ...seen };
  };
}

const copy = join(mkdtempSync(join(tmpdir(), "cutwater-metrics-cost-")), "dist");
const removed = withoutCounting(copy);
if (removed < 20) throw new Error(`only ${removed} counting statements were found in ${dist}`);
const counted = await import(pathToFileURL(join(dist, "index.js")).href);
const uncounted = await import(pathToFileURL(join(copy, "index.js")).href);
console.log(
  `${cpus()[0]?.model}, node ${process.version}, load ${load()}; ${clockName}; ${removed} statements left out`,
);

const rows = THROUGHPUT_ROWS.filter(({ keys }) => keys === 1_000);
for (const row of rows) {
  const events = bids(row.count, row.keys);
  const runs = {
    counted: makeRun(counted, row, events),
    uncounted: makeRun(uncounted, row, events),
  };
  const ratios = [];
  const rates = { counted: [], uncounted: [] };
  for (let repetition = -WARM_UPS; repetition < repetitions; repetition++) {
    // Who comes first changes, since the second of two finds warmer caches.
    const order = repetition % 2 === 0 ? ["counted", "uncounted"] : ["uncounted", "counted"];
    const used = {};
    const results = {};
    for (const which of order) {
      const { cpuMs, result } = await cpuOf(runs[which]);
      used[which] = cpuMs;
      results[which] = result;
    }
    check(`${row.name}: results`, results.counted.checksum, results.uncounted.checksum);
    if (repetition < 0) continue;
    ratios.push(100 * (used.counted / used.uncounted - 1));
    for (const which of order) rates[which].push(row.count / used[which] / 1000);
  }
  const cost = spread(ratios);
  const best = 100 * (Math.max(...rates.uncounted) / Math.max(...rates.counted) - 1);
  console.log(
    `${row.name.padEnd(10)} counting costs ${shown(cost, 1, 2)} %, of the best runs ${best.toFixed(2)} % (must < ${LIMIT_PERCENT}); ` +
      `with ${shown(spread(rates.counted), 1, 2)}, without ${shown(spread(rates.uncounted), 1, 2)} M/s`,
  );
  if (median(ratios) >= LIMIT_PERCENT) process.exitCode = 1;
}
rmSync(join(copy, ".."), { recursive: true });
