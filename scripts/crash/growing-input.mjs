// The file that a job counts while it grows, and the counts that must come out.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const KEYS = 37;

/** Appends lines to the file, so many each 25 ms, until there are enough; goes on over kills. */
export function grow({ lines, linesAtOnce }, folder, random) {
  mkdirSync(join(folder, "in"), { recursive: true });
  const path = join(folder, "in", "lines.ndjson");
  writeFileSync(path, "", { flag: "a" });
  let written = 0;
  const timer = setInterval(() => {
    for (let count = 0; count < linesAtOnce && written < lines; count++, written++) {
      const line = `${JSON.stringify({ key: `k${written % KEYS}`, number: written })}\n`;
      // Half a line now and half later, so that the reader meets it unfinished.
      const cut = Math.floor(random() * line.length);
      appendFileSync(path, line.slice(0, cut));
      appendFileSync(path, line.slice(cut));
    }
  }, 25);
  return { stop: () => clearInterval(timer), isDone: () => written >= lines };
}

/** What the growing count must give: each key's counts from 1 up. */
export function expectedCounts({ lines }) {
  return Array.from({ length: lines }, (_, number) =>
    JSON.stringify({ key: `k${number % KEYS}`, count: Math.floor(number / KEYS) + 1 }),
  ).toSorted();
}
