import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import {
  type FileSystem,
  isStreamError,
  nodePlatform,
  type OpenFile,
  type Platform,
} from "../../base/index.ts";
import type { StreamStateHandle } from "../../state/index.ts";
import { encodeMetadata } from "../metadata/metadata-encoder.ts";
import { CHECKPOINT_STORAGE_LAWS, metadataOf } from "./checkpoint-storage-laws.ts";
import { FileCheckpointStorage } from "./file-checkpoint-storage.ts";
import { MemoryCheckpointStorage } from "./memory-checkpoint-storage.ts";

const JOB_ID = "00000000000000000000000000000abc";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "checkpoint-storage-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function fileStorage(platform: Platform = nodePlatform()): FileCheckpointStorage {
  return new FileCheckpointStorage(platform, {
    directory: `${directory}/checkpoints`,
    savepointDirectory: undefined,
    jobId: JOB_ID,
    createSubdirectory: true,
    inlineThresholdBytes: 20 * 1024,
  });
}

describe("file storage", () => {
  test.each(CHECKPOINT_STORAGE_LAWS)("$name", (law) =>
    law.check(() => fileStorage(), `${directory}/savepoints`),
  );

  test("makes a removed name durable before the files go, also where somebody had removed it already", async () => {
    const platform = nodePlatform();
    const calls: string[] = [];
    const files: FileSystem = {
      ...platform.files,
      syncDirectory: async (path) => {
        calls.push(`sync ${path}`);
        await platform.files.syncDirectory(path);
      },
      removeTree: async (path) => {
        calls.push(`remove ${path}`);
        await platform.files.removeTree(path);
      },
    };
    const storage = fileStorage({ ...platform, files });
    const checkpoint = await storage.initializeCheckpoint(7);
    await storage.finalize(checkpoint, encodeMetadata(metadataOf(7)));
    rmSync(join(checkpoint, "_metadata"));
    calls.length = 0;
    await storage.discard(checkpoint);
    expect(calls).toEqual([`sync ${checkpoint}`, `remove ${checkpoint}`]);
  });

  test("lays checkpoints out as Flink does", async () => {
    const storage = fileStorage();
    const checkpoint = await storage.initializeCheckpoint(7);
    await storage.writeState(checkpoint, [new Uint8Array(20 * 1024 + 1)]);
    await storage.finalize(checkpoint, encodeMetadata(metadataOf(7)));
    expect(checkpoint).toBe(`${directory}/checkpoints/${JOB_ID}/chk-7`);
    expect(readdirSync(join(checkpoint, "..")).toSorted()).toEqual([
      "chk-7",
      "shared",
      "taskowned",
    ]);
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(readdirSync(checkpoint).toSorted((a, b) => b.length - a.length)).toEqual([
      expect.stringMatching(uuid),
      "_metadata",
    ]);
  });

  test("a truncated or missing state file is named and never half read", async () => {
    const storage = fileStorage();
    const checkpoint = await storage.initializeCheckpoint(1);
    const handle = await storage.writeState(checkpoint, [new Uint8Array(50_000)]);
    if (handle.kind !== "relative-file") throw new Error("a large state is a file");
    const path = `${checkpoint}/${handle.path}`;
    truncateSync(path, 49_999);
    const from = { checkpointId: 1, directory: checkpoint };
    await expect(storage.readState(handle, from)).rejects.toMatchObject({
      code: "STATE_HANDLE_UNREADABLE",
      details: { path, checkpointId: 1, problem: "it has 49999 bytes, the checkpoint says 50000" },
    });
    rmSync(path);
    await expect(storage.readState(handle, from)).rejects.toMatchObject({
      code: "STATE_HANDLE_UNREADABLE",
      details: { path },
    });
  });

  test("a file in the way of the directory is named with what to do about it", async () => {
    writeFileSync(`${directory}/checkpoints`, "in the way");
    const error: unknown = await fileStorage()
      .initializeCheckpoint(1)
      .catch((thrown: unknown) => thrown);
    expect(isStreamError(error, "CHECKPOINT_STORAGE_FAILED")).toBe(true);
    expect(String(error)).toContain(`${directory}/checkpoints/${JOB_ID}/shared`);
    expect((error as { remedy: string }).remedy).toContain("Move away the file");
  });

  test.skipIf(process.getuid?.() === 0)("a directory without permission is named", async () => {
    execFileSync("chmod", ["000", directory]);
    try {
      await expect(fileStorage().initializeCheckpoint(1)).rejects.toMatchObject({
        code: "CHECKPOINT_STORAGE_FAILED",
        details: { systemCode: "EACCES" },
      });
    } finally {
      execFileSync("chmod", ["700", directory]);
    }
  });

  test("a savepoint without a place to put it says which options name one", async () => {
    await expect(fileStorage().initializeSavepoint(1, undefined)).rejects.toMatchObject({
      code: "SAVEPOINT_DIRECTORY_MISSING",
      remedy: "Name a target directory, or set execution.checkpointing.savepoint-dir.",
    });
  });

  test("refuses a place that is not on this machine", () => {
    const options = {
      directory: "s3://bucket/checkpoints",
      savepointDirectory: undefined,
      jobId: JOB_ID,
      createSubdirectory: true,
      inlineThresholdBytes: 0,
    };
    expect(() => new FileCheckpointStorage(nodePlatform(), options)).toThrowError(
      expect.objectContaining({ code: "CHECKPOINT_STORAGE_UNSUPPORTED" }),
    );
  });

  test.each(["transient", "persistent"] as const)(
    "each operation failing once, %s: no half checkpoint is seen, nothing leaks",
    async (lasting) => {
      const operationCount = await failEachOperation(lasting, async (fault) => {
        rmSync(`${directory}/checkpoints`, { recursive: true, force: true });
        const run = await runCheckpoints(
          fileStorage({ ...nodePlatform(), files: faultyFiles(nodePlatform().files, fault) }),
        );

        const restarted = fileStorage();
        const { complete, damaged } = await restarted.retained();
        const ids = complete.map(({ metadata }) => metadata.checkpointId);
        expect(damaged).toEqual([]);
        expect(ids).toEqual(expect.arrayContaining([...run.kept]));
        for (const { metadata, directory: from } of complete) {
          const { checkpointId } = metadata;
          const handle = run.handles.get(checkpointId);
          if (handle === undefined) throw new Error("a complete checkpoint has its state");
          const bytes = await restarted.readState(handle, { checkpointId, directory: from });
          expect(new Set(bytes)).toEqual(new Set([checkpointId]));
        }
        // Only while everything fails may the removal of an aborted one fail too; it is then whole all the same.
        const wronglyComplete =
          lasting === "transient" ? ids.filter((id) => run.aborted.includes(id)) : [];
        expect(wronglyComplete).toEqual([]);
        const failedCount = lasting === "transient" && fault.hasFired ? 1 : run.failedCount;
        expect(run.failedCount).toBe(failedCount);
        await restarted.removeLeftovers();
        expect(filesBelow(`${directory}/checkpoints`)).toBe(2 * complete.length);
      });
      expect(operationCount).toBeGreaterThan(30);
    },
  );
});

