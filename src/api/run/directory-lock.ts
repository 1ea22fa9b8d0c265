import { isStreamError, type Platform, present, randomId, StreamError } from "../../base/index.ts";
import type { ProcessIdentity, ProcessTable } from "./process-identity.ts";

/**
 * The lock of a job directory: at most one living process writes there.
 *
 * @remarks
 * What holds at every moment:
 *
 * 1. A record is a file that names a process and a token that no other record has. It is created whole, by `link`, which fails if the
 *    name is taken, and never changed.
 * 2. The holder is the end of a chain: the record in `lock`, then the one in `lock.after-<its token>`, and so on.
 * 3. A record is appended only to one whose process is dead, and only one can be, because its name is taken then. So of two
 *    that take over, one wins. Nothing is removed on the way.
 * 4. Only the holder renames its own record onto `lock`, and then removes what lies before. Whoever appended to a record that had
 *    been removed meanwhile is not on the chain, sees it by walking the chain again, and withdraws.
 *
 * Where a holder cannot be seen (another machine, another container), it lives as long as it counts its beat on. The holder looks at each
 * beat whether it still holds.
 */
export interface DirectoryLock {
  /** Stops the beat and gives the directory free. */
  release(): Promise<void>;
}

export interface DirectoryLockOptions {
  readonly directory: string;
  readonly platform: Platform;
  readonly processes: ProcessTable;
  /** Called once if another process took over although this one lives: it was suspended for too long. */
  readonly onLost: (error: StreamError) => void;
  /** Called once if it takes a while to find out whether the holder lives. */
  readonly onWait?: (holder: string) => void;
}

/** Time between two beats. */
const BEAT_INTERVAL_MS = 2_000;

/** A holder that cannot be seen is dead if its beat stands still for so long. */
const SILENCE_MS = 10_000;

/** A draft that old belongs to nobody. */
const DRAFT_LIFE_MS = 3_600_000;

const LOCK_FILE = "lock";

interface LockRecord {
  readonly format: 1;
  readonly token: string;
  readonly process: ProcessIdentity;
  readonly startedAtMs: number;
}

/** A record and the file it lies in. */
interface PlacedRecord {
  readonly path: string;
  readonly record: LockRecord;
}

/**
 * Takes the lock of a directory, which must exist.
 *
 * @throws StreamError JOB_DIRECTORY_IN_USE naming the process that holds it.
 * @throws what the file system throws.
 */
export async function lockDirectory(options: DirectoryLockOptions): Promise<DirectoryLock> {
  const { directory, platform, processes } = options;
  const record: LockRecord = {
    format: 1,
    token: randomId(platform),
    process: await processes.own(),
    startedAtMs: platform.nowMs(),
  };
  const lock = new HeldLock(options, record);
  const draft = `${directory}/${LOCK_FILE}.draft-${record.token}`;
  await writeFile(draft, JSON.stringify(record), platform);
  try {
    for (;;) {
      const holder = await endOfChain(directory, platform);
      if (holder !== undefined && (await isAlive(holder.record, options))) {
        throw inUse(directory, holder.record);
      }
      const path = holder === undefined ? lockPath(directory) : pathAfter(directory, holder.record);
      if (!(await linkUnlessTaken(draft, path, platform))) continue;
      const end = await endOfChain(directory, platform);
      if (end?.record.token === record.token) break;
      await platform.files.remove(path);
    }
  } finally {
    await platform.files.remove(draft);
  }
  await lock.settle();
  return lock;
}

class HeldLock implements DirectoryLock {
  readonly #options: DirectoryLockOptions;
  readonly #record: LockRecord;
  #beats = 0;
  #cancelBeat: (() => void) | undefined;
  #isReleased = false;

  constructor(options: DirectoryLockOptions, record: LockRecord) {
    this.#options = options;
    this.#record = record;
  }

