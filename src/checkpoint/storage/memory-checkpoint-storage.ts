import { type Platform, randomId, randomUuid, StreamError } from "../../base/index.ts";
import type { StreamStateHandle } from "../../state/index.ts";
import { METADATA_FILE_NAME } from "../metadata/checkpoint-pointer.ts";
import { decodeMetadata } from "../metadata/metadata-decoder.ts";
import type {
  CheckpointStorage,
  DamagedSnapshot,
  RetainedSnapshots,
  StateOrigin,
} from "./checkpoint-storage.ts";
import { concatenated } from "./file-checkpoint-storage.ts";

/**
 * Checkpoints in the memory of this process: `jobmanager` storage, and a fake for tests that obeys the same laws.
 *
 * @remarks
 * All state lies in the handles. What is retained survives a restart of the job, not the end of the process.
 */
export class MemoryCheckpointStorage implements CheckpointStorage {
  readonly #platform: Platform;
  /** `_metadata` by directory; undefined while the checkpoint is not complete. */
  readonly #directories = new Map<string, Uint8Array | undefined>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  initializeCheckpoint(checkpointId: number): Promise<string> {
    return this.#create(`memory/chk-${checkpointId}`);
  }

  async initializeSavepoint(
    checkpointId: number,
    parentDirectory: string | undefined,
  ): Promise<string> {
    if (parentDirectory === undefined) {
      throw new StreamError("SAVEPOINT_DIRECTORY_MISSING", { checkpointId });
    }
    return this.#create(`${parentDirectory}/savepoint-${randomId(this.#platform).slice(0, 12)}`);
  }

  async writeState(
    _targetDirectory: string,
    chunks: readonly Uint8Array[],
  ): Promise<StreamStateHandle> {
    const sizeBytes = chunks.reduce((total, chunk) => total + chunk.length, 0);
    return {
      kind: "bytes",
      name: randomUuid(this.#platform),
      data: concatenated(chunks, sizeBytes),
    };
  }

  async readState(handle: StreamStateHandle, from: StateOrigin): Promise<Uint8Array> {
    if (handle.kind === "bytes") return handle.data;
    const path = "path" in handle ? handle.path : handle.kind;
    const problem = "state kept in memory lies in its handle";
    throw new StreamError("STATE_HANDLE_UNREADABLE", {
      path,
      checkpointId: from.checkpointId,
      problem,
    });
  }

  async discardState(): Promise<void> {}

  async finalize(directory: string, metadata: Uint8Array): Promise<void> {
    const problem = !this.#directories.has(directory)
      ? "there is no such checkpoint"
      : this.#directories.get(directory) === undefined
        ? undefined
        : "the checkpoint is there already, of another run of this job";
    if (problem !== undefined) {
      throw new StreamError("CHECKPOINT_STORAGE_FAILED", {
        operation: "Completing checkpoint",
        path: directory,
        systemCode: undefined,
        problem,
      });
    }
    this.#directories.set(directory, Uint8Array.from(metadata));
  }

  async discard(directory: string): Promise<void> {
    this.#directories.delete(directory);
  }

  async retained(): Promise<RetainedSnapshots> {
    const complete: RetainedSnapshots["complete"][number][] = [];
    const damaged: DamagedSnapshot[] = [];
    for (const [directory, bytes] of this.#directories) {
      if (bytes === undefined || !directory.startsWith("memory/")) continue;
      const metadataPath = `${directory}/${METADATA_FILE_NAME}`;
      try {
        complete.push({
          directory,
          metadataPath,
          metadata: decodeMetadata(bytes, { path: metadataPath }),
        });
      } catch (error) {
        damaged.push({
          checkpointId: Number(directory.slice("memory/chk-".length)),
          directory,
          error,
        });
      }
    }
    return {
      complete: complete.toSorted((a, b) => a.metadata.checkpointId - b.metadata.checkpointId),
      damaged,
    };
  }

  async removeLeftovers(): Promise<readonly string[]> {
    const left = [...this.#directories]
      .filter(([directory, metadata]) => metadata === undefined && directory.startsWith("memory/"))
      .map(([directory]) => directory);
    for (const directory of left) this.#directories.delete(directory);
    return left;
  }

  async #create(directory: string): Promise<string> {
    if (!this.#directories.has(directory)) this.#directories.set(directory, undefined);
    return directory;
  }
}
