import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

import { CutwaterProcess } from "./cutwater-process.ts";

const JOB = fileURLToPath(new URL("../jobs/mixed-bounds.ts", import.meta.url));
const LONG_COUNT = 5_000;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cutwater-finished-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function start(): CutwaterProcess {
  const interval = "execution.checkpointing.interval=40 ms";
  const job = ["run", JOB, "--slots", "2", "-D", interval];
  return new CutwaterProcess(folder, [...job, "--", folder, String(LONG_COUNT)]);
}

/** The counts that were published, by key, ascending. */
function published(): Readonly<Record<string, readonly number[]>> {
  const out = join(folder, "out");
  const counts: Record<string, number[]> = {};
  for (const name of readdirSync(out)) {
    for (const line of readFileSync(join(out, name), "utf8").split("\n").slice(0, -1)) {
      const { key, count } = JSON.parse(line) as { readonly key: string; readonly count: number };
      (counts[key] ??= []).push(count);
    }
  }
  for (const list of Object.values(counts)) list.sort((a, b) => a - b);
  return counts;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The last number that a subtask has said. */
function lastOf(stdout: string, key: string): number {
  const said = [...stdout.matchAll(new RegExp(`^${key} at (\\d+)$`, "gm"))];
  return Number(said.at(-1)?.[1] ?? 0);
}

test("a job of which subtasks and whole vertices have finished survives SIGKILL after SIGKILL on two threads, and nothing comes twice", async () => {
  const first = start();
  await first.until((stdout) => lastOf(stdout, "mixed-1") >= 2000);
  first.kill("SIGKILL");
  const began = (await first.result()).stdout;
  expect(began).toMatch(/^mixed-0 begins$/m);

  // One subtask of "mixed" and the whole of "short" had finished.
  const second = start();
  await second.until((stdout) => lastOf(stdout, "mixed-1") === LONG_COUNT);
  // Two seconds' worth of further checkpoints.
  const endedAt = lastOf(second.stdout, "endless-0");
  await second.until((stdout) => lastOf(stdout, "endless-0") >= endedAt + 3000);
  second.kill("SIGKILL");
  const { stdout: wentOn, stderr } = await second.result();
  expect(stderr).toMatch(/goes on from .*chk-\d+/);
  expect(wentOn).not.toContain("begins");

  // Now "mixed" had finished as a whole, too.
  const third = start();
  await third.until((stdout) => lastOf(stdout, "endless-1") >= lastOf(wentOn, "endless-1") + 2000);
  third.kill("SIGTERM");
  const { stdout: last } = await third.result();
  expect(last).not.toContain("begins");
  expect(last).not.toContain("mixed");

  const { "endless-0": endless0 = [], "endless-1": endless1 = [], ...bounded } = published();
  expect(bounded).toEqual({
    "mixed-0": upTo(100),
    "mixed-1": upTo(LONG_COUNT),
    "short-0": upTo(100),
    "short-1": upTo(100),
  });
  expect(endless0).toEqual(upTo(endless0.length));
  expect(endless1).toEqual(upTo(endless1.length));
  expect(endless1.length).toBeGreaterThan(lastOf(wentOn, "endless-1"));
});
