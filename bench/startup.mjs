// CPU time of `cutwater run` of a one-line job up to its first record, against that of an empty Node process. Of the built package:
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

const runs = {
  "node, an empty module": ["empty.mjs"],
  "cutwater --version": [
    "--import",
    `data:text/javascript,process.on("exit",()=>{${report}})`,
    main,
    "--version",
  ],
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
    if (status !== 0 || cpu === undefined) throw new Error(`${name}: ${stdout}${stderr}`);
    leastMs.set(name, Math.min(leastMs.get(name) ?? Infinity, Number(cpu) / 1000));
  }
}
rmSync(folder, { recursive: true });

const emptyMs = leastMs.get("node, an empty module");
console.log(`CPU time in ms, least of ${rounds} interleaved runs, Node ${process.versions.node}`);
for (const [name, ms] of leastMs) {
  console.log(`${name.padEnd(32)} ${ms.toFixed(0).padStart(5)}  ${(ms / emptyMs).toFixed(1)}x`);
}
