import type { StreamStateHandle } from "../../state/index.ts";
import type { Snapshot } from "../metadata/checkpoint-pointer.ts";

/**
 * Where tasks write and read state. Any thread may have its own.
 *
 * Laws of both interfaces: `checkpoint-storage-laws.ts`; every implementation runs them.
 */
export interface StateStorage {
  /**
   * Writes one stream of state for a checkpoint, durably.
   *
   * @param targetDirectory - The checkpoint's own directory, as its barrier names it.
   * @returns A handle relative to that directory; a small state lies in the handle itself.
   * @throws StreamError CHECKPOINT_STORAGE_FAILED naming the path and what the system said. Nothing is left behind then.
   */
  writeState(targetDirectory: string, chunks: readonly Uint8Array[]): Promise<StreamStateHandle>;
  /**
   * Reads one stream of state.
   *
   * @param from - The checkpoint the handle stands in: relative handles are resolved against its directory.
   * @throws StreamError STATE_HANDLE_UNREADABLE if the file is missing, of another size than the handle says, or unreadable.
   */
  readState(handle: StreamStateHandle, from: StateOrigin): Promise<Uint8Array>;
  /** Removes the file of a stream that became part of no checkpoint. Does nothing if it is gone. */
  discardState(handle: StreamStateHandle, targetDirectory: string): Promise<void>;
}

/** The checkpoint that holds a handle. */
export interface StateOrigin {
  readonly checkpointId: number;
  readonly directory: string;
}

/**
 * Where the coordinator keeps checkpoints.
 *
 * @remarks
 * A checkpoint is complete when its `_metadata` is there, which appears at once, whole and last, and is removed first. So nothing
 * that is half written or half deleted ever looks complete.
 */
export interface CheckpointStorage extends StateStorage {
  /** Makes room for a checkpoint; its directory. @throws StreamError CHECKPOINT_STORAGE_FAILED. */
  initializeCheckpoint(checkpointId: number): Promise<string>;
  /**
   * Makes room for a savepoint: a new directory in `parentDirectory`, or in the configured one.
   *
   * @throws StreamError SAVEPOINT_DIRECTORY_MISSING if neither is given. @throws StreamError CHECKPOINT_STORAGE_FAILED.
   */
  initializeSavepoint(checkpointId: number, parentDirectory: string | undefined): Promise<string>;
  /**
   * Completes a checkpoint.
   *
   * @throws StreamError CHECKPOINT_STORAGE_FAILED; then no `_metadata` is there, unless even its removal failed.
   */
  finalize(directory: string, metadata: Uint8Array): Promise<void>;
  /** Deletes a checkpoint, complete or not. @throws StreamError CHECKPOINT_STORAGE_FAILED; what is left does not look complete. */
  discard(directory: string): Promise<void>;
  /** The complete checkpoints of this job, made durable if they were not. @throws StreamError CHECKPOINT_STORAGE_FAILED if they cannot be listed. */
  retained(): Promise<RetainedSnapshots>;
  /** Removes what an earlier run of this job left half done. Returns the paths that are gone. */
  removeLeftovers(): Promise<readonly string[]>;
}

export interface RetainedSnapshots {
  /** By ascending id. */
  readonly complete: readonly Snapshot[];
  /** Checkpoints whose `_metadata` is there but cannot be used, by ascending id. */
  readonly damaged: readonly DamagedSnapshot[];
}

export interface DamagedSnapshot {
  readonly checkpointId: number;
  readonly directory: string;
  /** A StreamError that names the place. */
  readonly error: unknown;
}
