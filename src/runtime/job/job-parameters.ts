import type { Logger, Platform } from "../../base/index.ts";
import type {
  CheckpointObserver,
  CheckpointStorage,
  CompletedCheckpoint,
} from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import type { MasterMessage } from "../slot/task-messages.ts";
import type { JobOptions } from "./job-options.ts";
import type { JobStatus } from "./job-status.ts";
import type { Slots } from "./slots.ts";

/** How a job has ended. */
export type JobEnd = "FINISHED" | "CANCELED" | "SUSPENDED" | "FAILED";

/** What a job is run with, over all its attempts. */
export interface JobMasterParameters {
  readonly graph: JobGraph;
  readonly options: JobOptions;
  readonly platform: Platform;
  readonly log: Logger;
  readonly storage: CheckpointStorage;
  /** What the job starts from, oldest first, the newest last; empty for a fresh start. */
  readonly restored: readonly CompletedCheckpoint[];
  readonly firstCheckpointId: number;
  readonly observers: readonly CheckpointObserver[];
  readonly createSlots: (onMessage: (message: MasterMessage) => void) => Slots;
  readonly onStatus?: ((status: JobStatus) => void) | undefined;
  /**
   * Called when the job has ended and before any of its checkpoints is deleted. Whoever starts the job anew must write down there that it
   * has finished: a crash after the deletion would make it start from nothing and do all its work twice.
   */
  readonly onEnd?: ((status: JobEnd) => Promise<void>) | undefined;
}
