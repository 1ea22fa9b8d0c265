import type { Logger, Platform, StreamError } from "../../base/index.ts";
import type { CheckpointGateway, SubtaskRef } from "../checkpoint-gateway.ts";
import type { PlanDecision } from "../checkpoint-plan.ts";
import type { CheckpointFailure } from "../failure-reason.ts";
import type { CheckpointingOptions } from "../options.ts";
import type { CheckpointStorage } from "../storage/checkpoint-storage.ts";
import type { CheckpointObserver } from "./checkpoint-observer.ts";
import type { CheckpointedVertex } from "./checkpointed-vertex.ts";
import type { CompletedCheckpoint } from "./completed-checkpoint.ts";
import type { OperatorCoordinatorSnapshot } from "./operator-coordinator-snapshot.ts";

/** A task that has been in one turn, in one call of a user function most likely, for long. */
export interface LongTurn {
  /** As it stands in logs: `Map (1/4)#0`. */
  readonly task: string;
  readonly forMs: number;
}

/** What a coordinator works with: all of it belongs to one job, over all its restarts. */
export interface CoordinatorContext {
  readonly jobId: string;
  readonly platform: Platform;
  readonly log: Logger;
  readonly options: CheckpointingOptions;
  readonly storage: CheckpointStorage;
  readonly gateway: CheckpointGateway;
  /** In the order of the job graph. */
  readonly vertices: readonly CheckpointedVertex[];
  readonly operatorCoordinators: readonly OperatorCoordinatorSnapshot[];
  readonly observers: readonly CheckpointObserver[];
  /** Which tasks would take part now. */
  plan(): PlanDecision;
  /** Whether the task, when it took its part in the checkpoint, had processed all of its data. Undefined: none had. */
  readonly hasFinishedOperators?: ((task: SubtaskRef, checkpointId: number) => boolean) | undefined;
  /** Tasks that do not let go of their thread now: what an expired checkpoint waited for may be behind them. Undefined: not known. */
  readonly longTurns?: (() => readonly LongTurn[]) | undefined;
  /** Too many checkpoints failed: the job must fail, and its restart strategy decides. Called in the coordinator's turn: do the work in another. */
  failJob(error: StreamError): void;
  /** As `failJob`, but the fault is attributed to a task. */
  failTask(task: SubtaskRef, error: StreamError): void;
  /** What the job was started from, oldest first. */
  readonly restored: readonly CompletedCheckpoint[];
  /** Larger than every id in the storage, so that no directory is used twice. */
  readonly firstCheckpointId: number;
}

/** How a request for a checkpoint or savepoint ended. */
export type TriggerResult =
  | { readonly kind: "completed"; readonly checkpoint: CompletedCheckpoint }
  | {
      readonly kind: "failed";
      /** Undefined if it got no id. */
      readonly checkpointId: number | undefined;
      readonly failure: CheckpointFailure;
    };

export interface SavepointRequest {
  /** Directory in which the savepoint gets one of its own; undefined: the configured one. */
  readonly targetDirectory: string | undefined;
  readonly format: "CANONICAL" | "NATIVE";
  /** What the job does when it is complete: TERMINATE drains the pipeline first, SUSPEND does not. */
  readonly postAction: "NONE" | "SUSPEND" | "TERMINATE";
}
