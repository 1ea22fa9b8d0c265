import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { cutwater } from "./cutwater-process.ts";

const JOB = fileURLToPath(new URL("../jobs/troubled-slots.ts", import.meta.url));
const TWO_PARTS = fileURLToPath(new URL("../jobs/two-parts.ts", import.meta.url));
const RECORDS = 40_000;

const SETTINGS: Readonly<Record<string, string>> = {
  "execution.checkpointing.interval": "100 ms",
  "restart-strategy.type": "fixed-delay",
  "restart-strategy.fixed-delay.attempts": "3",
  "restart-strategy.fixed-delay.delay": "10 ms",
  "heartbeat.interval": "200 ms",
};

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cutwater-slots-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(
  trouble: string,
  settings: Readonly<Record<string, string>> = {},
  job: string = JOB,
  placement: Readonly<Record<string, string>> = {
    "cutwater.slots": "2",
    "parallelism.default": "4",
  },
) {
  const all = Object.entries({ ...SETTINGS, ...placement, ...settings });
  const flags = all.flatMap(([key, value]) => ["-D", `${key}=${value}`]);
  return await cutwater(folder, "run", job, ...flags, "--", folder, String(RECORDS), trouble);
}

/** Every key's counts from 1 up, each once: nothing was lost and nothing done twice. */
function expectExactlyOnce(output = "out"): void {
  const out = join(folder, output);
  const lines = readdirSync(out).flatMap((name) =>
    readFileSync(join(out, name), "utf8").split("\n").slice(0, -1),
  );
  const expected = Array.from({ length: RECORDS }, (_, number) =>
    JSON.stringify({ key: `k${number % 100}`, count: Math.floor(number / 100) + 1 }),
  );
  expect(lines.toSorted()).toEqual(expected.toSorted());
}

describe("a job on two threads", () => {
  test("counts exactly, with every exchange between them", async () => {
    const result = await run("none");
    expect(result.stderr).toContain("40,000 records read");
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });

  test("survives process.exit in a user function, which is named with its slot (SLOT_LOST)", async () => {
    const result = await run("exit");
    expect(result.stderr).toMatch(
      /Slot [01] was lost in a turn of troubled \([1-4]\/4\)#0: its thread ended with code 3\./,
    );
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });

  test("fails the task a timer of whose code throws, and restarts (UNCAUGHT_EXCEPTION)", async () => {
    const result = await run("uncaught");
    expect(result.stderr).toMatch(
      /An error that nothing caught was thrown in troubled \([1-4]\/4\)#0/,
    );
    expect(result.stderr).not.toContain("was lost");
    expect(result.stderr).toContain("thrown by a timer");
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });

  test("fails the task whose function leaves a promise rejected, and restarts (UNHANDLED_REJECTION)", async () => {
    const result = await run("rejection");
    expect(result.stderr).toMatch(/rejected in troubled \([1-4]\/4\)#0/);
    expect(result.stderr).toContain("nobody looks at this");
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });

  test("survives a function that blocks for ever, and says which and for how long (SLOT_HEARTBEAT_TIMEOUT)", async () => {
    const result = await run("block", { "heartbeat.timeout": "2 s" });
    expect(result.stderr).toMatch(
      /Slot [01] showed no sign of life for 2000 ms: it has been in one turn of troubled \([1-4]\/4\)#0 for \d{4} ms/,
    );
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });

  test("says of a checkpoint that expires which function blocks, and for how long", async () => {
    const result = await run("block", {
      "heartbeat.timeout": "4 s",
      "execution.checkpointing.timeout": "1 s",
      "execution.checkpointing.tolerable-failed-checkpoints": "100",
    });
    expect(result.stderr).toMatch(
      /causes=\[.*troubled \([1-4]\/4\)#0 has been in one turn for \d{3,4} ms/,
    );
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });

  test("survives a full heap (SLOT_OUT_OF_MEMORY)", async () => {
    const result = await run("heap", { "cutwater.slot.heap-size": "64 mb" });
    expect(result.stderr).toMatch(/Slot [01] filled its heap in a turn of troubled \([1-4]\/4\)#0/);
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });

  test("fails for good with the slot and the cause when restarts are used up", async () => {
    const result = await run("exit", { "restart-strategy.type": "none" });
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/Job "troubled-slots" failed in troubled \([1-4]\/4\)#0/);
  });
});

describe("a job in the main thread", () => {
  // The source calls the task behind it directly, as its only channel's sender.
  test.each([
    [
      "rejection",
      /A promise that nobody looked at was rejected in Source: .* or troubled \(1\/1\)#0/,
    ],
    ["uncaught", /An error that nothing caught was thrown in Source: .* or troubled \(1\/1\)#0/],
  ])("fails the task that a %s came from, and restarts", async (trouble, named) => {
    const inMainThread = { "cutwater.slots": "1", "parallelism.default": "1" };
    const result = await run(trouble, {}, JOB, inMainThread);
    expect(result.stderr).toMatch(named);
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });

  test("fails as a whole by what no task has begun, and says that it cannot be told whose it is", async () => {
    const inMainThread = { "cutwater.slots": "1", "parallelism.default": "1" };
    const result = await run("outside", {}, JOB, inMainThread);
    expect(result.stderr).toContain(
      'A promise that nobody looked at was rejected in job "troubled-slots"; which of its tasks made it cannot be told.',
    );
    expect(result.exitCode).toBe(0);
    expectExactlyOnce();
  });
});

describe("a job of two parts, each on a thread of its own", () => {
  test("loses one thread: that part starts again, and the other goes on with what it does", async () => {
    const result = await run("none", {}, TWO_PARTS);
    expect(result.stderr).toMatch(/Slot [01] was lost in a turn of .*left.*#0/);
    expect(result.stderr).toMatch(/2 of 4 tasks of job two-parts start again in 0\.0 s/);
    expect(result.exitCode).toBe(0);
    expectExactlyOnce("left");
    expectExactlyOnce("right");
  });
});

describe("a job that its threads cannot make again", () => {
  test("is refused by its first thread, and not tried again (SLOT_NOT_STARTED, JOB_DIFFERS_IN_SLOT)", async () => {
    const { writeFileSync } = await import("node:fs");
    const path = join(folder, "differs.ts");
    writeFileSync(
      path,
      `import { isMainThread } from "node:worker_threads";
       import { defineJob } from "cutwater";
       export default defineJob("differs", (env) => {
         env.setParallelism(isMainThread ? 2 : 3).fromSequence(1, 9).print();
       });`,
    );
    const result = await cutwater(folder, "run", path, "--slots", "2");
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/The thread of slot [01] could not load the job\./);
    expect(result.stderr).toMatch(/The plan of job "differs" is another one in the thread of slot/);
  });
});
