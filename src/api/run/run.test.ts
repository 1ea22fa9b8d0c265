import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import type { Logger } from "../../base/index.ts";
import { collectSink, generatorSource } from "../../connectors/index.ts";
import { defineJob, type JobDefinition } from "../job-definition.ts";
import { defaultCheckpointDirectory, fileNameOf } from "./job-directory.ts";
import { run, runAsync } from "./run.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-run-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Numbers for ever, to a list. */
function numbers(into: number[], failAt?: number): JobDefinition {
  return defineJob("numbers", (env) => {
    env
      .fromSource(generatorSource((n) => n, { recordsPerSecond: 2_000 }))
      .uid("numbers")
      .map((n) => {
        if (n === failAt) throw new RangeError(`no ${n}`);
        into.push(n);
        return n;
      })
      .sinkTo(collectSink<number>());
  });
}

const settings = (): Record<string, string | number> => ({
  "execution.checkpointing.dir": folder,
  "execution.checkpointing.interval": "20 ms",
});

async function untilCount(list: readonly number[], count: number): Promise<void> {
  while (list.length < count) await new Promise((resolve) => setImmediate(resolve));
}

test("a job runs to its end, and its directory remembers that it finished", async () => {
  const sink = collectSink<number>();
  const job = defineJob(
    "three",
    (env) =>
      void env
        .fromData(1, 2, 3)
        .map((n) => n * 2)
        .sinkTo(sink),
  );
  const client = await runAsync(job, settings());
  expect(await client.result).toMatchObject({ status: "FINISHED", restarts: 0 });
  expect(sink.records).toEqual([2, 4, 6]);
  expect(client.recordsRead()).toBe(3);
  const directory = client.directory ?? "";
  expect(directory).toBe(join(folder, client.jobId));
  const state = JSON.parse(await readFile(join(directory, "job-state.json"), "utf8")) as unknown;
  expect(state).toMatchObject({
    format: 1,
    jobName: "three",
    status: "FINISHED",
    startedFrom: null,
  });
  expect((await readdir(directory)).some((name) => name.startsWith("chk-"))).toBe(false);
});

test("a job that was stopped goes on from its last checkpoint; told to be fresh, it starts from nothing", async () => {
  const first: number[] = [];
  const client = await runAsync(numbers(first), settings());
  await untilCount(first, 50);
  await client.stop();
  expect(await client.result).toMatchObject({ status: "SUSPENDED" });

  const second: number[] = [];
  const again = await runAsync(numbers(second), settings());
  expect(again.startedFrom).toMatch(/\/chk-\d+$/);
  await untilCount(second, 1);
  again.cancel();
  expect(await again.result).toMatchObject({ status: "CANCELED" });
  expect(second[0]).toBeGreaterThanOrEqual(50);

  const third: number[] = [];
  const fresh = await runAsync(numbers(third), settings(), { fresh: true });
  expect(fresh.startedFrom).toBeUndefined();
  expect(fresh.leftCheckpointIds.length).toBeGreaterThan(0);
  await untilCount(third, 1);
  fresh.cancel();
  await fresh.result;
  expect(third[0]).toBe(0);
});

test("a second run of the same directory in this process is refused too", async () => {
  const seen: number[] = [];
  const client = await runAsync(numbers(seen), settings());
  await expect(run(numbers([]), settings())).rejects.toMatchObject({
    code: "JOB_DIRECTORY_IN_USE",
  });
  client.cancel();
  await client.result;
});

test("a job that fails for good rejects with its own error as the cause, and goes on from its checkpoint", async () => {
  const seen: number[] = [];
  const failing = run(numbers(seen, 200), { ...settings(), "restart-strategy.type": "none" });
  await expect(failing).rejects.toMatchObject({
    code: "JOB_FAILED",
    cause: { code: "USER_FUNCTION_FAILED", cause: { message: "no 200" } },
  });
  const again = await runAsync(numbers([]), settings());
  expect(again.startedFrom).toMatch(/chk-/);
  again.cancel();
  await again.result;
});

test("without checkpoints nothing is written", async () => {
  const job = defineJob("none", (env) => void env.fromData(1).sinkTo(collectSink<number>()));
  const before = process.cwd();
  process.chdir(folder);
  try {
    const client = await runAsync(job, { "execution.checkpointing.interval": "0 ms" });
    expect(client.directory).toBeUndefined();
    await client.result;
  } finally {
    process.chdir(before);
  }
  expect(await readdir(folder)).toEqual([]);
});

test("a slip in a key is refused, a cluster's key is told of, an older name too", async () => {
  const job = defineJob("keys", (env) => void env.fromData(1).sinkTo(collectSink<number>()));
  await expect(run(job, { ...settings(), "state.checkpoint.dir": "x" })).rejects.toMatchObject({
    code: "OPTION_UNKNOWN",
    remedy: expect.stringContaining('"state.checkpoints.dir"'),
  });
  const slip = defineJob("slip", (env) => {
    env.configure({ "pipline.max-parallelism": 4 }).fromData(1).sinkTo(collectSink<number>());
  });
  await expect(run(slip, settings())).rejects.toMatchObject({ code: "OPTION_UNKNOWN" });

  const told: string[] = [];
  const log: Logger = { log: (level, message) => void (level === "WARN" && told.push(message)) };
  const given = {
    "execution.checkpointing.dir": folder,
    "taskmanager.numberOfTaskSlots": 4,
    "state.checkpoints.num-retained": 2,
  };
  await run(job, given, { log });
  expect(told).toEqual([
    "These settings of Flink's have no effect here: taskmanager.numberOfTaskSlots.",
    expect.stringContaining(
      "'state.checkpoints.num-retained' instead of proper key 'execution.checkpointing.num-retained'",
    ),
  ]);
});

test("a job's directory is named so that no job's name can leave it", () => {
  expect(defaultCheckpointDirectory("flights")).toBe(".cutwater/flights");
  expect(fileNameOf("../a b")).toBe("%2E.%2Fa%20b");
  expect(fileNameOf("航班")).toBe("%E8%88%AA%E7%8F%AD");
  expect(fileNameOf("x".repeat(300)).length).toBeLessThanOrEqual(100);
});

test("a file in the way of the directory is named", async () => {
  const job = defineJob("way", (env) => void env.fromData(1).sinkTo(collectSink<number>()));
  await writeFile(join(folder, "file"), "");
  const refused = run(job, { "execution.checkpointing.dir": join(folder, "file") });
  await expect(refused).rejects.toMatchObject({ code: "JOB_DIRECTORY_UNUSABLE" });
});
