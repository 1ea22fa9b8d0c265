import type { FileSystem, OpenFile, OpenMode, Platform } from "../../base/index.ts";

/**
 * A platform that can die: what runs on it, a process or a thread, is not called again, and hears of nothing any more.
 *
 * @remarks
 * Clock, chance and disk are those of the machine it runs on, which goes on.
 */
export class SimulatedProcess implements Platform {
  readonly files: FileSystem;
  readonly #machine: Platform;
  readonly #underWay = new Set<Promise<unknown>>();
  #isDead = false;

  constructor(machine: Platform, files: FileSystem = machine.files) {
    this.#machine = machine;
    this.files = new MortalFiles(files, () => this.#isDead, this.#underWay);
  }

  nowMs(): number {
    return this.#machine.nowMs();
  }

  monotonicMs(): number {
    return this.#machine.monotonicMs();
  }

  random(): number {
    return this.#machine.random();
  }

  after(delayMs: number, callback: () => void): () => void {
    if (this.#isDead) return () => undefined;
    return this.#machine.after(delayMs, () => {
      if (!this.#isDead) callback();
    });
  }

  soon(callback: () => void): void {
    if (this.#isDead) return;
    this.#machine.soon(() => {
      if (!this.#isDead) callback();
    });
  }

  kill(): void {
    this.#isDead = true;
  }

  /** @returns When the file operations that are under way have ended, heard or not. */
  async whenQuiet(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}

/** Files whose answers reach only the living. */
class MortalFiles implements FileSystem {
  readonly #files: FileSystem;
  readonly #isDead: () => boolean;
  readonly #underWay: Set<Promise<unknown>>;

  constructor(files: FileSystem, isDead: () => boolean, underWay: Set<Promise<unknown>>) {
    this.#files = files;
    this.#isDead = isDead;
    this.#underWay = underWay;
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    const file = await this.#heard(() => this.#files.open(path, mode));
    return {
      read: (target, positionBytes) => this.#heard(() => file.read(target, positionBytes)),
      write: (data, positionBytes) => this.#heard(() => file.write(data, positionBytes)),
      truncate: (sizeBytes) => this.#heard(() => file.truncate(sizeBytes)),
      status: () => this.#heard(() => file.status()),
      sync: () => this.#heard(() => file.sync()),
      close: () => this.#heard(() => file.close()),
    };
  }

  read(path: string): ReturnType<FileSystem["read"]> {
    return this.#heard(() => this.#files.read(path));
  }

  status(path: string): ReturnType<FileSystem["status"]> {
    return this.#heard(() => this.#files.status(path));
  }

  list(path: string): ReturnType<FileSystem["list"]> {
    return this.#heard(() => this.#files.list(path));
  }

  createDirectory(path: string): Promise<void> {
    return this.#heard(() => this.#files.createDirectory(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#heard(() => this.#files.rename(from, to));
  }

  link(from: string, to: string): Promise<void> {
    return this.#heard(() => this.#files.link(from, to));
  }

  remove(path: string): Promise<void> {
    return this.#heard(() => this.#files.remove(path));
  }

  removeTree(path: string): Promise<void> {
    return this.#heard(() => this.#files.removeTree(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.#heard(() => this.#files.syncDirectory(path));
  }

  /** Never settles for the dead; and the dead begin nothing. */
  #heard<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#isDead()) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      const running = operation();
      this.#underWay.add(running);
      running.then(
        (value) => {
          this.#underWay.delete(running);
          if (!this.#isDead()) resolve(value);
        },
        (error: unknown) => {
          this.#underWay.delete(running);
          if (!this.#isDead()) reject(error);
        },
      );
    });
  }
}
