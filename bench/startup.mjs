// CPU time of `cutwater run` of a one-line job up to its first record, and of `cutwater doctor` on a small log, against that of an empty Node
// process. Of the built package:
// node bench/startup.mjs [rounds] [dist]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [rounds = "15", dist = fileURLToPath(new URL("../dist", import.meta.url))] =
  process.argv.slice(2);
const main = resolve(dist, "cli/main.js");
const folder = mkdtempSync(join(tmpdir(), "cutwater-startup-"));

/** Prints the CPU time of the process so far, user and system, of all its threads. */
const report = "const { user, system } = process.cpuUsage(); console.log(`cpu ${user + system}`);";
writeFileSync(
  join(folder, "one.ts"),
  `import { defineJob } from "cutwater";
export default defineJob("one", (env) => void env.fromData(1).map(() => { ${report} return 1; }).print());
`,
);
writeFileSync(join(folder, "empty.mjs"), report);

const coordinator = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] -";
const job = "00112233445566778899aabbccddeeff";
writeFileSync(
  join(folder, "small.log"),
  `2025-05-05 05:05:00,000 INFO  ${coordinator} Completed checkpoint 11 for job ${job} (1024 bytes, checkpointDuration=15 ms, finalizationTime=1 ms).
2025-05-05 05:05:05,005 INFO  ${coordinator} Decline checkpoint 12 by task ab of job ${job} at 10.0.0.1:1-a @ h (dataPort=1).
org.apache.flink.util.SerializedThrowable: java.lang.Exception: Could not materialize checkpoint 12 for operator sum (1/2)#0.
Caused by: org.apache.flink.util.SerializedThrowable: java.io.IOException: No space left on device
`,
);
const reportAtExit = `data:text/javascript,process.on("exit",()=>{${report}})`;

const runs = {
  "node, an empty module": ["empty.mjs"],
  "cutwater --version": ["--import", reportAtExit, main, "--version"],
  "cutwater doctor small.log": ["--import", reportAtExit, main, "doctor", "small.log"],
  "cutwater run one.ts, first time": [main, "run", "--fresh", "one.ts"],
  "cutwater run one.ts": [main, "run", "--fresh", "one.ts"],
};

const leastMs = new Map();
for (let round = 0; round < Number(rounds); round++) {
  for (const [name, inputs] of Object.entries(runs)) {
    // Without the cache of what was transformed, and without the job directory of the round before.
    if (name.endsWith("first time"))
      rmSync(join(folder, ".cutwater"), { recursive: true, force: true });
    const { stdout, stderr, status } = spawnSync(process.execPath, inputs, {
      cwd: folder,
      encoding: "utf8",
    });
    const cpu = /cpu (\d+)/.exec(stdout)?.[1];
    // The doctor's code for a cause is 1.
    if (status !== (name.includes("doctor") ? 1 : 0) || cpu === undefined)
      throw new Error(`${name}: ${stdout}${stderr}`);
    leastMs.set(name, Math.min(leastMs.get(name) ?? Infinity, Number(cpu) / 1000));
  }
}
rmSync(folder, { recursive: true });

const emptyMs = leastMs.get("node, an empty module");
console.log(`CPU time in ms, least of ${rounds} interleaved runs, Node ${process.versions.node}`);
for (const [name, ms] of leastMs) {
  console.log(`${name.padEnd(32)} ${ms.toFixed(0).padStart(5)}  ${(ms / emptyMs).toFixed(1)}x`);
}
