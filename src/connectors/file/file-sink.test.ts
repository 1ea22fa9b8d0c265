import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { nodePlatform, silentLogger } from "../../base/index.ts";
import { OperatorMeters, type SinkContext, type SinkWriter } from "../../operators/index.ts";
import { Types } from "../../serde/index.ts";
import { csv } from "../format/csv.ts";
import { text } from "../format/text.ts";
import type { FileCommittable } from "./file-committable.ts";
import { fileSink, type FileSinkOptions } from "./file-sink.ts";

let folder = "";

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "cutwater-sink-")), "out");
});
afterEach(() => rm(join(folder, ".."), { recursive: true, force: true }));

const failures: unknown[] = [];

function contextOf(overrides: Partial<SinkContext> = {}): SinkContext {
  const platform = nodePlatform();
  return {
    jobName: "job",
    jobId: "0123456789abcdef0123456789abcdef",
    operatorId: "fedcba9876543210fedcba9876543210",
    subtaskIndex: 0,
    parallelism: 1,
    attempt: 0,
    isRestored: false,
    restoredCheckpointId: undefined,
    platform,
    files: platform.files,
    log: silentLogger,
    metrics: new OperatorMeters(),
    available() {},
    fail: (error) => void failures.push(error),
    ...overrides,
  };
}

type Writer = SinkWriter<string, FileCommittable, never>;

async function writerOf(context = contextOf(), options: FileSinkOptions = {}): Promise<Writer> {
  return fileSink<string>(folder, text(), options).createWriter(context, []);
}

async function prepare(
  writer: Writer,
  checkpointId: number | undefined,
): Promise<readonly FileCommittable[]> {
  const { committables, durable } = writer.prepareCommit(checkpointId);
  await durable;
  return committables;
}

async function commit(
  committables: readonly FileCommittable[],
  context = contextOf(),
): Promise<void> {
  await (await fileSink<string>(folder, text()).createCommitter?.(context))?.commit(committables);
}

async function finished(): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith("part-"));
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return contents.flatMap((content) => content.split("\n").slice(0, -1)).toSorted();
}

const hidden = async () => (await readdir(folder)).filter((name) => name.startsWith("."));

describe("a file sink", () => {
  test("shows records only after the commit, and a second commit changes nothing", async () => {
    const writer = await writerOf();
    writer.write("a", 0);
    writer.write("b", 0);
    const committables = await prepare(writer, 1);
    expect(await finished()).toEqual([]);
    await commit(committables);
    await commit(committables);
    expect(await finished()).toEqual(["a", "b"]);
    expect(await hidden()).toEqual([]);
    expect(await prepare(writer, 2)).toEqual([]);
    await writer.close();
  });

  test("closes parts at their size", async () => {
    const writer = await writerOf(contextOf(), { maxPartBytes: 100_000 });
    const lines = Array.from({ length: 30 }, (_, index) => `${index}`.padStart(10_000, "0"));
    for (const line of lines) writer.write(line, 0);
    const committables = await prepare(writer, 1);
    expect(committables.length).toBeGreaterThan(1);
    await commit(committables);
    expect(await finished()).toEqual(lines.toSorted());
  });

  test("writes a header into each part", async () => {
    const row = Types.struct({ a: Types.string() });
    const sink = fileSink(folder, csv(row));
    const writer = await sink.createWriter(contextOf(), []);
    writer.write({ a: "1" }, 0);
    const { committables, durable } = writer.prepareCommit(1);
    await durable;
    await commit(committables);
    expect(await finished()).toEqual(["1", "a"]);
    expect((await readdir(folder))[0]).toMatch(/^part-.*\.csv$/);
  });
});

