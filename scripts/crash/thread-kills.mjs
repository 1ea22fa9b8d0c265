// One life of an example job in this process, whose slots' threads are ended one by one at random moments. The process survives every one of them.
import { fileURLToPath } from "node:url";

import { runAsync } from "../../dist/index.js";
import { loadJob } from "../../dist/loader/index.js";
import { nodePlatform } from "../../dist/base/index.js";
import { EXAMPLE_JOBS, growUntilCounted, settingsOf, waitsOf } from "./example-jobs.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const RESTARTS = {
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "1000000",
  "restart-strategy.fixed-delay.delay": "1 ms",
};

const { files } = nodePlatform();
const loaded = new Map();
for (const job of Object.values(EXAMPLE_JOBS))
  loaded.set(job, (await loadJob(job.file, files)).job);

/** Threads of slots that live. The loader has started its own before. */
const threads = new Set();
process.on("worker", (thread) => {
  threads.add(thread);
  thread.once("exit", () => threads.delete(thread));
});

/** Runs the job until it has finished; see `killExamples`. */
export async function liveInThreads(
  { job, slotCount },
  { folder, random, killsLeft, durationMs, histogram },
) {
  // The jobs write under the folder in which they run.
  process.chdir(folder);
  const growth = job.lines === undefined ? undefined : growUntilCounted(job, folder, random);
  let phase = "deploying";
  const began = performance.now();
  const running = runAsync(
    loaded.get(job),
    { ...settingsOf(folder, slotCount), ...RESTARTS },
    {
      jobModule: job.file,
      jobArguments: job.arguments,
      log: { log: () => undefined },
      onStatus: (status) => (phase = status.toLowerCase()),
      observers: [
        {
          onTriggered: () => (phase = "snapshot"),
          onEnded: ({ status }) => (phase = status === "COMPLETED" ? "commit" : "running"),
        },
      ],
    },
  );
  const waits = waitsOf(killsLeft, durationMs, random);
  let kills = 0;
  let timer;
  const strike = () => {
    const alive = [...threads];
    const victim = alive[Math.floor(random() * alive.length)];
    if (victim === undefined) return void (timer = setTimeout(strike, 2));
    kills++;
    histogram[phase] = (histogram[phase] ?? 0) + 1;
    void victim.terminate();
    if (kills < killsLeft) timer = setTimeout(strike, waits[kills]);
  };
  if (killsLeft > 0) timer = setTimeout(strike, waits[0]);
  let watcher;
  try {
    const client = await running;
    watcher = setInterval(() => {
      if (client.status !== "RUNNING" || growth?.isOver() !== true) return;
      clearInterval(watcher);
      clearTimeout(timer);
      void client.stop().catch(() => undefined);
    }, 50);
    await client.result;
  } finally {
    clearTimeout(timer);
    clearInterval(watcher);
    growth?.stop();
    process.chdir(root);
  }
  return { kills, durationMs: performance.now() - began };
}