  /** Makes the chain short again, and begins to beat. */
  async settle(): Promise<void> {
    const { directory, platform } = this.#options;
    const { files } = platform;
    const own = await endOfChain(directory, platform);
    if (own?.record.token !== this.#record.token)
      throw inUse(directory, present(own, "the holder is on the chain").record);
    if (own.path !== lockPath(directory)) await files.rename(own.path, lockPath(directory));
    await this.#sweep();
    await files.syncDirectory(directory);
    await writeFile(beatPath(directory, this.#record), "", platform);
    this.#scheduleBeat();
  }

  /** Removes what dead processes left. What another may have appended to the own record stays. */
  async #sweep(): Promise<void> {
    const { directory, platform } = this.#options;
    const { files } = platform;
    for (const { name } of await files.list(directory)) {
      const match = /^lock\.(after|beat|draft)-([0-9a-f]+)$/.exec(name);
      if (match === null || match[2] === this.#record.token) continue;
      const path = `${directory}/${name}`;
      if (match[1] === "draft") {
        // It may be that of a process that is just being refused.
        const status = await files.status(path);
        if (status === undefined || platform.nowMs() - status.modifiedAtMs < DRAFT_LIFE_MS)
          continue;
      }
      await files.remove(path);
    }
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    this.#cancelBeat?.();
    const { directory, platform } = this.#options;
    await platform.files.remove(beatPath(directory, this.#record));
    const holder = await endOfChain(directory, platform);
    if (holder?.record.token === this.#record.token) await platform.files.remove(holder.path);
  }

  #scheduleBeat(): void {
    this.#cancelBeat = this.#options.platform.after(BEAT_INTERVAL_MS, () => {
      void this.#beat().then(() => {
        if (!this.#isReleased) this.#scheduleBeat();
      });
    });
  }

  async #beat(): Promise<void> {
    const { directory, platform, onLost } = this.#options;
    try {
      const holder = await endOfChain(directory, platform);
      if (this.#isReleased) return;
      if (holder?.record.token !== this.#record.token) {
        this.#isReleased = true;
        const by =
          holder === undefined ? "a process that is gone again" : holderText(holder.record);
        onLost(new StreamError("JOB_DIRECTORY_LOST", { directory, holder: by }));
        return;
      }
      this.#beats += 1;
      await overwrite(beatPath(directory, this.#record), String(this.#beats), platform);
    } catch (error) {
      // A directory that cannot be written for a while is the checkpoints' matter; the beat goes on when it can.
      if (isStreamError(error)) throw error;
    }
  }
}

/** Whether the process of a record lives, by the process table or, where that cannot say, by its beat. */
async function isAlive(record: LockRecord, options: DirectoryLockOptions): Promise<boolean> {
  const { directory, platform, processes } = options;
  const liveness = await processes.livenessOf(record.process);
  if (liveness !== "unknown") return liveness === "alive";
  options.onWait?.(holderText(record));
  const before = await beatOf(directory, record, platform);
  for (let waitedMs = 0; waitedMs < SILENCE_MS; waitedMs += BEAT_INTERVAL_MS) {
    await new Promise<void>((resolve) => platform.after(BEAT_INTERVAL_MS, resolve));
    if ((await beatOf(directory, record, platform)) !== before) return true;
  }
  return false;
}

/** The record that holds the directory, dead or alive; undefined if it is free. */
async function endOfChain(
  directory: string,
  platform: Platform,
): Promise<PlacedRecord | undefined> {
  let end: PlacedRecord | undefined;
  for (
    let path = lockPath(directory);
    ;
    path = pathAfter(directory, present(end, "the chain goes on from a record").record)
  ) {
    const record = await readRecord(path, platform);
    if (record === undefined) return end;
    end = { path, record };
  }
}

async function readRecord(path: string, platform: Platform): Promise<LockRecord | undefined> {
  const text = await textOf(path, platform);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Told below.
  }
  if (isRecord(value)) return value;
  const directory = path.slice(0, path.lastIndexOf("/"));
  throw new StreamError("JOB_DIRECTORY_UNUSABLE", {
    directory,
    problem: `${path} is no lock that this version knows`,
  });
}

function isRecord(value: unknown): value is LockRecord {
  return (
    typeof value === "object" &&
    value !== null &&
    "format" in value &&
    value.format === 1 &&
    "token" in value &&
    typeof value.token === "string" &&
    /^[0-9a-f]{32}$/.test(value.token) &&
    "process" in value &&
    typeof value.process === "object"
  );
}

async function beatOf(
  directory: string,
  record: LockRecord,
  platform: Platform,
): Promise<string | undefined> {
  return await textOf(beatPath(directory, record), platform);
}

async function textOf(path: string, platform: Platform): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await platform.files.read(path));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function writeFile(path: string, text: string, platform: Platform): Promise<void> {
  const file = await platform.files.open(path, "create");
  try {
    await file.write(new TextEncoder().encode(text), 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function overwrite(path: string, text: string, platform: Platform): Promise<void> {
  const file = await platform.files.open(path, "update");
  try {
    await file.write(new TextEncoder().encode(text), 0);
  } finally {
    await file.close();
  }
}

/** @returns False if there is a file of that name. */
async function linkUnlessTaken(from: string, to: string, platform: Platform): Promise<boolean> {
  try {
    await platform.files.link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function inUse(directory: string, record: LockRecord): StreamError {
  return new StreamError("JOB_DIRECTORY_IN_USE", { directory, holder: holderText(record) });
}

function holderText({ process, startedAtMs }: LockRecord): string {
  return `process ${process.pid} on ${process.host}, there since ${new Date(startedAtMs).toISOString()}`;
}

function lockPath(directory: string): string {
  return `${directory}/${LOCK_FILE}`;
}

function pathAfter(directory: string, { token }: LockRecord): string {
  return `${directory}/${LOCK_FILE}.after-${token}`;
}

function beatPath(directory: string, { token }: LockRecord): string {
  return `${directory}/${LOCK_FILE}.beat-${token}`;
}
