// The jobs that the tests by kills run over several slots, what each must give, and how their kills are spread.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expectedCounts, grow } from "./growing-input.mjs";
import { outputOf } from "./job-output.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const STALLED_MS = 20_000;
/** So few that a process lives long enough between two of them to commit: otherwise each would only begin again. */
const KILLS_OF_A_LIFE = 3;

/**
 * The jobs write under the folder in which they run. `03-checkpoint-test` is missing: it prints, and what is printed twice after a restart stays.
 * A job whose input grows has `lines`: it is over when all of them are counted, not by itself.
 */
export const EXAMPLE_JOBS = {
  flights: {
    file: join(root, "examples/01-flights.ts"),
    arguments: ["--out", "out", "--rate", "40000"],
    outputs: ["out/bursts", "out/late"],
  },
  "session-windows": {
    file: join(root, "examples/02-session-windows.ts"),
    arguments: ["16000"],
    outputs: ["out/device-sessions"],
  },
  "inactivity-alert": {
    file: join(root, "examples/04-inactivity-alert.ts"),
    arguments: [],
    outputs: ["out/inactivity-alert"],
  },
  "late-data": {
    file: join(root, "examples/05-late-data.ts"),
    arguments: [],
    outputs: ["out/late-data/sums", "out/late-data/too-late"],
  },
  "growing-count": {
    file: join(root, "test/jobs/growing-count.ts"),
    arguments: ["in", "out"],
    outputs: ["out"],
    lines: 1_200,
    linesAtOnce: 12,
  },
};

/** Settings of a job over so many slots, whose files are under the folder. */
export function settingsOf(folder, slotCount) {
  return {
    "parallelism.default": "4",
    "cutwater.slots": String(slotCount),
    "execution.checkpointing.interval": "40 ms",
    "execution.checkpointing.dir": join(folder, "checkpoints"),
    "execution.checkpointing.data-inline-threshold": "0 b",
  };
}

/** Numbers in [0, 1) from a seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Has the input of a job grow, and tells when the job has counted all of it. */
export function growUntilCounted(job, folder, random) {
  const growth = grow(job, folder, random);
  let counted = 0;
  let changedAt = performance.now();
  /** Whether every line is written, and counted or given up: a count that stands still for so long has lost some. */
  const isOver = () => {
    const count = outputOf(folder, job).lines.length;
    if (count !== counted || !growth.isDone()) changedAt = performance.now();
    counted = count;
    return growth.isDone() && (count >= job.lines || performance.now() - changedAt > STALLED_MS);
  };
  return { stop: growth.stop, isOver };
}

/** The numbers of slots in `--slots 2 --slots 4` or `--slots 2,4`. */
export function slotCountsOf(values) {
  const counts = values.flatMap((value) => value.split(",")).map(Number);
  if (counts.some((count) => !Number.isInteger(count) || count < 1))
    throw new Error(`--slots takes whole numbers above 0, not ${values.join(" ")}`);
  return counts;
}

function chosenJobs(names) {
  return (names ?? Object.keys(EXAMPLE_JOBS)).map((name) => {
    const job = EXAMPLE_JOBS[name];
    if (job === undefined)
      throw new Error(`--job takes ${Object.keys(EXAMPLE_JOBS).join(", ")}; not ${name}`);
    return { name, job };
  });
}

/** Kills shared out evenly: first over the numbers of slots, then over the jobs. */
function planOf(kills, slotCounts, jobs) {
  const share = (total, parts, part) =>
    Math.floor((total * (part + 1)) / parts) - Math.floor((total * part) / parts);
  return slotCounts.flatMap((slotCount, slot) =>
    jobs.map((chosen, index) => ({
      ...chosen,
      slotCount,
      kills: share(share(kills, slotCounts.length, slot), jobs.length, index),
    })),
  );
}

