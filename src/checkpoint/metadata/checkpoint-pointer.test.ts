import { mkdirSync, mkdtempSync, rmSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { type FileSystem, nodePlatform } from "../../base/index.ts";
import type { StreamStateHandle } from "../../state/index.ts";
import { EMPTY_SUBTASK_STATE } from "../operator-state.ts";
import type { CheckpointMetadata } from "./checkpoint-metadata.ts";
import {
  findCheckpointDirectories,
  localPath,
  readSnapshot,
  resolveCheckpointPointer,
} from "./checkpoint-pointer.ts";
import { propertiesOfCheckpoint } from "./checkpoint-properties.ts";
import { encodeMetadata } from "./metadata-encoder.ts";
import { checkSnapshotFiles } from "./snapshot-files.ts";

const files = nodePlatform().files;
let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "checkpoint-pointer-"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A checkpoint of one operator whose subtasks have these streams as operator state. */
function metadataOf(...streams: readonly StreamStateHandle[]): CheckpointMetadata {
  return {
    version: 6,
    checkpointId: 7,
    masterStates: [],
    operatorStates: [
      {
        operatorName: "bursts",
        operatorUid: "bursts",
        operatorId: "ab".repeat(16),
        parallelism: streams.length,
        maxParallelism: 128,
        coordinatorState: undefined,
        isFullyFinished: false,
        subtaskStates: streams.map((stream, subtaskIndex) => ({
          subtaskIndex,
          isFinished: false,
          referenceCheckpointId: undefined,
          state: {
            ...EMPTY_SUBTASK_STATE,
            managedOperator: { states: [], stream, merged: undefined },
          },
        })),
      },
    ],
    properties: propertiesOfCheckpoint("CHECKPOINT", "RETAIN_ON_CANCELLATION"),
  };
}

function writeCheckpoint(directory: string, metadata: CheckpointMetadata = metadataOf()): string {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "_metadata"), encodeMetadata(metadata));
  return directory;
}

describe("a pointer", () => {
  test("may be the directory, the file, or either as an address", async () => {
    const directory = writeCheckpoint(join(root, "job", "chk-7"));
    const metadataPath = join(directory, "_metadata");
    const pointers = [
      directory,
      `${directory}/`,
      metadataPath,
      `file:${directory}`,
      `file://${metadataPath}`,
    ];
    for (const pointer of pointers) {
      expect(await resolveCheckpointPointer(pointer, files)).toEqual({ directory, metadataPath });
    }
    expect((await readSnapshot(directory, files)).metadata.checkpointId).toBe(7);
  });

  test.each([
    ["nothing", "nothing", "there is no such file or directory"],
    ["an empty directory", "empty", "it holds no _metadata"],
    [
      "a checkpoint that did not complete",
      "unfinished/chk-3",
      "it holds no _metadata, so this checkpoint never completed, or its deletion was cut short",
    ],
    [
      "a job's directory without a complete checkpoint",
      "unfinished",
      "it holds no _metadata, and none of the 1 checkpoints in it completed",
    ],
  ])("to %s is refused with what is there", async (_, name, problem) => {
    mkdirSync(join(root, "empty"));
    mkdirSync(join(root, "unfinished", "chk-3"), { recursive: true });
    const pointer = join(root, name);
    await expect(resolveCheckpointPointer(pointer, files)).rejects.toMatchObject({
      code: "CHECKPOINT_POINTER_INVALID",
      message: `${pointer} does not point to a completed checkpoint: ${problem}.`,
    });
  });

  test("to the directory of a job names its newest complete checkpoint", async () => {
    writeCheckpoint(join(root, "chk-9"));
    const newest = writeCheckpoint(join(root, "chk-10"));
    mkdirSync(join(root, "chk-11"));
    await expect(resolveCheckpointPointer(root, files)).rejects.toMatchObject({
      details: {
        pointer: root,
        problem: `it holds no _metadata itself; there is one in ${newest}`,
      },
    });
  });

  test("to another file system is refused", async () => {
    await expect(resolveCheckpointPointer("s3://bucket/chk-1", files)).rejects.toMatchObject({
      code: "CHECKPOINT_POINTER_INVALID",
    });
  });

  test("to a damaged file gives the place of the damage", async () => {
    const directory = writeCheckpoint(join(root, "chk-7"));
    truncateSync(join(directory, "_metadata"), 20);
    await expect(readSnapshot(directory, files)).rejects.toMatchObject({
      code: "METADATA_MALFORMED",
      details: { path: join(directory, "_metadata"), positionBytes: 20 },
    });
  });
});

test("an address is a path of this machine only with the scheme file and no host", () => {
  const addresses = [
    "/a/b c",
    "a",
    "file:/a",
    "file:///a%20b",
    "file://host/a",
    "hdfs://n/a",
    "s3:/a",
    "file:a",
  ];
  expect(addresses.map(localPath)).toEqual([
    "/a/b c",
    "a",
    "/a",
    "/a%20b",
    ...Array(4).fill(undefined),
  ]);
});

