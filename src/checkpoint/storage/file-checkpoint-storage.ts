import {
  assert,
  errorText,
  type FileSystem,
  type OpenFile,
  type Platform,
  randomId,
  randomUuid,
  StreamError,
} from "../../base/index.ts";
import type { StreamStateHandle } from "../../state/index.ts";
import {
  localPath,
  METADATA_FILE_NAME,
  readSnapshot,
  type Snapshot,
} from "../metadata/checkpoint-pointer.ts";
import type {
  CheckpointStorage,
  DamagedSnapshot,
  RetainedSnapshots,
  StateOrigin,
} from "./checkpoint-storage.ts";
import { readStateFile } from "./read-state-file.ts";

export interface FileCheckpointStorageOptions {
  /** `execution.checkpointing.dir`. */
  readonly directory: string;
  /** `execution.checkpointing.savepoint-dir`; undefined if not set. */
  readonly savepointDirectory: string | undefined;
  readonly jobId: string;
  /** `execution.checkpointing.create-subdir`: a level for the job id. */
  readonly createSubdirectory: boolean;
  /** `execution.checkpointing.data-inline-threshold`: state up to this size lies in `_metadata`. */
  readonly inlineThresholdBytes: number;
}

const CHECKPOINT_NAME = /^chk-(\d+)$/;
const IN_PROGRESS_PREFIX = `.${METADATA_FILE_NAME}.inprogress.`;

/**
 * Checkpoints as files: `<root>/<job id>/chk-N` with `_metadata` and state files, `shared` and `taskowned` beside it.
 *
 * @remarks
 * Source: Flink `AbstractFsCheckpointStorageAccess`, `FsCheckpointMetadataOutputStream`, `FsCheckpointStreamFactory`.
 */
export class FileCheckpointStorage implements CheckpointStorage {
  readonly #platform: Platform;
  readonly #files: FileSystem;
  readonly #options: FileCheckpointStorageOptions;
  readonly #jobDirectory: string;
  #hasSharedDirectories = false;

  /** @throws StreamError CHECKPOINT_STORAGE_UNSUPPORTED if the directory is not on this machine. */
  constructor(platform: Platform, options: FileCheckpointStorageOptions) {
    this.#platform = platform;
    this.#files = platform.files;
    this.#options = options;
    const root = directoryOf(options.directory);
    this.#jobDirectory = options.createSubdirectory ? `${root}/${options.jobId}` : root;
  }

  /** The directory that holds this job's checkpoints. */
  get jobDirectory(): string {
    return this.#jobDirectory;
  }

  async initializeCheckpoint(checkpointId: number): Promise<string> {
    const directory = `${this.#jobDirectory}/chk-${checkpointId}`;
    if (!this.#hasSharedDirectories) {
      await this.#createDirectory(`${this.#jobDirectory}/shared`);
      await this.#createDirectory(`${this.#jobDirectory}/taskowned`);
      this.#hasSharedDirectories = true;
    }
    await this.#createDirectory(directory);
    await attempt("Forcing to the device", this.#jobDirectory, () =>
      this.#files.syncDirectory(this.#jobDirectory),
    );
    return directory;
  }