/** What a run of three checkpoints, of which one is retained, came to. */
interface CheckpointRun {
  readonly handles: Map<number, StreamStateHandle>;
  /** Completed and not asked to be deleted. */
  kept: readonly number[];
  readonly aborted: number[];
  failedCount: number;
}

async function runCheckpoints(storage: FileCheckpointStorage): Promise<CheckpointRun> {
  const run: CheckpointRun = { handles: new Map(), kept: [], aborted: [], failedCount: 0 };
  const directories = new Map<number, string>();
  const discard = async (id: number): Promise<void> => {
    const path = directories.get(id);
    if (path === undefined) return;
    await storage.discard(path).catch(() => {
      run.failedCount += 1;
    });
  };
  for (const id of [1, 2, 3]) {
    try {
      const path = await storage.initializeCheckpoint(id);
      directories.set(id, path);
      const chunk = new Uint8Array(15_000).fill(id);
      run.handles.set(id, await storage.writeState(path, [chunk, chunk]));
      await storage.finalize(path, encodeMetadata(metadataOf(id)));
    } catch {
      run.failedCount += 1;
      run.aborted.push(id);
      await discard(id);
      continue;
    }
    for (const older of run.kept) await discard(older);
    run.kept = [id];
  }
  return run;
}

/** Fails the nth operation, or every one from the nth on. */
class Fault {
  readonly #nth: number;
  readonly #lasting: "transient" | "persistent";
  #count = 0;

  constructor(nth: number, lasting: "transient" | "persistent") {
    this.#nth = nth;
    this.#lasting = lasting;
  }

  get hasFired(): boolean {
    return this.#count >= this.#nth;
  }

  meet(path: string): void {
    this.#count += 1;
    const fails = this.#lasting === "transient" ? this.#count === this.#nth : this.hasFired;
    if (!fails) return;
    throw Object.assign(new Error(`ENOSPC: no space left on device, '${path}'`), {
      code: "ENOSPC",
    });
  }
}

/** Runs again and again, failing the first operation, then the second, until none is left to fail. */
async function failEachOperation(
  lasting: "transient" | "persistent",
  attempt: (fault: Fault) => Promise<void>,
): Promise<number> {
  for (let nth = 1; nth <= 10_000; nth++) {
    const fault = new Fault(nth, lasting);
    await attempt(fault);
    if (!fault.hasFired) return nth - 1;
  }
  throw new Error("no run without a fault in 10000 tries");
}

function faultyFiles(files: FileSystem, fault: Fault): FileSystem {
  return new Proxy(files, {
    get(target, name: keyof FileSystem) {
      return async (...parameters: string[]) => {
        fault.meet(parameters[0] ?? "");
        const call = target[name] as (...values: string[]) => Promise<unknown>;
        const result = await call.apply(target, parameters);
        return name === "open"
          ? faultyFile(result as OpenFile, fault, parameters[0] ?? "")
          : result;
      };
    },
  });
}

/** A file half of whose bytes are written when a write fails; closing always releases it. */
function faultyFile(file: OpenFile, fault: Fault, path: string): OpenFile {
  return {
    read: (target, position) => file.read(target, position),
    status: () => file.status(),
    truncate: (size) => file.truncate(size),
    async write(data, position) {
      try {
        fault.meet(path);
      } catch (error) {
        await file.write(data.subarray(0, data.length >> 1), position);
        throw error;
      }
      await file.write(data, position);
    },
    async sync() {
      fault.meet(path);
      await file.sync();
    },
    async close() {
      await file.close();
      fault.meet(path);
    },
  };
}

function filesBelow(path: string): number {
  if (!existsSync(path)) return 0;
  return readdirSync(path, { recursive: true, withFileTypes: true }).filter((e) => e.isFile())
    .length;
}

describe("memory storage", () => {
  test.each(CHECKPOINT_STORAGE_LAWS)("$name", (law) => {
    const storage = new MemoryCheckpointStorage(nodePlatform());
    return law.check(() => storage, "savepoints");
  });
});
