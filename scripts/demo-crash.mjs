// Runs the flights job once to its end; then again, kills it half-way with SIGKILL, starts it once more, and shows that the answer is the same.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "cutwater-demo-"));
const ROWS_PER_SECOND = 5_000;
/** The kill comes so long after the first lines are finished: some are published then, and some are under way. */
const KILL_AFTER_MS = 700;

/** Runs the job and waits for its end; with `isKilled` it is killed once lines are finished. */
function run(name, extra, isKilled = false) {
  const settings = [
    `execution.checkpointing.dir=${join(folder, name)}`,
    "execution.checkpointing.interval=500 ms",
  ];
  const child = spawn(
    process.execPath,
    [
      "dist/cli/main.js",
      "run",
      "examples/01-flights.ts",
      ...settings.flatMap((setting) => ["-D", setting]),
      "--",
      "--out",
      join(folder, name, "out"),
      ...extra,
    ],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
  );
  let timer;
  const killSoon = () => {
    timer =
      answer(name).length === 0
        ? setTimeout(killSoon, 50)
        : setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  };
  if (isKilled) killSoon();
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
}

function answer(name) {
  return ["bursts", "late"]
    .flatMap((part) => {
      const place = join(folder, name, "out", part);
      if (!existsSync(place)) return [];
      const names = readdirSync(place).filter((file) => !file.startsWith("."));
      return names.flatMap((file) =>
        readFileSync(join(place, file), "utf8").split("\n").slice(0, -1),
      );
    })
    .toSorted();
}

console.log("1. The job, undisturbed.");
const undisturbed = await run("undisturbed", []);
if (undisturbed.code !== 0) process.exit(1);

console.log(
  `\n2. The same job, slowed to ${ROWS_PER_SECOND} rows a second, killed ${KILL_AFTER_MS} ms after its first lines are finished.`,
);
const killed = await run("killed", ["--rate", String(ROWS_PER_SECOND)], true);
console.log(killed.signal === "SIGKILL" ? "Killed (SIGKILL)." : "It was done before the kill.");
console.log(`Finished lines so far: ${answer("killed").length}.`);

console.log("\n3. Started again: it goes on from its newest complete checkpoint.");
const recovered = await run("killed", ["--rate", String(ROWS_PER_SECOND)]);
if (recovered.code !== 0) process.exit(1);

const [expected, found] = [answer("undisturbed"), answer("killed")];
const isSame =
  expected.length === found.length && expected.every((line, index) => line === found[index]);
console.log(
  isSame
    ? `\nThe ${found.length} lines are the same, byte for byte: nothing lost, nothing twice.`
    : `\nTHE ANSWERS DIFFER: ${expected.length} lines against ${found.length}. Kept in ${folder}.`,
);
if (isSame) rmSync(folder, { recursive: true });
process.exit(isSame ? 0 : 1);
