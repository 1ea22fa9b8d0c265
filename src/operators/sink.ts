import type { FileSystem, Logger, Platform } from "../base/index.ts";
import type { TypeSerializer } from "../serde/index.ts";
import type { OperatorMetrics } from "./operator.ts";

/**
 * The contract of sinks: Flink's Sink V2 in TypeScript. A writer per subtask takes records; at each checkpoint it hands over
 * committables, which lie in the checkpoint and are committed once it is complete, again after a restore.
 */

export interface Sink<IN, C = never, W = never> {
  readonly name: string;
  /** State of the writer itself (an unfinished file), if it keeps any over a checkpoint. */
  readonly writerStateSerializer: TypeSerializer<W> | undefined;
  /** Set for exactly-once sinks. */
  readonly committableSerializer: TypeSerializer<C> | undefined;
  createWriter(
    context: SinkContext,
    restored: readonly W[],
  ): SinkWriter<IN, C, W> | Promise<SinkWriter<IN, C, W>>;
  createCommitter?(context: SinkContext): Committer<C> | Promise<Committer<C>>;
}

export interface SinkContext {
  readonly jobName: string;
  readonly jobId: string;
  readonly operatorId: string;
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly attempt: number;
  readonly isRestored: boolean;
  /** The checkpoint or savepoint from which this attempt started. */
  readonly restoredCheckpointId: number | undefined;
  readonly platform: Platform;
  readonly files: FileSystem;
  readonly log: Logger;
  readonly metrics: OperatorMetrics;
  /** Tells the task that `isAvailable` may have become true. */
  available(): void;
  /** Fails the task. */
  fail(error: unknown): void;
}

/** What a writer hands over at a checkpoint. */
export interface PreparedCommit<C> {
  /** Known at once, because they lie in the snapshot that is taken now. */
  readonly committables: readonly C[];
  /** Work that makes them durable; the checkpoint is acknowledged only after it. */
  readonly durable: Promise<void> | undefined;
}

export interface SinkWriter<IN, C, W> {
  /** Takes one record; never waits. */
  write(record: IN, timestamp: number): void;
  writeWatermark?(watermark: number): void;
  /** False while too much is waiting to be written: the task takes no further batch. */
  isAvailable?(): boolean;
  /**
   * Makes all records written so far part of committables. Called in the synchronous part of each checkpoint, the final one
   * after the end of input included; with `undefined` only at the end of input of a job without checkpoints, which commits
   * at once. The sink operator keeps committables until a checkpoint that holds them is complete.
   */
  prepareCommit(checkpointId: number | undefined): PreparedCommit<C>;
  /** Called in the synchronous part, after the cut: what a restored writer needs. */
  snapshotState?(checkpointId: number): readonly W[];
  close(): Promise<void> | void;
}

/** Publishes committables. Must be idempotent: after a failure the same committable comes again. */
export interface Committer<C> {
  /** @returns When all are committed. A rejection is retried while it is retryable, else the job fails. */
  commit(committables: readonly C[]): Promise<void>;
  /** All committables of the subtask are committed, and there will be no more: leaves nothing unfinished behind. */
  finish?(): Promise<void>;
  close?(): Promise<void> | void;
}
