import type { FileSystem, Logger, Platform } from "../base/index.ts";
import type { TypeSerializer } from "../serde/index.ts";
import type { OperatorStateStore } from "../state/index.ts";
import type { OperatorMetrics } from "./operator.ts";
import type { OutputTag } from "./output-tag.ts";

/**
 * The contract of sources: Flink's FLIP-27 in TypeScript. An enumerator, one per job, finds splits and hands them to readers;
 * a reader per subtask reads them.
 */

/** A part of a source. `splitId` is unique within the source and stable over restarts. */
export interface SourceSplit {
  readonly splitId: string;
}

export interface Source<T, S extends SourceSplit = SourceSplit, E = unknown> {
  readonly name: string;
  /** True if the source ends by itself. */
  readonly boundedness: "BOUNDED" | "CONTINUOUS_UNBOUNDED";
  /** The type of its records, if it is known. */
  readonly type: TypeSerializer<T> | undefined;
  readonly splitSerializer: TypeSerializer<S>;
  readonly enumeratorStateSerializer: TypeSerializer<E>;
  createEnumerator(
    context: SplitEnumeratorContext<S>,
    restored: E | undefined,
  ): SplitEnumerator<S, E>;
  /**
   * The `import.meta.url` of the file that holds the reader's class. If it is given, the file is imported once more for each source of a job,
   * and `createReader` gets that instance, so that the reader's loop keeps its own type feedback.
   */
  readonly readerModuleUrl?: string | undefined;
  createReader(context: SourceReaderContext, own?: unknown): SourceReader<T, S>;
}

export interface SplitEnumeratorContext<S> {
  readonly platform: Platform;
  readonly files: FileSystem;
  readonly log: Logger;
  /** Parallelism of the source's readers. */
  readonly parallelism: number;
  /** Subtasks whose reader is registered. */
  registeredReaders(): readonly number[];
  assignSplit(split: S, subtaskIndex: number): void;
  /** The reader gets no more splits; when it has read those it has, it finishes. */
  signalNoMoreSplits(subtaskIndex: number): void;
  /** Fails the job. */
  fail(error: unknown): void;
}

/** Lives in the JobManager. Its state is in each checkpoint. All calls come one after the other. */
export interface SplitEnumerator<S, E> {
  /** Begins discovery. May do I/O; calls to the other methods wait for it. */
  start(): Promise<void> | void;
  /** A reader has come up, at start or after a failure. */
  addReader(subtaskIndex: number): void;
  /** A reader has nothing left and asks for a split. */
  handleSplitRequest(subtaskIndex: number): void;
  /** Splits that a failed reader had got since the last checkpoint, or all of its splits at restore. */
  addSplitsBack(splits: readonly S[], subtaskIndex: number): void;
  snapshotState(checkpointId: number): E;
  notifyCheckpointComplete?(checkpointId: number): void;
  close(): Promise<void> | void;
}

export interface SourceReaderContext {
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly platform: Platform;
  readonly files: FileSystem;
  readonly log: Logger;
  readonly metrics: OperatorMetrics;
  /** Asks the enumerator for a split. */
  sendSplitRequest(): void;
  /** Tells the task that `pollNext` may have something now. */
  available(): void;
  /** Fails the task. */
  fail(error: unknown): void;
}

/** Takes the records of a reader. One output per split, so that each split has its own watermark generator. */
export interface ReaderOutput<T> {
  /** A record without a timestamp of its own. */
  collect(record: T): void;
  collectWithTimestamp(record: T, timestamp: number): void;
  /** A record for a side output of the source: what could not be decoded, for example. */
  collectSide<R>(tag: OutputTag<R>, record: R): void;
  /** The reader's records of this split have their own watermark. */
  outputForSplit(splitId: string): ReaderOutput<T>;
  releaseOutputForSplit(splitId: string): void;
}

/** `MORE`: call again at once. `NOTHING`: nothing now; the reader calls `available()`. `END`: finished for good. */
export type ReaderStatus = "MORE" | "NOTHING" | "END";

/** Reads splits, in the task. Never waits: I/O goes on in the background and ends with `available()`. */
export interface SourceReader<T, S extends SourceSplit> {
  /** Declares operator state of the reader's own, beside its splits. Before `start`. */
  initializeState?(state: OperatorStateStore, isRestored: boolean): void;
  start(): void;
  addSplits(splits: readonly S[]): void;
  notifyNoMoreSplits(): void;
  /**
   * Leaves some splits alone, since they are ahead of their watermark alignment group, and reads others again. What is held back must not keep the
   * rest from being read. A reader with this method gives each of its splits an output (`outputForSplit`), and releases it.
   */
  pauseOrResumeSplits?(pause: readonly string[], resume: readonly string[]): void;
  /** Emits up to about `maxRecords` records, without suspension. */
  pollNext(output: ReaderOutput<T>, maxRecords: number): ReaderStatus;
  /** The splits that are not finished, with their positions: exactly after the last record emitted. */
  snapshotState(checkpointId: number): readonly S[];
  notifyCheckpointComplete?(checkpointId: number): Promise<void> | void;
  notifyCheckpointAborted?(checkpointId: number): void;
  close(): Promise<void> | void;
}
