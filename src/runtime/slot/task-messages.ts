import type {
  CheckpointBarrier,
  CheckpointFailureReason,
  CheckpointMetrics,
  SubtaskRef,
  TaskStateSnapshot,
} from "../../checkpoint/index.ts";
import type { SlotWiring } from "../exchange/slot-exchange.ts";
import type { RestoredChannelState } from "../channel-state/restore-in-flight.ts";
import type { RestoredOperatorState } from "../task/subtask-state.ts";
import type { TaskStatus } from "../task/task-status.ts";

/**
 * What JobManager and slots say to each other. Plain values, so that a slot can live in another thread; functions (the job
 * graph itself) never travel. Messages of one direction arrive in order.
 */

/** Starts the tasks of one region. */
export interface Deployment {
  /** What was deployed of this region before has ended. */
  readonly regionIndex: number;
  /** Checkpoint or savepoint that the tasks start from. */
  readonly restoredCheckpointId: number | undefined;
  /** Number of key groups by vertex id; that of a restored state where the job leaves it open. */
  readonly maxParallelism: ReadonlyMap<string, number>;
  readonly tasks: readonly TaskDeployment[];
  /** What connects the slot with others; undefined if it is the only one. */
  readonly wiring?: SlotWiring | undefined;
}

export interface TaskDeployment {
  readonly task: SubtaskRef;
  /** Of the subtask among all of the job, in every attempt. */
  readonly taskNumber: number;
  /** State to restore, by operator id. */
  readonly state: ReadonlyMap<string, RestoredOperatorState>;
  /** What was in flight towards it. */
  readonly inFlight: readonly RestoredChannelState[];
  /** The subtask had finished when the state was taken: it runs no record, but takes its part in what ends the job. */
  readonly isFinished: boolean;
}

/** From the JobManager to a slot. */
export type SlotMessage =
  | { readonly kind: "deploy"; readonly deployment: Deployment }
  | { readonly kind: "cancel"; readonly task: SubtaskRef }
  | {
      readonly kind: "trigger-checkpoint";
      readonly task: SubtaskRef;
      readonly barrier: CheckpointBarrier;
    }
  | {
      readonly kind: "checkpoint-complete";
      readonly task: SubtaskRef;
      readonly checkpointId: number;
    }
  | {
      readonly kind: "checkpoint-aborted";
      readonly task: SubtaskRef;
      readonly checkpointId: number;
    }
  | {
      readonly kind: "operator-event";
      readonly task: SubtaskRef;
      readonly operatorId: string;
      readonly event: SourceEvent;
    };

/** From a slot to the JobManager. */
export type MasterMessage =
  /** A slot is gone, and with it the tasks that were last deployed to it. */
  | { readonly kind: "slot-lost"; readonly tasks: readonly SubtaskRef[]; readonly error: unknown }
  /** `error` is what failed the task: an error, which a border between threads carries as its name, message, code and causes. */
  | {
      readonly kind: "status";
      readonly task: SubtaskRef;
      readonly status: TaskStatus;
      readonly error: unknown;
    }
  /** All data is processed; a checkpoint of at least this id is the task's last. */
  | {
      readonly kind: "end-of-data";
      readonly task: SubtaskRef;
      readonly finalCheckpointMinId: number;
    }
  | {
      readonly kind: "acknowledge";
      readonly task: SubtaskRef;
      readonly checkpointId: number;
      readonly metrics: CheckpointMetrics;
      readonly state: TaskStateSnapshot | undefined;
    }
  | {
      readonly kind: "decline";
      readonly task: SubtaskRef;
      readonly checkpointId: number;
      readonly reason: CheckpointFailureReason;
      readonly causes: readonly string[];
      readonly metrics: Partial<CheckpointMetrics>;
    }
  | {
      readonly kind: "operator-event";
      readonly task: SubtaskRef;
      readonly operatorId: string;
      readonly event: ReaderEvent;
    };

/** From a source's coordinator to one of its readers. Splits travel as the bytes of the source's serializer. */
export type SourceEvent =
  | { readonly kind: "add-splits"; readonly splits: readonly Uint8Array[] }
  | { readonly kind: "no-more-splits" }
  /** The reader may go on until its watermark is above this one. */
  | { readonly kind: "watermark-alignment"; readonly maxAllowed: number };

/** From a reader to its source's coordinator. */
export type ReaderEvent =
  | { readonly kind: "register" }
  | { readonly kind: "split-request" }
  /** `MAX_TIMESTAMP`: no reader has to wait for this one. */
  | { readonly kind: "reported-watermark"; readonly watermark: number };
