// Kills real processes with SIGKILL while they run a job, starts them again until the job is done, and compares the output with that of a run
// without kills. Prints where the kills fell.
//
//   npm run test:crash -- [--kills 100] [--seed 1] [--job flights|growing-count]
//
// With `--slots` the kills, as many in all, are spread over the example jobs on so many threads:
//
//   npm run test:crash -- --slots 2,4 [--kills 100] [--seed 1] [--job late-data]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { killExamples, randomOf, slotCountsOf } from "./example-jobs.mjs";
import { expectedCounts, grow } from "./growing-input.mjs";
import { outputOf } from "./job-output.mjs";
import { liveInProcesses } from "./process-kills.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    seed: { type: "string" },
    job: { type: "string", multiple: true },
    slots: { type: "string", multiple: true },
  },
});
const KILLS = Number(values.kills ?? 100);
const SEED = Number(values.seed ?? 1);

if (values.slots !== undefined) {
  const slotCounts = slotCountsOf(values.slots);
  await killExamples({ kills: KILLS, slotCounts, jobs: values.job, seed: SEED }, liveInProcesses);
  process.exit();
}

const PHASES = {
  R: "restore",
  ".": "running",
  T: "trigger",
  S: "snapshot",
  M: "_metadata",
  C: "commit",
};
/** Least kills in each phase, so that rare moments are hit too. */
const LEAST = Math.min(5, Math.floor(KILLS / 12));
const CHECKPOINTING = [
  "cutwater.slots=1",
  "execution.checkpointing.interval=60 ms",
  "execution.checkpointing.data-inline-threshold=0 b",
];

const JOBS = {
  flights: {
    file: "examples/01-flights.ts",
    arguments: (folder) => ["--out", join(folder, "out"), "--rate", "6000"],
    outputs: ["out/bursts", "out/late"],
  },
  "growing-count": {
    file: "test/jobs/growing-count.ts",
    arguments: (folder) => [join(folder, "in"), join(folder, "out")],
    outputs: ["out"],
    lines: 6000,
    linesAtOnce: 40,
  },
};

/** Starts the job; resolves when its process has ended. `onPhase` hears of each phase and may kill. */
function start(job, folder, onPhase) {
  const settings = [`execution.checkpointing.dir=${join(folder, "checkpoints")}`, ...CHECKPOINTING];
  const child = spawn(
    process.execPath,
    [
      "scripts/crash/child.mjs",
      ...settings.flatMap((setting) => ["-D", setting]),
      job.file,
      "--",
      ...job.arguments(folder),
    ],
    { cwd: root, stdio: ["ignore", "ignore", "pipe", "pipe"] },
  );
  let errors = "";
  let phase = "R";
  child.stderr.on("data", (data) => (errors += data));
  child.stdio[3].on("data", (data) => {
    for (const letter of String(data)) {
      phase = letter;
      onPhase?.(letter, child);
    }
  });
  const ended = new Promise((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, phase, errors }));
  });
  return { child, ended };
}

async function referenceOf(job) {
  if (job.lines !== undefined) return expectedCounts(job);
  const folder = mkdtempSync(join(tmpdir(), "cutwater-crash-"));
  const { code, errors } = await start(job, folder).ended;
  if (code !== 0) throw new Error(`The run without kills failed:\n${errors}`);
  const { lines } = outputOf(folder, job);
  rmSync(folder, { recursive: true });
  return lines;
}

/** One life of a job from nothing to its end, killed again and again. */
async function runWithKills(job, random, histogram, killsLeft) {
  const folder = mkdtempSync(join(tmpdir(), "cutwater-crash-"));
  const growth = job.lines === undefined ? undefined : grow(job, folder, random);
  let kills = 0;
  for (;;) {
    const wantsKill = kills < killsLeft && kills < 12;
    const scarce = Object.keys(PHASES).filter((letter) => (histogram[letter] ?? 0) < LEAST);
    const target =
      scarce.length > 0 && random() < 0.7
        ? scarce[Math.floor(random() * scarce.length)]
        : undefined;
    const delayMs = random() * (target === undefined ? 900 : 2);
    let skip = target === undefined || target === "R" ? 0 : Math.floor(random() * 3);
    let armed = wantsKill;
    let isListening = false;
    let isAsked = false;
    const { child, ended } = start(job, folder, (letter, process) => {
      isListening = true;
      if (!armed || (target === undefined ? letter !== "R" : letter !== target)) return;
      if (skip-- > 0) return;
      armed = false;
      setTimeout(() => process.kill("SIGKILL"), delayMs);
    });
    const fallback = setTimeout(() => armed && child.kill("SIGKILL"), 3_000);
    const watcher =
      growth === undefined
        ? undefined
        : setInterval(() => {
            if (
              isListening &&
              !isAsked &&
              !wantsKill &&
              growth.isDone() &&
              outputOf(folder, job).lines.length >= job.lines
            ) {
              // Once: a second one may meet a process on its way out, which no longer listens.
              isAsked = true;
              child.kill("SIGTERM");
            }
          }, 100);
    const { code, signal, phase, errors } = await ended;
    clearInterval(watcher);
    clearTimeout(fallback);
    if (signal === "SIGKILL") {
      kills++;
      histogram[phase] = (histogram[phase] ?? 0) + 1;
      continue;
    }
    if (code !== 0) throw new Error(`The job failed in ${folder}:\n${errors}`);
    if (wantsKill && growth !== undefined) continue;
    break;
  }
  growth?.stop();
  return { folder, kills };
}

let isBad = false;
for (const name of values.job ?? Object.keys(JOBS)) {
  const job = JOBS[name];
  const expected = await referenceOf(job);
  const random = randomOf(SEED);
  const histogram = {};
  let kills = 0;
  let lives = 0;
  while (kills < KILLS) {
    const life = await runWithKills(job, random, histogram, KILLS - kills);
    kills += life.kills;
    lives++;
    const { lines, unfinished } = outputOf(life.folder, job);
    const isSame =
      lines.length === expected.length && lines.every((line, index) => line === expected[index]);
    const isClean = unfinished.length === 0;
    console.log(
      `${name}: ${kills}/${KILLS} kills, ${lines.length} of ${expected.length} lines, ` +
        `${isSame ? "same output" : "DIFFERENT OUTPUT"}${isClean ? "" : `, LEFT BEHIND ${unfinished.join(" ")}`}`,
    );
    if (!isSame || !isClean) {
      isBad = true;
      console.log(`  kept for a look: ${life.folder}`);
      break;
    }
    rmSync(life.folder, { recursive: true });
  }
  console.log(`\n${name}: ${kills} kills in ${lives} lives, seed ${SEED}; where they fell:`);
  for (const [letter, phase] of Object.entries(PHASES)) {
    const count = histogram[letter] ?? 0;
    console.log(`  ${phase.padEnd(10)} ${String(count).padStart(4)} ${"#".repeat(count)}`);
    if (KILLS >= 60 && count < LEAST) isBad = true;
  }
}
process.exit(isBad ? 1 : 0);
