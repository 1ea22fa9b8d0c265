import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";

import {
  type FileSystem,
  isStreamError,
  nodePlatform,
  type Platform,
  type StreamError,
} from "../../base/index.ts";
import { type DirectoryLock, lockDirectory } from "./directory-lock.ts";
import type { Liveness, ProcessIdentity, ProcessTable } from "./process-identity.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "cutwater-lock-"));
});
afterEach(() => rm(directory, { recursive: true }));

const identity = (pid: number): ProcessIdentity => ({
  pid,
  host: "blue",
  startTicks: String(pid),
  bootId: "boot",
  pidNamespace: 1,
});

/** Processes that live as long as the test says. */
class FakeProcesses {
  readonly #liveness = new Map<number, Liveness>();

  set(pid: number, liveness: Liveness): void {
    this.#liveness.set(pid, liveness);
  }

  tableOf(pid: number): ProcessTable {
    return {
      own: () => Promise.resolve(identity(pid)),
      livenessOf: (other) => Promise.resolve(this.#liveness.get(other.pid) ?? "alive"),
    };
  }
}

/** Time passes when the test says so. */
function manualPlatform(
  files: FileSystem = nodePlatform().files,
): Platform & { advance(ms: number): Promise<void> } {
  const real = { ...nodePlatform(), files };
  let nowMs = 0;
  let timers: { atMs: number; callback: () => void }[] = [];
  return {
    ...real,
    nowMs: () => nowMs,
    after(delayMs, callback) {
      const timer = { atMs: nowMs + delayMs, callback };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      while (nowMs < untilMs) {
        nowMs += 1_000;
        for (const timer of timers.filter(({ atMs }) => atMs <= nowMs)) {
          timers = timers.filter((other) => other !== timer);
          timer.callback();
        }
        for (let turn = 0; turn < 10; turn++) await new Promise((done) => setImmediate(done));
      }
    },
  };
}

/** Flat files that answer at once. */
function memoryFiles(): FileSystem {
  const contents = new Map<string, Uint8Array>();
  const missing = (): never => {
    throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  };
  const contentOf = (path: string): Uint8Array => contents.get(path) ?? missing();
  return {
    ...nodePlatform().files,
    open: async (path, mode) => {
      if (mode === "create") contents.set(path, new Uint8Array());
      const status = { kind: "file", sizeBytes: 0, modifiedAtMs: 0, inode: 0 } as const;
      return await Promise.resolve({
        read: () => Promise.resolve(0),
        write: async (data) => await Promise.resolve(void contents.set(path, data)),
        truncate: () => Promise.resolve(),
        status: () => Promise.resolve(status),
        sync: () => Promise.resolve(),
        close: () => Promise.resolve(),
      });
    },
    read: async (path) => await Promise.resolve(contentOf(path)),
    status: () => Promise.resolve(undefined),
    list: async () =>
      await Promise.resolve(
        [...contents.keys()].map((path) => ({
          name: path.slice(path.lastIndexOf("/") + 1),
          kind: "file" as const,
        })),
      ),
    rename: async (from, to) => {
      contents.set(to, contentOf(from));
      await Promise.resolve(contents.delete(from));
    },
    link: async (from, to) => {
      if (contents.has(to)) throw Object.assign(new Error("taken"), { code: "EEXIST" });
      await Promise.resolve(contents.set(to, contentOf(from)));
    },
    remove: async (path) => await Promise.resolve(void contents.delete(path)),
    syncDirectory: () => Promise.resolve(),
  };
}

const fail = (error: StreamError): never => {
  throw error;
};

test("a second process is refused, with the first one named", async () => {
  const processes = new FakeProcesses();
  const platform = manualPlatform();
  const lock = await lockDirectory({
    directory,
    platform,
    processes: processes.tableOf(7),
    onLost: fail,
  });
  await expect(
    lockDirectory({ directory, platform, processes: processes.tableOf(8), onLost: fail }),
  ).rejects.toMatchObject({
    code: "JOB_DIRECTORY_IN_USE",
    message: expect.stringContaining("process 7 on blue, there since 1970-01-01T00:00:00.000Z"),
  });
  await lock.release();
  expect(await readdir(directory)).toEqual([]);
});

test("the lock of a dead process is taken over, and nothing of it is left", async () => {
  const processes = new FakeProcesses();
  const platform = manualPlatform();
  await lockDirectory({ directory, platform, processes: processes.tableOf(7), onLost: fail });
  processes.set(7, "dead");
  const lock = await lockDirectory({
    directory,
    platform,
    processes: processes.tableOf(8),
    onLost: () => undefined,
  });
  expect((await readdir(directory)).toSorted()).toEqual([
    "lock",
    expect.stringMatching(/^lock\.beat-/),
  ]);
  expect(await readFile(join(directory, "lock"), "utf8")).toContain('"pid":8');
  await lock.release();
  expect(await readdir(directory)).toEqual([]);
});

test("a holder that cannot be seen keeps the lock while it beats, and loses it when it falls silent", async () => {
  const processes = new FakeProcesses();
  processes.set(7, "unknown");
  const files = memoryFiles();
  const holder = manualPlatform(files);
  const other = manualPlatform(files);
  let lost: StreamError | undefined;
  await lockDirectory({
    directory,
    platform: holder,
    processes: processes.tableOf(7),
    onLost: (error) => void (lost = error),
  });
  const take = () =>
    lockDirectory({ directory, platform: other, processes: processes.tableOf(8), onLost: fail });

  const refused = take().then(
    () => "taken",
    (error: unknown) => (isStreamError(error) ? error.code : error),
  );
  await Promise.all([holder.advance(12_000), other.advance(12_000)]);
  expect(await refused).toBe("JOB_DIRECTORY_IN_USE");

  const taken = take();
  await other.advance(12_000);
  await taken;
  expect(lost).toBeUndefined();
  await holder.advance(3_000);
  expect(lost).toMatchObject({ code: "JOB_DIRECTORY_LOST" });
});

test("a lock file that is none is named and left alone", async () => {
  await writeFile(join(directory, "lock"), "hello");
  const processes = new FakeProcesses().tableOf(7);
  await expect(
    lockDirectory({ directory, platform: manualPlatform(), processes, onLost: fail }),
  ).rejects.toMatchObject({ code: "JOB_DIRECTORY_UNUSABLE" });
  expect(await readFile(join(directory, "lock"), "utf8")).toBe("hello");
});

test("whatever the order of their file operations, and whoever dies, two living processes never hold the lock", async () => {
  let taken = 0;
  let takenOver = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.nat(40), { minLength: 3, maxLength: 3 }),
      async (scheduler, deaths) => {
        await rm(directory, { recursive: true });
        await nodePlatform().files.createDirectory(directory);
        const processes = new FakeProcesses();
        const living = new Set<number>();
        const holders = new Set<number>();
        const run = async (pid: number): Promise<void> => {
          const platform = steppedPlatform(scheduler, deaths[pid] ?? 0, () => {
            processes.set(pid, "dead");
            living.delete(pid);
            if (holders.delete(pid)) takenOver += 1;
          });
          living.add(pid);
          for (let attempt = 0; attempt < 3; attempt++) {
            let lock: DirectoryLock;
            try {
              lock = await lockDirectory({
                directory,
                platform,
                processes: processes.tableOf(pid),
                onLost: fail,
              });
            } catch (error) {
              if (isStreamError(error, "JOB_DIRECTORY_IN_USE")) continue;
              throw error;
            }
            taken += 1;
            expect([...holders]).toEqual([]);
            holders.add(pid);
            await platform.files.status(directory);
            await platform.files.status(directory);
            holders.delete(pid);
            await lock.release();
          }
        };
        const dead = (error: unknown): void => {
          if (error !== DEAD) throw error;
        };
        const runs = [0, 1, 2].map((pid) => run(pid).catch(dead));
        await scheduler.waitFor(Promise.all(runs));
      },
    ),
    { numRuns: Number(process.env["TEST_RUNS"] ?? 1) * 150 },
  );
  expect(taken).toBeGreaterThan(100);
  expect(takenOver).toBeGreaterThan(5);
});