test("checkpoints are found at a folder, in it, and one level deeper, numbers by value", async () => {
  writeCheckpoint(join(root, "job", "chk-10"));
  writeCheckpoint(join(root, "job", "chk-9"));
  mkdirSync(join(root, "job", "chk-11"));
  mkdirSync(join(root, "job", "shared"));
  writeCheckpoint(join(root, "savepoint-abc"));
  writeCheckpoint(join(root, "a", "b", "too-deep"));
  expect(await findCheckpointDirectories(root, files)).toEqual([
    { path: join(root, "job", "chk-9"), isComplete: true },
    { path: join(root, "job", "chk-10"), isComplete: true },
    { path: join(root, "job", "chk-11"), isComplete: false },
    { path: join(root, "savepoint-abc"), isComplete: true },
  ]);
});

describe("the files of a checkpoint", () => {
  const merged = (startBytes: number, sizeBytes: number, path: string): StreamStateHandle => ({
    kind: "segment",
    startBytes,
    sizeBytes,
    scope: "SHARED",
    path,
    logicalFileId: "id",
  });

  test("are right when each is there with its size", async () => {
    writeFileSync(join(root, "relative"), new Uint8Array(10));
    writeFileSync(join(root, "absolute"), new Uint8Array(20));
    writeFileSync(join(root, "merged"), new Uint8Array(100));
    const metadata = metadataOf(
      { kind: "relative-file", path: "relative", sizeBytes: 10 },
      { kind: "relative-file", path: "relative", sizeBytes: 10 },
      { kind: "file", path: `file:${root}/absolute`, sizeBytes: 20 },
      { kind: "file", path: join(root, "absolute"), sizeBytes: -1 },
      merged(0, 40, join(root, "merged")),
      merged(40, 60, join(root, "merged")),
      { kind: "empty-segment" },
      { kind: "bytes", name: "inline", data: new Uint8Array(3) },
      { kind: "file", path: "hdfs://namenode/shared/1", sizeBytes: 5 },
    );
    expect(await checkSnapshotFiles(metadata, root, files)).toEqual({
      problems: [],
      checkedCount: 3,
      uncheckedPaths: ["hdfs://namenode/shared/1"],
    });
  });

  test("are named when missing, too short, too long, or no file, with operator and subtask", async () => {
    writeFileSync(join(root, "long"), new Uint8Array(11));
    writeFileSync(join(root, "merged"), new Uint8Array(99));
    mkdirSync(join(root, "folder"));
    const metadata = metadataOf(
      { kind: "relative-file", path: "gone", sizeBytes: 10 },
      { kind: "relative-file", path: "long", sizeBytes: 10 },
      { kind: "relative-file", path: "folder", sizeBytes: 10 },
      merged(0, 40, join(root, "merged")),
      merged(40, 60, join(root, "merged")),
    );
    const { problems } = await checkSnapshotFiles(metadata, root, files);
    const common = {
      operatorId: "ab".repeat(16),
      operatorName: "bursts",
      state: "managed operator",
      cause: undefined,
    };
    expect(problems).toEqual([
      {
        ...common,
        kind: "missing",
        path: `${root}/gone`,
        subtaskIndex: 0,
        expectedBytes: 10,
        foundBytes: undefined,
      },
      {
        ...common,
        kind: "wrong-size",
        path: `${root}/long`,
        subtaskIndex: 1,
        expectedBytes: 10,
        foundBytes: 11,
      },
      {
        ...common,
        kind: "not-a-file",
        path: `${root}/folder`,
        subtaskIndex: 2,
        expectedBytes: 10,
        foundBytes: undefined,
      },
      {
        ...common,
        kind: "wrong-size",
        path: `${root}/merged`,
        subtaskIndex: 3,
        expectedBytes: 100,
        foundBytes: 99,
      },
    ]);
  });

  test("that the system does not let us see are named with what it said", async () => {
    const refusing: FileSystem = {
      ...files,
      status: () => Promise.reject(new Error("EACCES: permission denied")),
    };
    const metadata = metadataOf({ kind: "relative-file", path: "a", sizeBytes: 1 });
    const { problems } = await checkSnapshotFiles(metadata, root, refusing);
    expect(problems).toMatchObject([{ kind: "unreadable", cause: "EACCES: permission denied" }]);
  });

  test("are found where the checkpoint was moved to", async () => {
    writeFileSync(join(root, "state"), new Uint8Array(10));
    writeCheckpoint(root, metadataOf({ kind: "relative-file", path: "state", sizeBytes: 10 }));
    const { metadata, directory } = await readSnapshot(root, files);
    expect((await checkSnapshotFiles(metadata, directory, files)).problems).toEqual([]);
    unlinkSync(join(root, "state"));
    expect((await checkSnapshotFiles(metadata, directory, files)).problems).toMatchObject([
      { kind: "missing" },
    ]);
  });
});
