// What a run of a job has left in its output folders.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The finished lines of a run, sorted; and the names of what was left unfinished. */
export function outputOf(folder, { outputs }) {
  const lines = [];
  const unfinished = [];
  for (const output of outputs) {
    if (!existsSync(join(folder, output))) continue;
    for (const name of readdirSync(join(folder, output))) {
      if (name.startsWith(".")) unfinished.push(name);
      else
        lines.push(
          ...readFileSync(join(folder, output, name), "utf8")
            .split("\n")
            .slice(0, -1),
        );
    }
  }
  return { lines: lines.toSorted(), unfinished };
}