  async initializeSavepoint(
    checkpointId: number,
    parentDirectory: string | undefined,
  ): Promise<string> {
    const given = parentDirectory ?? this.#options.savepointDirectory;
    if (given === undefined) throw new StreamError("SAVEPOINT_DIRECTORY_MISSING", { checkpointId });
    const parent = directoryOf(given);
    const suffix = randomId(this.#platform).slice(0, 12);
    const directory = `${parent}/savepoint-${this.#options.jobId.slice(0, 6)}-${suffix}`;
    await this.#createDirectory(directory);
    await attempt("Forcing to the device", parent, () => this.#files.syncDirectory(parent));
    return directory;
  }

  async writeState(
    targetDirectory: string,
    chunks: readonly Uint8Array[],
  ): Promise<StreamStateHandle> {
    const name = randomUuid(this.#platform);
    const sizeBytes = chunks.reduce((total, chunk) => total + chunk.length, 0);
    if (sizeBytes <= this.#options.inlineThresholdBytes) {
      return { kind: "bytes", name, data: concatenated(chunks, sizeBytes) };
    }
    await this.#writeFile(`${targetDirectory}/${name}`, chunks, "Writing state file");
    return { kind: "relative-file", path: name, sizeBytes };
  }

  readState(handle: StreamStateHandle, from: StateOrigin): Promise<Uint8Array> {
    return readStateFile(handle, from, this.#files);
  }

  async discardState(handle: StreamStateHandle, targetDirectory: string): Promise<void> {
    if (handle.kind !== "relative-file") return;
    const path = `${targetDirectory}/${handle.path}`;
    await attempt("Removing state file", path, () => this.#files.remove(path));
  }

  async finalize(directory: string, metadata: Uint8Array): Promise<void> {
    const path = `${directory}/${METADATA_FILE_NAME}`;
    const temporaryPath = `${directory}/${IN_PROGRESS_PREFIX}${randomUuid(this.#platform)}`;
    const isTaken = await attempt("Looking for", path, () => this.#files.status(path));
    if (isTaken !== undefined) {
      const problem = "the checkpoint is there already, of another run of this job";
      throw new StreamError("CHECKPOINT_STORAGE_FAILED", {
        operation: "Completing checkpoint",
        path,
        systemCode: undefined,
        problem,
      });
    }
    await this.#writeFile(temporaryPath, [metadata], "Writing");
    try {
      // The names of the state files must be durable before the name that makes the checkpoint complete.
      await attempt("Forcing to the device", directory, () => this.#files.syncDirectory(directory));
      await attempt("Renaming to", path, () => this.#files.rename(temporaryPath, path));
      await attempt("Forcing to the device", directory, () => this.#files.syncDirectory(directory));
    } catch (error) {
      await this.#removeQuietly(path);
      await this.#removeQuietly(temporaryPath);
      throw error;
    }
  }

  async discard(directory: string): Promise<void> {
    const status = await attempt("Looking for", directory, () => this.#files.status(directory));
    if (status === undefined) return;
    const path = `${directory}/${METADATA_FILE_NAME}`;
    await attempt("Removing", path, () => this.#files.remove(path));
    // Also where the name is gone already: whoever removed it may not have made that durable, and after a crash it would be back.
    await attempt("Forcing to the device", directory, () => this.#files.syncDirectory(directory));
    await attempt("Removing", directory, () => this.#files.removeTree(directory));
  }

  async retained(): Promise<RetainedSnapshots> {
    const complete: Snapshot[] = [];
    const damaged: DamagedSnapshot[] = [];
    for (const { checkpointId, directory } of await this.#checkpointDirectories()) {
      const path = `${directory}/${METADATA_FILE_NAME}`;
      const status = await attempt("Looking for", path, () => this.#files.status(path));
      if (status === undefined) continue;
      // Completing it may have failed at the very last step: what a job goes on from must not vanish at the next crash.
      await attempt("Forcing to the device", directory, () => this.#files.syncDirectory(directory));
      try {
        complete.push(await readSnapshot(directory, this.#files));
      } catch (error) {
        damaged.push({ checkpointId, directory, error });
      }
    }
    return { complete, damaged };
  }

  async removeLeftovers(): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const { directory } of await this.#checkpointDirectories()) {
      const names = await attempt("Listing", directory, () => this.#files.list(directory));
      if (!names.some(({ name }) => name === METADATA_FILE_NAME)) {
        await attempt("Removing", directory, () => this.#files.removeTree(directory));
        removed.push(directory);
        continue;
      }
      for (const { name } of names.filter((entry) => entry.name.startsWith(IN_PROGRESS_PREFIX))) {
        const path = `${directory}/${name}`;
        await attempt("Removing", path, () => this.#files.remove(path));
        removed.push(path);
      }
    }
    return removed;
  }

  /** The directories `chk-N` of the job, by ascending N. */
  async #checkpointDirectories(): Promise<readonly { checkpointId: number; directory: string }[]> {
    const path = this.#jobDirectory;
    const status = await attempt("Looking for", path, () => this.#files.status(path));
    if (status === undefined) return [];
    const entries = await attempt("Listing", path, () => this.#files.list(path));
    return entries
      .filter(({ kind }) => kind === "directory")
      .flatMap(({ name }) => {
        const id = CHECKPOINT_NAME.exec(name)?.[1];
        return id === undefined ? [] : [{ checkpointId: Number(id), directory: `${path}/${name}` }];
      })
      .toSorted((a, b) => a.checkpointId - b.checkpointId);
  }

  #createDirectory(path: string): Promise<void> {
    return attempt("Creating directory", path, () => this.#files.createDirectory(path));
  }

  /** Writes a new file and forces it to the device. On a failure nothing is left. */
  async #writeFile(path: string, chunks: readonly Uint8Array[], operation: string): Promise<void> {
    const file = await attempt(operation, path, () => this.#files.open(path, "create"));
    try {
      await attempt(operation, path, () => writeAndClose(file, chunks));
    } catch (error) {
      await this.#removeQuietly(path);
      throw error;
    }
  }

  /** For the way out of a failure that is reported already: a second one would hide it. */
  async #removeQuietly(path: string): Promise<void> {
    try {
      await this.#files.remove(path);
    } catch {
      // What stays does not look complete; `removeLeftovers` removes it at the next start.
    }
  }
}

async function writeAndClose(file: OpenFile, chunks: readonly Uint8Array[]): Promise<void> {
  try {
    let positionBytes = 0;
    for (const piece of inPieces(chunks)) {
      await file.write(piece, positionBytes);
      positionBytes += piece.length;
    }
    await file.sync();
  } catch (error) {
    // The first failure is the cause; the file must be closed all the same.
    await file.close().catch(() => undefined);
    throw error;
  }
  await file.close();
}

/** Bytes that one write takes together. */
const PIECE_BYTES = 1_048_576;

/**
 * Chunks put together, for each write waits for a turn of the event loop, which a busy job gives every few milliseconds only; in pieces, because
 * copying holds the loop up.
 */
function* inPieces(chunks: readonly Uint8Array[]): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let sizeBytes = 0;
  for (const chunk of chunks) {
    waiting.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes < PIECE_BYTES) continue;
    yield waiting.length === 1 ? chunk : concatenated(waiting, sizeBytes);
    waiting = [];
    sizeBytes = 0;
  }
  if (sizeBytes > 0) yield concatenated(waiting, sizeBytes);
}

/** Runs one operation; a failure names the path and what was being done. */
async function attempt<T>(operation: string, path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const systemCode =
      error instanceof Error && "code" in error && typeof error.code === "string"
        ? error.code
        : undefined;
    throw new StreamError(
      "CHECKPOINT_STORAGE_FAILED",
      { operation, path, systemCode, problem: errorText(error) },
      error,
    );
  }
}

function directoryOf(pathOrUri: string): string {
  const path = localPath(pathOrUri);
  if (path === undefined)
    throw new StreamError("CHECKPOINT_STORAGE_UNSUPPORTED", { path: pathOrUri });
  assert(path !== "", "a directory has a name");
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

/** The chunks in one piece. */
export function concatenated(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const data = new Uint8Array(sizeBytes);
  let position = 0;
  for (const chunk of chunks) {
    data.set(chunk, position);
    position += chunk.length;
  }
  return data;
}
