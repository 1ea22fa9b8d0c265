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

  /** @param onCleaned - Is told after each deletion. */
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

  /**
   * Deletes. Never rejects: a failure is logged, and what stays does not look complete unless nothing at all could be deleted.
   *
   * @returns When it is done.
   */
  async discard(checkpointId: number, directory: string): Promise<"discarded" | "failed"> {
    this.#cleaningCount += 1;
    try {
      // Once more: nobody comes back to it, and most failures pass.
      await this.#storage.discard(directory).catch(() => this.#storage.discard(directory));
      return "discarded";
    } catch (error) {
      this.#log.discardFailed(checkpointId, causeChain(error));
      return "failed";
    } finally {
      this.#cleaningCount -= 1;
      this.#onCleaned();
    }
  }

  /** As {@link discard}, without anybody waiting. */
  discardInBackground(checkpointId: number, directory: string, onDiscarded?: () => void): void {
    this.#work.run(async () => {
      if ((await this.discard(checkpointId, directory)) === "discarded") onDiscarded?.();
    });
  }
}
