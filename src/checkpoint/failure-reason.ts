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