/** How long to wait before each of so many kills, so that they fall anywhere over a life of this length; each wait begins when the job is back. */
export function waitsOf(count, durationMs, random) {
  const moments = Array.from({ length: count }, () => random() * durationMs).toSorted(
    (a, b) => a - b,
  );
  return moments.map((moment, index) => moment - (moments[index - 1] ?? 0));
}

/** Lives of one job until it has been killed often enough; each life ends by itself, and its output is compared. False if one was wrong. */
async function killPair(pair, live, random, histogram) {
  const { name, job, slotCount } = pair;
  const title = `${name}, ${slotCount} slots`;
  const began = performance.now();
  const reference = newFolder();
  const { durationMs } = await live(pair, { folder: reference, random, killsLeft: 0 });
  const { lines: answer } = outputOf(reference, job);
  const expected = job.lines === undefined ? answer : expectedCounts(job);
  let isRight = isEqual(answer, expected) && expected.length > 0;
  if (!isRight) console.log(`${title}: WRONG WITHOUT A KILL: ${answer.length} lines`);
  rmSync(reference, { recursive: true });
  let kills = 0;
  let lives = 0;
  let misses = 0;
  while (kills < pair.kills && isRight) {
    const folder = newFolder();
    const killsLeft = Math.min(pair.kills - kills, KILLS_OF_A_LIFE);
    const life = await live(pair, { folder, random, killsLeft, durationMs, histogram });
    kills += life.kills;
    lives++;
    misses = life.kills === 0 ? misses + 1 : 0;
    const { lines, unfinished } = outputOf(folder, job);
    isRight = isEqual(lines, expected) && unfinished.length === 0 && misses < 50;
    if (isRight) rmSync(folder, { recursive: true });
    else
      console.log(
        `${title}: WRONG after ${life.kills} kills of this life: ${lines.length} of ${expected.length} lines` +
          `, left behind: ${unfinished.join(" ") || "nothing"}; kept in ${folder}`,
      );
  }
  const tookMs = performance.now() - began;
  console.log(
    `${title}: ${kills}/${pair.kills} kills in ${lives} lives, a run takes ${Math.round(durationMs)} ms, ` +
      `${Math.round(tookMs / Math.max(1, kills))} ms a kill, ${expected.length} lines: ${isRight ? "same output" : "DIFFERENT OUTPUT"}`,
  );
  return { isRight, kills };
}

/**
 * Runs every job on every number of slots, with `kills` kills in all, and prints what came of it. `live(pair, life)` runs one life of a job: it strikes at
 * most `life.killsLeft` times, counts in `life.histogram` where, and resolves, when the job has finished, to `{ kills, durationMs }`.
 * Sets the exit code to 1 if an output differed.
 */
export async function killExamples({ kills, slotCounts, jobs, seed }, live) {
  console.log(`seed ${seed}`);
  const histogram = {};
  const began = performance.now();
  const random = randomOf(seed);
  const done = new Map(slotCounts.map((count) => [count, 0]));
  for (const pair of planOf(kills, slotCounts, chosenJobs(jobs))) {
    const result = await killPair(pair, live, random, histogram);
    done.set(pair.slotCount, done.get(pair.slotCount) + result.kills);
    if (!result.isRight) process.exitCode = 1;
  }
  const perSlots = [...done].map(([count, sum]) => `${sum} on ${count} slots`).join(", ");
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`\n${perSlots}, ${seconds} s, seed ${seed}; where they fell:`);
  for (const [phase, count] of Object.entries(histogram).toSorted((a, b) => b[1] - a[1]))
    console.log(`  ${phase.padEnd(10)} ${String(count).padStart(4)} ${"#".repeat(count)}`);
  console.log(process.exitCode === 1 ? "DIFFERENT OUTPUT, see above" : "all outputs the same");
}

function newFolder() {
  return mkdtempSync(join(tmpdir(), "cutwater-kills-"));
}

function isEqual(lines, expected) {
  return lines.length === expected.length && lines.every((line, index) => line === expected[index]);
}
