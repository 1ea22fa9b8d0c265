/** What is true of one failure reason. Source: protocol reference part 4, Flink `CheckpointFailureReason` (2.x). */
export interface FailureReasonTraits {
  /** Flink's text for it, as it stands in logs and in `failure_message`. */
  readonly message: string;
  /** Refused before it began: there is no id. */
  readonly preFlight: boolean;
  /** Adds to the tolerable-failure counter. */
  readonly counted: boolean;
}

/** Why a checkpoint failed: Flink's constants. */
export type CheckpointFailureReason =
  | "PERIODIC_SCHEDULER_SHUTDOWN"
  | "TOO_MANY_CHECKPOINT_REQUESTS"
  | "MINIMUM_TIME_BETWEEN_CHECKPOINTS"
  | "NOT_ALL_REQUIRED_TASKS_RUNNING"
  | "IO_EXCEPTION"
  | "BLOCKING_OUTPUT_EXIST"
  | "CHECKPOINT_ASYNC_EXCEPTION"
  | "CHANNEL_STATE_SHARED_STREAM_EXCEPTION"
  | "CHECKPOINT_EXPIRED"
  | "CHECKPOINT_SUBSUMED"
  | "CHECKPOINT_DECLINED"
  | "CHECKPOINT_DECLINED_TASK_NOT_READY"
  | "CHECKPOINT_DECLINED_TASK_CLOSING"
  | "CHECKPOINT_DECLINED_SUBSUMED"
  | "CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER"
  | "CHECKPOINT_DECLINED_INPUT_END_OF_STREAM"
  | "CHECKPOINT_COORDINATOR_SHUTDOWN"
  | "CHECKPOINT_COORDINATOR_SUSPEND"
  | "JOB_FAILOVER_REGION"
  | "TASK_FAILURE"
  | "TASK_CHECKPOINT_FAILURE"
  | "UNKNOWN_TASK_CHECKPOINT_NOTIFICATION_FAILURE"
  | "FINALIZE_CHECKPOINT_FAILURE"
  | "TRIGGER_CHECKPOINT_FAILURE";

/** The one place where reasons are defined. A reason without a row does not compile. */
export const FAILURE_REASONS: { readonly [R in CheckpointFailureReason]: FailureReasonTraits } = {
  PERIODIC_SCHEDULER_SHUTDOWN: {
    message: "Periodic checkpoint scheduler is shut down.",
    preFlight: true,
    counted: false,
  },
  TOO_MANY_CHECKPOINT_REQUESTS: {
    message: "The maximum number of queued checkpoint requests exceeded",
    preFlight: true,
    counted: false,
  },
  MINIMUM_TIME_BETWEEN_CHECKPOINTS: {
    message:
      "The minimum time between checkpoints is still pending. Checkpoint will be triggered after the minimum time.",
    preFlight: true,
    counted: false,
  },
  NOT_ALL_REQUIRED_TASKS_RUNNING: {
    message: "Not all required tasks are currently running.",
    preFlight: true,
    counted: false,
  },
  IO_EXCEPTION: {
    message: "An Exception occurred while triggering the checkpoint. IO-problem detected.",
    preFlight: true,
    counted: true,
  },
  BLOCKING_OUTPUT_EXIST: {
    message: "Blocking output edge exists in running tasks.",
    preFlight: true,
    counted: false,
  },
  CHECKPOINT_ASYNC_EXCEPTION: {
    message: "Asynchronous task checkpoint failed.",
    preFlight: false,
    counted: true,
  },
  CHANNEL_STATE_SHARED_STREAM_EXCEPTION: {
    message:
      "The checkpoint was aborted due to exception of other subtasks sharing the ChannelState file.",
    preFlight: false,
    counted: false,
  },
  CHECKPOINT_EXPIRED: {
    message: "Checkpoint expired before completing.",
    preFlight: false,
    counted: true,
  },
  CHECKPOINT_SUBSUMED: {
    message: "Checkpoint has been subsumed.",
    preFlight: false,
    counted: false,
  },
  CHECKPOINT_DECLINED: { message: "Checkpoint was declined.", preFlight: false, counted: true },
  CHECKPOINT_DECLINED_TASK_NOT_READY: {
    message: "Checkpoint was declined (tasks not ready)",
    preFlight: false,
    counted: false,
  },
  CHECKPOINT_DECLINED_TASK_CLOSING: {
    message: "Checkpoint was declined (task is closing)",
    preFlight: false,
    counted: false,
  },
  CHECKPOINT_DECLINED_SUBSUMED: {
    message: "Checkpoint was canceled because a barrier from newer checkpoint was received.",
    preFlight: false,
    counted: false,
  },
  CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER: {
    message: "Task received cancellation from one of its inputs",
    preFlight: false,
    counted: false,
  },
  CHECKPOINT_DECLINED_INPUT_END_OF_STREAM: {
    message: "Checkpoint was declined because one input stream is finished",
    preFlight: false,
    counted: false,
  },
  CHECKPOINT_COORDINATOR_SHUTDOWN: {
    message: "CheckpointCoordinator shutdown.",
    preFlight: false,
    counted: false,
  },
  CHECKPOINT_COORDINATOR_SUSPEND: {
    message: "Checkpoint Coordinator is suspending.",
    preFlight: false,
    counted: false,
  },
  JOB_FAILOVER_REGION: {
    message: "FailoverRegion is restarting.",
    preFlight: false,
    counted: false,
  },
  TASK_FAILURE: { message: "Task has failed.", preFlight: false, counted: false },
  TASK_CHECKPOINT_FAILURE: {
    message: "Task local checkpoint failure.",
    preFlight: false,
    counted: false,
  },
  UNKNOWN_TASK_CHECKPOINT_NOTIFICATION_FAILURE: {
    message: "Unknown task for the checkpoint to notify.",
    preFlight: false,
    counted: false,
  },
  FINALIZE_CHECKPOINT_FAILURE: {
    message: "Failure to finalize checkpoint.",
    preFlight: false,
    counted: true,
  },
  TRIGGER_CHECKPOINT_FAILURE: {
    message: "Trigger checkpoint failure.",
    preFlight: false,
    counted: false,
  },
};

/** A checkpoint that did not come about: a reason, and what is known of its cause. */
export interface CheckpointFailure {
  readonly reason: CheckpointFailureReason;
  /** What happened where, in Flink's words (`Task name with subtask : map (1/2)#0`); undefined if the reason says it all. */
  readonly detail: string | undefined;
  /** `name: message` of the error behind it and of its causes, outermost first. */
  readonly causes: readonly string[];
}

/** A failure of which nothing but the reason is to be said. */
export function failureOf(reason: CheckpointFailureReason): CheckpointFailure {
  return { reason, detail: undefined, causes: [] };
}

/** The text of Flink's `CheckpointException` for it, as in logs and in `failure_message`. */
export function failureText({ reason, detail }: CheckpointFailure): string {
  const { message } = FAILURE_REASONS[reason];
  return detail === undefined ? message : `${detail} Failure reason: ${message}`;
}
