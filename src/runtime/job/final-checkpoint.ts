import type { Platform } from "../../base/index.ts";
import type { CheckpointCoordinator, CheckpointObserver } from "../../checkpoint/index.ts";
import type { Execution } from "./execution.ts";

/** A task that ends while a checkpoint begins has ended after about this long. */
const TASK_CLOSING_PAUSE_MS = 20;

export interface FinalCheckpointParameters {
  readonly platform: Platform;
  readonly coordinator: () => CheckpointCoordinator;
  readonly execution: () => Execution;
  /** False while the job is not to go on by itself: it ends, or stops with a savepoint. */
  readonly isWanted: () => boolean;
}

/**
 * Sees to it that a bounded job ends soon: once all data is processed, tasks wait only for a last checkpoint, which is taken at once
 * and not when its time has come.
 */
export class FinalCheckpoint implements CheckpointObserver {
  readonly #p: FinalCheckpointParameters;

  constructor(parameters: FinalCheckpointParameters) {
    this.#p = parameters;
  }

  /**
   * A checkpoint that failed is left to the next periodic one, unless a task was just ending: storage that fails is not asked without
   * pause.
   */
  onEnded({ status, failure }: Parameters<Required<CheckpointObserver>["onEnded"]>[0]): void {
    const { platform } = this.#p;
    if (status === "COMPLETED") platform.soon(() => this.check());
    else if (failure?.reason === "CHECKPOINT_DECLINED_TASK_CLOSING") {
      platform.after(TASK_CLOSING_PAUSE_MS, () => this.check());
    }
  }

  /** Looks whether the last checkpoint is due, or done. */
  check(): void {
    const { isRunning, finalCheckpointMinId, isFinished } = this.#p.execution();
    if (!isRunning || isFinished || finalCheckpointMinId === undefined || !this.#p.isWanted())
      return;
    const coordinator = this.#p.coordinator();
    // What is pending may be the one: this is looked at again when it has ended.
    if (coordinator.pendingIds.length > 0) return;
    if ((coordinator.latestCompleted?.checkpointId ?? 0) < finalCheckpointMinId) {
      void coordinator.triggerCheckpoint();
    } else {
      void coordinator.stopScheduler();
    }
  }
}
