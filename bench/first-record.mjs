// What it takes from the command to the first record of a job of one line, beside node doing nothing. CPU time of the whole process.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { spread } from "./measure.mjs";

const JOB = `import { defineJob } from "cutwater";
export default defineJob("one-line", (env) => { env.fromSequence(1, 3).map((n: number) => { if (n === 1) process.stderr.write("first " + JSON.stringify(process.cpuUsage())); return n; }).print(); });
`;

const milliseconds = (text) => {
  const { user, system } = JSON.parse(text);
  return (user + system) / 1000;
};

/** @param dist - Folder of the built package. */
export function startupCost(dist) {
  // Inside of the repository, so that "cutwater" is found as it would be from a project that depends on it.
  const directory = mkdtempSync(join(fileURLToPath(new URL("./", import.meta.url)), ".startup-"));
  const file = join(directory, "job.ts");
  writeFileSync(file, JOB);
  const figures = { node: [], run: [], ratio: [] };
  try {
    for (let repetition = -1; repetition < 7; repetition++) {
      const nothing = execFileSync(
        process.execPath,
        ["-e", "process.stdout.write(JSON.stringify(process.cpuUsage()))"],
        { encoding: "utf8" },
      );
      const job = runAndRead([join(dist, "cli/main.js"), "run", file], directory);
      if (repetition < 0) continue;
      figures.node.push(milliseconds(nothing));
      figures.run.push(milliseconds(job));
      figures.ratio.push(milliseconds(job) / milliseconds(nothing));
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  return {
    nodeMs: spread(figures.node),
    runMs: spread(figures.run),
    ratio: spread(figures.ratio),
  };
}

/** The CPU time that the job told on the error stream. */
function runAndRead(args, cwd) {
  const { stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  const found = /first (\{[^}]*\})/.exec(stderr);
  if (found === null) throw new Error(`The job told nothing: ${stderr}`);
  return found[1];
}