const DEAD = new Error("this process is dead");

/** Each file operation waits until the scheduler lets it through; after `lifeSteps` of them the process dies (0: never). */
function steppedPlatform(scheduler: fc.Scheduler, lifeSteps: number, die: () => void): Platform {
  const real = nodePlatform();
  let steps = 0;
  const step = async <T>(name: string, action: () => Promise<T>): Promise<T> => {
    if (lifeSteps > 0 && steps >= lifeSteps) throw DEAD;
    await scheduler.schedule(Promise.resolve(), name);
    steps += 1;
    if (lifeSteps > 0 && steps >= lifeSteps) {
      die();
      throw DEAD;
    }
    return await action();
  };
  const { files } = real;
  const stepped: FileSystem = {
    open: async (path, mode) => await step(`open ${path}`, () => files.open(path, mode)),
    read: async (path) => await step(`read ${path}`, () => files.read(path)),
    status: async (path) => await step("status", () => files.status(path)),
    list: async (path) => await step("list", () => files.list(path)),
    createDirectory: (path) => files.createDirectory(path),
    rename: async (from, to) => await step(`rename ${to}`, () => files.rename(from, to)),
    link: async (from, to) => await step(`link ${to}`, () => files.link(from, to)),
    remove: async (path) => await step(`remove ${path}`, () => files.remove(path)),
    removeTree: (path) => files.removeTree(path),
    syncDirectory: (path) => files.syncDirectory(path),
  };
  return { ...real, after: () => () => undefined, files: stepped };
}
