import { readFileSync } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";

import type { DirectoryEntry, FileStatus, FileSystem, OpenFile, OpenMode } from "./file-system.ts";
import type { Platform } from "./platform.ts";

/** The real machine. The only place that touches clock, timers, chance and files. */
export function nodePlatform(): Platform {
  return {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    threadCpuMs,
    random: () => Math.random(),
    after(delayMs, callback) {
      const timer = setTimeout(callback, Math.min(delayMs, MAX_TIMEOUT_MS));
      return () => clearTimeout(timer);
    },
    soon: (callback) => void setImmediate(callback),
    files: nodeFileSystem,
  };
}

/** What Linux counts of the thread that asks: in nanoseconds, the first of three numbers. */
function threadCpuMs(): number | undefined {
  try {
    const [nanos = ""] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 1);
    return Number(nanos) / 1e6;
  } catch {
    return undefined;
  }
}

/**
 * Lets V8 inline whole operator chains: by itself it stops at 920 bytes of bytecode in one function, and calls what comes after. Holds for
 * the process (docs/decisions/0006-a-larger-inlining-budget.md).
 */
export function raiseInliningBudget(): void {
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=4000");
}

/** Node fires a longer timeout at once. */
const MAX_TIMEOUT_MS = 2_147_483_647;

const FLAGS: { readonly [M in OpenMode]: string } = { read: "r", create: "wx", update: "r+" };

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): DirectoryEntry["kind"] {
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "directory" : "other";
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * Creates a directory and its parents. Node's own way never ends where a directory refuses a name with ENOENT, as `/proc` does.
 *
 * @returns The first that was created; undefined if all were there.
 */
async function makeDirectories(path: string): Promise<string | undefined> {
  try {
    await fs.mkdir(path);
    return path;
  } catch (error) {
    if (hasCode(error, "EEXIST")) {
      if ((await fs.stat(path)).isDirectory()) return undefined;
      throw error;
    }
    if (!hasCode(error, "ENOENT") || path === dirname(path)) throw error;
  }
  const first = await makeDirectories(dirname(path));
  try {
    await fs.mkdir(path);
  } catch (error) {
    // Somebody else was quicker.
    if (!hasCode(error, "EEXIST")) throw error;
  }
  return first ?? path;
}

const nodeFileSystem: FileSystem = {
  async open(path, mode) {
    return new NodeFile(await fs.open(path, FLAGS[mode]));
  },
  read: (path) => fs.readFile(path),
  async status(path) {
    try {
      return statusOf(await fs.stat(path));
    } catch (error) {
      // Below a file there is nothing either.
      if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
      throw error;
    }
  },
  async list(path) {
    const entries = await fs.readdir(path, { withFileTypes: true });
    const named = entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    return named.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  },
  async createDirectory(path) {
    const first = await makeDirectories(resolve(path));
    if (first === undefined) return;
    // A name is durable only when the directory that holds it is synced.
    const top = dirname(first);
    for (let at = dirname(resolve(path)); at.length >= top.length; at = dirname(at)) {
      await syncIfReadable(at);
      if (at === dirname(at)) return;
    }
  },
  rename: (from, to) => fs.rename(from, to),
  link: (from, to) => fs.link(from, to),
  async remove(path) {
    try {
      const found = await fs.lstat(path);
      await (found.isDirectory() ? fs.rmdir(path) : fs.unlink(path));
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  },
  removeTree: (path) => fs.rm(path, { recursive: true, force: true }),
  async syncDirectory(path) {
    const directory = await fs.open(path, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  },
};

/** A directory that may be entered but not read cannot be synced; creating names in it is allowed all the same. */
async function syncIfReadable(path: string): Promise<void> {
  try {
    await nodeFileSystem.syncDirectory(path);
  } catch (error) {
    if (!hasCode(error, "EACCES")) throw error;
  }
}

function statusOf(found: Awaited<ReturnType<typeof fs.stat>>): FileStatus {
  return {
    kind: kindOf(found),
    sizeBytes: Number(found.size),
    modifiedAtMs: Number(found.mtimeMs),
    inode: Number(found.ino),
  };
}

class NodeFile implements OpenFile {
  readonly #handle: fs.FileHandle;

  constructor(handle: fs.FileHandle) {
    this.#handle = handle;
  }

  async read(target: Uint8Array, positionBytes: number): Promise<number> {
    const { bytesRead } = await this.#handle.read(target, 0, target.length, positionBytes);
    return bytesRead;
  }

  async write(data: Uint8Array, positionBytes: number): Promise<void> {
    let done = 0;
    while (done < data.length) {
      const length = data.length - done;
      const { bytesWritten } = await this.#handle.write(data, done, length, positionBytes + done);
      done += bytesWritten;
    }
  }

  truncate(sizeBytes: number): Promise<void> {
    return this.#handle.truncate(sizeBytes);
  }

  async status(): Promise<FileStatus> {
    return statusOf(await this.#handle.stat());
  }

  sync(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
