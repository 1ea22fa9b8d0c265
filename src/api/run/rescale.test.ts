import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { collectSink, type CollectSink, generatorSource } from "../../connectors/index.ts";
import { Types } from "../../serde/index.ts";
import { defineJob, type JobDefinition } from "../job-definition.ts";
import type { JobClient } from "./job-client.ts";
import { runAsync } from "./run.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-rescale-"));
});
afterEach(() => rm(folder, { recursive: true }));

const COUNT = 6_000;

/** Counts of each of twenty keys, and how many subtasks counted. */
function counts(sink: CollectSink<string>, maxParallelism = 16): JobDefinition {
  return defineJob("counts", (env) => {
    env
      .fromSource(
        generatorSource((index) => index, {
          count: COUNT,
          recordsPerSecond: 4_000,
          type: Types.int(),
        }),
      )
      .uid("numbers")
      .keyBy((value) => value % 20, Types.int())
      .aggregate({
        createAccumulator: () => 0,
        add: (_value: number, count: number) => count + 1,
        getResult: (count) => String(count),
        merge: (a, b) => a + b,
      })
      .uid("counts")
      .setMaxParallelism(maxParallelism)
      .sinkTo(sink)
      .uid("sink");
  });
}

const settings = (more: Record<string, string | number> = {}): Record<string, string | number> => ({
  "execution.checkpointing.dir": folder,
  "execution.checkpointing.interval": "20 ms",
  "parallelism.default": 2,
  "cutwater.operator-isolation": "shared",
  ...more,
});

/** Each count of each key came once: nothing was lost, and nothing counted twice. */
function expectExact(sink: CollectSink<string>): void {
  const expected = Array.from({ length: COUNT }, (_, index) => String(Math.floor(index / 20) + 1));
  expect(sink.records.toSorted()).toEqual(expected.toSorted());
}

function parallelismOf({ job }: JobClient): number {
  return Math.max(...job.graph.vertices.map(({ parallelism }) => parallelism));
}

/** What came with the last checkpoint is there before the tasks of the next form run. */
async function untilRunning(client: JobClient): Promise<void> {
  while (!client.job.master.execution.isRunning)
    await new Promise((resolve) => setImmediate(resolve));
}

async function untilSome(sink: CollectSink<string>, count: number): Promise<void> {
  while (sink.records.length < count) await new Promise((resolve) => setImmediate(resolve));
}

test.each([{}, { "execution.checkpointing.unaligned.enabled": "true" }])(
  "a running job goes from 2 to 5 to 3 subtasks in this process, and counts everything once (%o)",
  async (more) => {
    const sink = collectSink<string>();
    const statuses: string[] = [];
    const client = await runAsync(counts(sink), settings(more), {
      onStatus: (status) => statuses.push(status),
    });
    await untilSome(sink, 500);
    await client.rescale(5);
    expect(client.status).toBe("RUNNING");
    expect(parallelismOf(client)).toBe(5);
    await untilSome(sink, 2_500);
    await untilRunning(client);
    await client.rescale(3);
    expect(parallelismOf(client)).toBe(3);
    expect(await client.result).toMatchObject({ status: "FINISHED" });
    expect(statuses).toEqual([
      "RUNNING",
      "RESTARTING",
      "RUNNING",
      "RESTARTING",
      "RUNNING",
      "FINISHED",
    ]);
    expectExact(sink);
    const state = await readFile(join(client.directory ?? "", "job-state.json"), "utf8");
    expect(JSON.parse(state)).toMatchObject({ status: "FINISHED" });
  },
);

test("checkpoints stay over a change of parallelism although cancelling would delete them", async () => {
  const sink = collectSink<string>();
  const retention = "execution.checkpointing.externalized-checkpoint-retention";
  const client = await runAsync(
    counts(sink),
    settings({ [retention]: "NO_EXTERNALIZED_CHECKPOINTS" }),
  );
  await untilSome(sink, 500);
  await client.rescale(4);
  expect(await client.result).toMatchObject({ status: "FINISHED" });
  expectExact(sink);
});

test("a parallelism above the number of key groups is refused by name, and the job goes on", async () => {
  const sink = collectSink<string>();
  const client = await runAsync(counts(sink, 6), settings());
  await untilSome(sink, 100);
  await expect(client.rescale(7)).rejects.toMatchObject({
    code: "PARALLELISM_INVALID",
    message: expect.stringContaining("above its max parallelism of 6") as string,
  });
  await expect(client.rescale(0)).rejects.toMatchObject({ code: "PARALLELISM_INVALID" });
  expect(parallelismOf(client)).toBe(2);
  expect(await client.result).toMatchObject({ status: "FINISHED" });
  expectExact(sink);
  await expect(client.rescale(3)).rejects.toMatchObject({ code: "JOB_NOT_RUNNING" });
});

test("a derived maximum is that of the job as it runs", async () => {
  const numbers = defineJob("derived", (env) => {
    env
      .fromSource(generatorSource((index) => index, { recordsPerSecond: 1_000, type: Types.int() }))
      .uid("numbers")
      .keyBy((value) => value % 20, Types.int())
      .reduce((a, b) => a + b)
      .uid("sums")
      .sinkTo(collectSink<number>())
      .uid("sink");
  });
  const client = await runAsync(numbers, settings());
  await expect(client.rescale(129)).rejects.toMatchObject({
    code: "PARALLELISM_ABOVE_MAXIMUM",
    details: { parallelism: 129, maxParallelism: 128 },
  });
  client.cancel();
  await client.result;
});

test("a job without checkpoints in files cannot change its parallelism", async () => {
  const client = await runAsync(
    counts(collectSink<string>()),
    settings({ "execution.checkpointing.storage": "jobmanager" }),
  );
  await expect(client.rescale(3)).rejects.toMatchObject({ code: "JOB_NOT_RESCALABLE" });
  client.cancel();
  await client.result;
});

test("a job that is cancelled while it changes its parallelism is cancelled", async () => {
  const sink = collectSink<string>();
  const client = await runAsync(counts(sink), settings());
  await untilSome(sink, 100);
  const rescaled = client.rescale(4);
  await expect(client.rescale(5)).rejects.toMatchObject({ code: "JOB_NOT_RUNNING" });
  client.cancel();
  await rescaled;
  expect(await client.result).toMatchObject({ status: "CANCELED" });
});
