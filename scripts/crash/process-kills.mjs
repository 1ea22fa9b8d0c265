// One life of an example job in processes of its own, each ended by SIGKILL at a random moment, until one of them finishes the job.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { growUntilCounted, settingsOf, waitsOf } from "./example-jobs.mjs";

const CHILD = fileURLToPath(new URL("child.mjs", import.meta.url));
/** What the child's letters mean. The threads of slots write their state without a letter: that is in `snapshot` from the trigger on. */
const PHASES = {
  R: "restore",
  ".": "running",
  T: "snapshot",
  S: "snapshot",
  M: "_metadata",
  C: "commit",
  F: "finished",
};

/** About so long a job takes from its file to running tasks. */
const START_MS = 500;

/** Runs the job until a process of it ends by itself; see `killExamples`. */
export async function liveInProcesses(pair, { folder, random, killsLeft, durationMs, histogram }) {
  const growth =
    pair.job.lines === undefined ? undefined : growUntilCounted(pair.job, folder, random);
  const waits = waitsOf(killsLeft, durationMs, random);
  let kills = 0;
  try {
    for (;;) {
      const wantsKill = kills < killsLeft;
      const strike = wantsKill ? strikeOf(waits[kills], random) : undefined;
      const run = await runOnce(pair, { folder, growth, strike });
      if (run.signal === "SIGKILL") {
        kills++;
        histogram[run.phase] = (histogram[run.phase] ?? 0) + 1;
      } else if (run.code === 0) return { kills, durationMs: run.durationMs };
      else throw new Error(`The job failed in ${folder}:\n${run.errors}`);
    }
  } finally {
    growth?.stop();
  }
}

/** One kill in five falls while the job starts; the others wait until its tasks run, or few would ever get beyond the start. */
function strikeOf(afterMs, random) {
  return random() < 0.2 ? { from: "R", afterMs: random() * START_MS } : { from: ".", afterMs };
}

/** One process. Its duration counts from the moment at which its tasks run. */
async function runOnce({ job, slotCount }, { folder, growth, strike }) {
  const settings = Object.entries(settingsOf(folder, slotCount));
  const child = spawn(
    process.execPath,
    [
      CHILD,
      ...settings.flatMap(([key, value]) => ["-D", `${key}=${value}`]),
      job.file,
      "--",
      ...job.arguments,
    ],
    { cwd: folder, stdio: ["ignore", "ignore", "pipe", "pipe"] },
  );
  let errors = "";
  let phase = "R";
  let began;
  let timer;
  child.stderr.on("data", (data) => (errors += data));
  child.stdio[3].on("data", (data) => {
    for (const letter of String(data)) {
      phase = letter;
      if (letter === ".") began ??= performance.now();
      if (letter === strike?.from)
        timer ??= setTimeout(() => child.kill("SIGKILL"), strike.afterMs);
    }
  });
  let isAsked = false;
  const watcher = setInterval(() => {
    // Once: a second one may meet a process on its way out, which no longer listens.
    if (isAsked || began === undefined || growth?.isOver() !== true) return;
    isAsked = true;
    child.kill("SIGTERM");
  }, 50);
  const { code, signal } = await new Promise((resolve) => {
    child.on("close", (exitCode, endSignal) => resolve({ code: exitCode, signal: endSignal }));
  });
  clearTimeout(timer);
  clearInterval(watcher);
  return { code, signal, errors, phase: PHASES[phase], durationMs: performance.now() - began };
}
