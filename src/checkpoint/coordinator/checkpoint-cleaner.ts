import { causeChain } from "../../base/index.ts";
import type { CheckpointStorage } from "../storage/checkpoint-storage.ts";
import type { BackgroundWork } from "./background-work.ts";
import type { CheckpointLog } from "./checkpoint-log.ts";

/**
 * Deletes checkpoints in the background and counts those that are not gone yet: a storage that deletes slowly delays new ones.
 *
 * Source: Flink `CheckpointsCleaner`.
 */
export class CheckpointCleaner {
  readonly #storage: CheckpointStorage;
  readonly #work: BackgroundWork;
  readonly #log: CheckpointLog;
  readonly #onCleaned: () => void;
  #cleaningCount = 0;

  constructor(
    storage: CheckpointStorage,
    work: BackgroundWork,
    log: CheckpointLog,
    onCleaned: () => void,
  ) {
    this.#storage = storage;
    this.#work = work;
    this.#log = log;
    this.#onCleaned = onCleaned;
  }

  /** How many are still being deleted. */
  get cleaningCount(): number {
    return this.#cleaningCount;
  }

  /** Deletes; a failure is logged, and what stays does not look complete unless nothing at all could be deleted. */
  discard(checkpointId: number, directory: string, onDiscarded?: () => void): void {
    this.#cleaningCount += 1;
    this.#work.run(async () => {
      try {
        await this.#storage.discard(directory);
        onDiscarded?.();
      } catch (error) {
        this.#log.discardFailed(checkpointId, causeChain(error));
      } finally {
        this.#cleaningCount -= 1;
      }
      this.#onCleaned();
    });
  }
}
