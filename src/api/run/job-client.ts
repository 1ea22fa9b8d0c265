import type { Configuration } from "../../base/index.ts";
import type { Job, JobResult, JobStatus, OperatorMetricsSnapshot } from "../../runtime/index.ts";

/** A job that was started. The word is Flink's. */
export interface JobClient {
  readonly jobId: string;
  readonly jobName: string;
  readonly status: JobStatus;
  /** Holds checkpoints, lock and state; undefined if the settings keep nothing in files. */
  readonly directory: string | undefined;
  /** The checkpoint or savepoint that the job started from; undefined if it started from nothing. */
  readonly startedFrom: string | undefined;
  /** Checkpoints of an earlier life of the job that a fresh start left where they are, by id. */
  readonly leftCheckpointIds: readonly number[];
  /** How long {@link stop} gives the last checkpoint, in milliseconds: `cutwater.shutdown-timeout`. */
  readonly shutdownTimeoutMs: number;
  /** Settled when the job has ended and its directory is free again: rejected with StreamError JOB_FAILED if it failed for good. */
  readonly result: Promise<JobResult>;
  /** What its server shows and steers. Another one after a change of parallelism. */
  readonly job: Job;
  /** All settings, with where each came from. */
  readonly configuration: Configuration;
  /** How many records the sources have given in the present attempt. */
  recordsRead(): number;
  /** Counters of all operators. */
  metrics(): readonly OperatorMetricsSnapshot[];
  /** Ends the job at once. Its checkpoints stay or go by their retention. */
  cancel(): void;
  /** Takes a last checkpoint and ends the job; running it again goes on from there. */
  stop(): Promise<void>;
  /** Takes a savepoint; the job goes on. @returns Where it lies. @throws StreamError SNAPSHOT_FAILED, JOB_NOT_RUNNING. */
  triggerSavepoint(options?: Parameters<Job["triggerSavepoint"]>[0]): Promise<string>;
  /** Takes a savepoint and cancels the job. @returns Where it lies. @throws StreamError SNAPSHOT_FAILED, JOB_NOT_RUNNING. */
  cancelWithSavepoint(options?: Parameters<Job["cancelWithSavepoint"]>[0]): Promise<string>;
  /**
   * Changes the default parallelism of the running job: takes a checkpoint, ends its tasks and goes on from there in this process.
   *
   * @remarks
   * What sets its own parallelism keeps it. If the job cannot start at the new parallelism it goes on at the old one.
   *
   * @returns When the job has been started again.
   * @throws StreamError PARALLELISM_ABOVE_MAXIMUM, OPTION_VALUE_INVALID, JOB_NOT_RUNNING, JOB_NOT_RESCALABLE, SNAPSHOT_FAILED.
   */
  rescale(parallelism: number): Promise<void>;
  /** Takes a savepoint and ends the job with it. @returns Where it lies. */
  stopWithSavepoint(options?: Parameters<Job["stopWithSavepoint"]>[0]): Promise<string>;
}
