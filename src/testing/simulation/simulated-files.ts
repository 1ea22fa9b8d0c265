import type {
  DirectoryEntry,
  FileStatus,
  FileSystem,
  OpenFile,
  OpenMode,
  Platform,
} from "../../base/index.ts";
import { type DiskFile, type SimulatedDisk } from "./simulated-disk.ts";

/** One operation on files, as a fault can see it. */
export interface FileOperation {
  readonly kind:
    | "open"
    | "read"
    | "write"
    | "truncate"
    | "sync"
    | "close"
    | "status"
    | "list"
    | "createDirectory"
    | "rename"
    | "link"
    | "remove"
    | "removeTree"
    | "syncDirectory";
  readonly path: string;
}

/** What goes wrong with files. */
export interface FileFaults {
  /** How long an operation takes, in milliseconds. */
  latencyMs(operation: FileOperation): number;
  /** An error with which the operation fails, undone, or undefined. */
  failure(operation: FileOperation): Error | undefined;
}

/**
 * Files of a simulated machine: each operation takes time and may fail.
 *
 * @remarks
 * An operation takes effect when it answers. What is under way at a crash may have taken effect or not.
 */
export class SimulatedFiles implements FileSystem {
  readonly #platform: Pick<Platform, "after">;
  readonly #disk: SimulatedDisk;
  readonly #faults: FileFaults;
  readonly #underWay = new Set<() => unknown>();

  constructor(platform: Pick<Platform, "after">, disk: SimulatedDisk, faults: FileFaults) {
    this.#platform = platform;
    this.#disk = disk;
    this.#faults = faults;
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    const file = await this.#run({ kind: "open", path }, () => this.#disk.open(path, mode));
    return this.#handle(path, file);
  }

  read(path: string): Promise<Uint8Array> {
    return this.#run({ kind: "read", path }, () => this.#disk.read(path));
  }

  status(path: string): Promise<FileStatus | undefined> {
    return this.#run({ kind: "status", path }, () => this.#disk.status(path));
  }

  list(path: string): Promise<readonly DirectoryEntry[]> {
    return this.#run({ kind: "list", path }, () => this.#disk.list(path));
  }

  createDirectory(path: string): Promise<void> {
    return this.#run({ kind: "createDirectory", path }, () => this.#disk.createDirectory(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#run({ kind: "rename", path: to }, () => this.#disk.rename(from, to));
  }

  link(from: string, to: string): Promise<void> {
    return this.#run({ kind: "link", path: to }, () => this.#disk.link(from, to));
  }

  remove(path: string): Promise<void> {
    return this.#run({ kind: "remove", path }, () => this.#disk.remove(path));
  }

  removeTree(path: string): Promise<void> {
    return this.#run({ kind: "removeTree", path }, () => this.#disk.removeTree(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.#run({ kind: "syncDirectory", path }, () => this.#disk.syncDirectory(path));
  }

  /** The machine dies: operations under way happen or do not, as `happens` has it, and nobody hears of them. */
  crash(happens: () => boolean): void {
    for (const effect of this.#underWay) {
      if (!happens()) continue;
      try {
        effect();
      } catch {
        // Nobody is left to hear of it.
      }
    }
    this.#underWay.clear();
  }

  #handle(path: string, file: DiskFile): OpenFile {
    const disk = this.#disk;
    return {
      read: (target, positionBytes) =>
        this.#run({ kind: "read", path }, () => {
          const part = file.content.subarray(positionBytes, positionBytes + target.length);
          target.set(part);
          return part.length;
        }),
      write: (data, positionBytes) => {
        const copy = data.slice();
        return this.#run({ kind: "write", path }, () => disk.write(file, copy, positionBytes));
      },
      truncate: (sizeBytes) =>
        this.#run({ kind: "truncate", path }, () => disk.truncate(file, sizeBytes)),
      status: () => this.#run({ kind: "status", path }, () => disk.statusOfFile(file)),
      sync: () => this.#run({ kind: "sync", path }, () => disk.sync(file)),
      close: () => this.#run({ kind: "close", path }, () => undefined),
    };
  }

  #run<T>(operation: FileOperation, effect: () => T): Promise<T> {
    this.#underWay.add(effect);
    return new Promise((resolve, reject) => {
      this.#platform.after(this.#faults.latencyMs(operation), () => {
        this.#underWay.delete(effect);
        const failure = this.#faults.failure(operation);
        if (failure !== undefined) return reject(failure);
        try {
          resolve(effect());
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}