describe("a restart", () => {
  test("removes what was not covered by the restored checkpoint and keeps what was", async () => {
    const writer = await writerOf();
    writer.write("covered", 0);
    const covered = await prepare(writer, 1);
    writer.write("later", 0);
    await prepare(writer, 2);
    writer.write("in progress", 0);
    const restored = contextOf({ isRestored: true, restoredCheckpointId: 1, attempt: 1 });
    const next = await writerOf(restored);
    expect(await hidden()).toEqual(covered.map(({ pending }) => pending));
    await commit(covered, restored);
    expect(await finished()).toEqual(["covered"]);
    await next.close();
    expect(await hidden()).toEqual([]);
  });

  test("with fewer subtasks removes the leftovers of those that are gone, and of no other job or subtask", async () => {
    const third = await writerOf(contextOf({ subtaskIndex: 2, parallelism: 3 }));
    third.write("x", 0);
    await prepare(third, 5);
    const second = await writerOf(contextOf({ subtaskIndex: 1, parallelism: 3 }));
    second.write("y", 0);
    const [kept] = await prepare(second, 5);
    const foreign = await writerOf(
      contextOf({ jobId: "f".repeat(32), subtaskIndex: 2, parallelism: 3 }),
    );
    foreign.write("z", 0);
    const [other] = await prepare(foreign, 5);
    await writerOf(contextOf({ parallelism: 2, isRestored: true, restoredCheckpointId: 4 }));
    expect(await hidden()).toEqual([kept?.pending, other?.pending].toSorted());
  });

  test("what a dead attempt closed only after it had been replaced goes when all is committed", async () => {
    const dead = await writerOf();
    const restored = contextOf({ isRestored: true, restoredCheckpointId: 2, attempt: 1 });
    await writerOf(restored);
    dead.write("twice", 0);
    await prepare(dead, 1);
    expect(await hidden()).toHaveLength(1);
    await (await fileSink<string>(folder, text()).createCommitter?.(restored))?.finish?.();
    expect(await hidden()).toEqual([]);
  });

  test("a pending file that something removed is named", async () => {
    await writerOf();
    const lost = commit([{ pending: ".gone", finished: "part-gone" }]);
    await expect(lost).rejects.toMatchObject({ code: "COMMITTABLE_LOST" });
  });
});

describe("finished output of another run", () => {
  beforeEach(async () => {
    await commit(await prepare(await writerOf(), 1));
    await writeFile(join(folder, "part-old-0.txt"), "old\n");
  });

  test("is refused at a fresh start, and kept", async () => {
    await expect(writerOf()).rejects.toMatchObject({ code: "SINK_FOLDER_NOT_EMPTY" });
    expect(await finished()).toEqual(["old"]);
  });

  test("is refused or removed by a later attempt that starts from nothing as well", async () => {
    const again = contextOf({ attempt: 3 });
    await expect(writerOf(again)).rejects.toMatchObject({ code: "SINK_FOLDER_NOT_EMPTY" });
    await writerOf(again, { existing: "overwrite" });
    expect(await finished()).toEqual([]);
  });

  test("is added to when a run goes on, or the user says so", async () => {
    await writerOf(contextOf({ isRestored: true, restoredCheckpointId: 1 }));
    await writerOf(contextOf(), { existing: "append" });
    expect(await finished()).toEqual(["old"]);
  });

  test("is removed if the user says so", async () => {
    await writerOf(contextOf(), { existing: "overwrite" });
    expect(await finished()).toEqual([]);
  });
});

test("a folder that cannot be made fails with folder and action", async () => {
  await rm(folder, { recursive: true, force: true });
  await writeFile(folder, "in the way");
  await expect(writerOf()).rejects.toMatchObject({
    code: "SINK_FILE_UNWRITABLE",
    message: `The sink could not prepare ${folder}.`,
    cause: { code: "EEXIST" },
  });
});

test("a folder that cannot be written fails with file and action", async () => {
  const writer = await writerOf();
  await rm(folder, { recursive: true });
  await writeFile(folder, "in the way");
  writer.write("a", 0);
  await expect(prepare(writer, 1)).rejects.toMatchObject({
    code: "SINK_FILE_UNWRITABLE",
    details: { action: "create" },
  });
  expect(failures[0]).toMatchObject({ code: "SINK_FILE_UNWRITABLE" });
});
