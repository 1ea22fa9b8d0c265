// Ends single threads of a running job, again and again at random moments, and compares the output with what it must be. The process survives
// every one of them.
//
//   node scripts/crash/troubled-slots.mjs [--kills 300] [--slots 2] [--seed 1]
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    slots: { type: "string", multiple: true },
    seed: { type: "string" },
    dist: { type: "string" },
  },
});
const KILLS = Number(values.kills ?? 300);
const SLOT_COUNTS = (values.slots ?? ["2", "4"]).map(Number);
const RECORDS = 200_000;
const JOB = join(root, "test", "jobs", "troubled-slots.ts");

const dist = pathToFileURL(`${values.dist ?? join(root, "dist")}/`);
const { loadJob } = await import(new URL("loader/index.js", dist).href);
const { nodePlatform } = await import(new URL("base/index.js", dist).href);
const { runAsync } = await import(new URL("index.js", dist).href);

let state = Number(values.seed ?? 1) >>> 0;
/** Numbers in [0, 1) from a seed (mulberry32). */
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const { job } = await loadJob(JOB, nodePlatform().files);
/** Threads of slots that live. The loader has started its own before. */
const workers = new Set();
process.on("worker", (worker) => {
  workers.add(worker);
  worker.once("exit", () => workers.delete(worker));
});

const expected = Array.from({ length: RECORDS }, (_, number) =>
  JSON.stringify({ key: `k${number % 100}`, count: Math.floor(number / 100) + 1 }),
).toSorted();

/** Runs the job once; threads are ended at random until it has finished or all kills are done. */
async function life(slotCount, killsLeft) {
  const folder = mkdtempSync(join(tmpdir(), "cutwater-slot-kills-"));
  const settings = {
    "parallelism.default": 4,
    "cutwater.slots": slotCount,
    "execution.checkpointing.interval": "60 ms",
    "execution.checkpointing.dir": join(folder, "checkpoints"),
    "execution.checkpointing.data-inline-threshold": "0 b",
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": 1_000_000,
    "restart-strategy.fixed-delay.delay": "1 ms",
  };
  const lost = [];
  const client = await runAsync(job, settings, {
    jobModule: JOB,
    jobArguments: [folder, String(RECORDS)],
    log: {
      log: (level, text) => level === "WARN" && /was lost|failed:/.test(text) && lost.push(text),
    },
  });
  let kills = 0;
  let timer;
  const strike = () => {
    const alive = [...workers];
    const victim = alive[Math.floor(random() * alive.length)];
    // While all are starting there is nothing to lose; the next one comes soon.
    if (victim !== undefined && client.status === "RUNNING" && kills < killsLeft) {
      kills++;
      void victim.terminate();
    }
    timer = setTimeout(strike, 100 + random() * 700);
  };
  timer = setTimeout(strike, 300 + random() * 500);
  const started = performance.now();
  const { restarts } = await client.result.finally(() => clearTimeout(timer));
  const out = join(folder, "out");
  const names = readdirSync(out);
  const lines = names
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => readFileSync(join(out, name), "utf8").split("\n").slice(0, -1))
    .toSorted();
  const isSame =
    lines.length === expected.length && lines.every((line, index) => line === expected[index]);
  const leftBehind = names.filter((name) => name.startsWith("."));
  return { folder, kills, restarts, isSame, lineCount: lines.length, leftBehind, started };
}

let isBad = false;
for (const slotCount of SLOT_COUNTS) {
  let kills = 0;
  while (kills < KILLS && !isBad) {
    const run = await life(slotCount, Math.min(KILLS - kills, 60));
    kills += run.kills;
    const { restarts, isSame, lineCount, leftBehind, folder } = run;
    console.log(
      `${slotCount} slots: ${kills}/${KILLS} kills, ${restarts} restarts, ${lineCount} of ${RECORDS} lines, ` +
        `${isSame ? "same output" : "DIFFERENT OUTPUT"}` +
        `${leftBehind.length === 0 ? "" : `, LEFT BEHIND ${leftBehind.join(" ")}`}`,
    );
    isBad = !isSame || leftBehind.length > 0;
    if (isBad) console.log(`  kept for a look: ${folder}`);
    else rmSync(folder, { recursive: true });
  }
}
process.exit(isBad ? 1 : 0);
