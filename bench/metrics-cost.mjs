// What counting costs: the built package beside a copy of it in which no record, batch or byte is counted, in turns in one process, and in
// several processes, since what the compiler makes of the same code differs between two of them by more than is looked for.
//   node bench/metrics-cost.mjs [--dist <folder>] [processes]
// Figures are CPU time of the thread. Beside them stands what two equal copies differ by: less cannot be told. The bound is 1 % of the
// throughput.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { bidMaker, bids } from "./events.mjs";
import { check, clockName, cpuOf, load, median, shown, spread } from "./measure.mjs";
import { THROUGHPUT_ROWS } from "./pipelines.mjs";

const WARM_UPS = 3;
const REPETITIONS = 7;
const LIMIT_PERCENT = 1;
const ROWS = THROUGHPUT_ROWS.filter(({ keys }) => keys === 1_000);

/** Statements that count something on the way of a record, as the build leaves them. */
const COUNTING = [
  /\b[\w.#]*metrics\.numRecords(?:In|Out)\+\+/g,
  /\bthis\.emittedCount\+\+/g,
  /\bthis\.#pumpedCount \+= [^;,]+/g,
  /\bthis\.#sentCount \+= batch\.length/g,
  /\bthis\.traffic\.bytes \+= [^;,]+/g,
  /\bthis\.traffic\.buffers\+\+/g,
];

if (process.argv[2] === "--child") await compare(process.argv[3], process.argv[4]);
else measure(process.argv.slice(2));

/** Takes counting out of a copy of the package. @returns How many statements it lacks. */
function withoutCounting(copy) {
  let removed = 0;
  for (const name of readdirSync(copy, { recursive: true })) {
    if (!name.endsWith(".js") || name.includes("dashboard")) continue;
    const path = join(copy, name);
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
    return seen.checksum;
  };
}

/** By how many percent more time the first takes than the second, for each row. */
async function compare(first, second) {
  const packages = [];
  for (const folder of [first, second])
    packages.push(await import(pathToFileURL(join(folder, "index.js")).href));
  const percents = {};
  for (const row of ROWS) {
    const events = bids(row.count, row.keys);
    const runs = packages.map((cutwater) => makeRun(cutwater, row, events));
    const ratios = [];
    for (let repetition = -WARM_UPS; repetition < REPETITIONS; repetition++) {
      const figures = [];
      // Who comes first changes, since the second of two finds warmer caches.
      for (const index of repetition % 2 === 0 ? [0, 1] : [1, 0])
        figures[index] = await cpuOf(runs[index]);
      const [a, b] = figures;
      check(`${row.name}: results`, a.result, b.result);
      if (repetition >= 0) ratios.push(100 * (a.cpuMs / b.cpuMs - 1));
    }
    percents[row.name] = median(ratios);
  }
  console.log(JSON.stringify(percents));
}

function measure(args) {
  const distAt = args.indexOf("--dist");
  const dist =
    distAt < 0 ? fileURLToPath(new URL("../dist/", import.meta.url)) : args.splice(distAt, 2)[1];
  const processes = Number(args[0] ?? 9);
  const folder = mkdtempSync(join(tmpdir(), "cutwater-metrics-cost-"));
  const copies = Object.fromEntries(
    ["counted", "equal", "uncounted"].map((name) => [name, join(folder, name)]),
  );
  for (const copy of Object.values(copies)) cpSync(dist, copy, { recursive: true });
  const removed = withoutCounting(copies.uncounted);
  if (removed < 10) throw new Error(`only ${removed} counting statements were found in ${dist}`);
  console.log(
    `${cpus()[0]?.model}, node ${process.version}, load ${load()}; ${clockName}; ${removed} statements left out; ${processes} processes`,
  );
  const inProcess = (first, second) => {
    const script = fileURLToPath(import.meta.url);
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [script, "--child", first, second],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const costs = [];
  const floors = [];
  for (let number = 0; number < processes; number++) {
    // Each stands in both places as often, since the one that is imported first is compiled first.
    const isTurned = number % 2 === 1;
    const cost = isTurned
      ? inProcess(copies.uncounted, copies.counted)
      : inProcess(copies.counted, copies.uncounted);
    costs.push(
      Object.fromEntries(
        Object.entries(cost).map(([name, percent]) => [name, isTurned ? -percent : percent]),
      ),
    );
    floors.push(inProcess(copies.counted, copies.equal));
  }
  rmSync(folder, { recursive: true });
  for (const { name } of ROWS) {
    const cost = spread(costs.map((percents) => percents[name]));
    const floor = spread(floors.map((percents) => percents[name]));
    console.log(
      `${name.padEnd(10)} counting costs ${shown(cost, 1, 2)} % (must < ${LIMIT_PERCENT}); two equal copies differ by ${shown(floor, 1, 2)} %`,
    );
    if (cost.median >= LIMIT_PERCENT) process.exitCode = 1;
  }
  console.log(`load ${load()}`);
}
