import { isStreamError, present } from "../base/index.ts";
import { Types, type TypeSerializer } from "../serde/index.ts";
import type { OperatorListState } from "../state/index.ts";
import { ownModule } from "./function/own-module.ts";
import { userFunctionFailure } from "./function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorContext,
  OperatorFactory,
  OperatorParameters,
  WatermarkStatus,
} from "./operator.ts";
import type { Committer, Sink, SinkContext, SinkWriter } from "./sink.ts";

/** Committables of one checkpoint that are not known to be committed. */
interface PendingCommit<C> {
  readonly checkpointId: number;
  readonly committable: C;
}

/** How often a commit that may succeed is tried before the task fails and tries again after its restore. */
const MAX_COMMIT_ATTEMPTS = 10;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

/**
 * The end of a stream: gives records to a sink's writer, and publishes what it wrote once a checkpoint that holds it is complete.
 *
 * Invariants:
 *
 * - K1. A committable lies in every snapshot from the one it was prepared for until it is known to be committed.
 * - K2. Nothing is committed before a checkpoint that holds it is complete; at the end of a job without checkpoints, at once.
 * - K3. Commits follow one another, in the order of their checkpoints.
 *
 * Source: Flink `SinkWriterOperator`, `CommitterOperator`.
 */
export class SinkOperator<IN, C, W> implements OneInputOperator<IN> {
  private readonly sink: Sink<IN, C, W>;
  private readonly context: OperatorContext;
  private writer: SinkWriter<IN, C, W> | undefined = undefined;
  private committer: Committer<C> | undefined = undefined;
  private pending: readonly PendingCommit<C>[] = [];
  /** Without checkpoints: the one commit, at the end of the input. */
  private finishing: Promise<void> | undefined = undefined;
  private committing: Promise<void> = Promise.resolve();
  private stopWaiting: (() => void) | undefined = undefined;
  private isClosed = false;
  /** True once no further record comes. */
  private hasFinished = false;
  /** The first checkpoint after the last record. */
  private lastCheckpointId: number | undefined = undefined;

  constructor(sink: Sink<IN, C, W>, { context }: OperatorParameters<never>) {
    this.sink = sink;
    this.context = context;
  }

  initializeState(): void {
    this.pending = this.committableState()?.get() ?? [];
  }

  async open(): Promise<void> {
    const { sink } = this;
    const context = this.sinkContext();
    this.committer = await sink.createCommitter?.(context);
    // Their checkpoint is complete: this attempt started from it.
    await this.commitUpTo(Number.POSITIVE_INFINITY);
    this.writer = await sink.createWriter(context, this.writerState()?.get() ?? []);
  }

  processElement(value: IN, timestamp: number): void {
    const writer = this.writer as SinkWriter<IN, C, W>;
    try {
      writer.write(value, timestamp);
    } catch (error) {
      throw userFunctionFailure(this.context, "write", value, error);
    }
  }

  processWatermark(watermark: number): void {
    this.ready().writeWatermark?.(watermark);
  }

  processWatermarkStatus(_status: WatermarkStatus): void {}

  isAvailable(): boolean {
    return this.writer?.isAvailable?.() ?? true;
  }

  snapshotState(checkpointId: number): Promise<void> | undefined {
    const writer = this.ready();
    const { committables, durable } = writer.prepareCommit(checkpointId);
    this.keep(checkpointId, committables);
    if (this.hasFinished) this.lastCheckpointId ??= checkpointId;
    this.committableState()?.update(this.pending);
    this.writerState()?.update(writer.snapshotState?.(checkpointId) ?? []);
    return durable;
  }

  async notifyCheckpointComplete(checkpointId: number): Promise<void> {
    await this.commitUpTo(checkpointId);
    // What the writer still holds is handed over at the first checkpoint behind the end, and committed with it.
    const isLast = this.lastCheckpointId !== undefined && checkpointId >= this.lastCheckpointId;
    if (isLast && this.pending.length === 0) await this.committer?.finish?.();
  }

  finish(): void {
    this.hasFinished = true;
    if (this.context.isCheckpointed) return;
    const { committables, durable } = this.ready().prepareCommit(undefined);
    this.keep(0, committables);
    const commit = async (): Promise<void> => {
      await durable;
      await this.commitUpTo(0);
      await this.committer?.finish?.();
    };
    this.finishing = commit().catch((error: unknown) => this.context.fail(error));
  }

  async close(): Promise<void> {
    await this.finishing;
    this.isClosed = true;
    this.stopWaiting?.();
    try {
      await this.writer?.close();
    } finally {
      await this.committer?.close?.();
    }
  }

  private keep(checkpointId: number, committables: readonly C[]): void {
    this.pending = [
      ...this.pending,
      ...committables.map((committable) => ({ checkpointId, committable })),
    ];
  }

  private commitUpTo(checkpointId: number): Promise<void> {
    const commit = async (): Promise<void> => {
      const due = this.pending.filter((entry) => entry.checkpointId <= checkpointId);
      if (due.length === 0) return;
      await this.commit(due.map((entry) => entry.committable));
      this.pending = this.pending.filter((entry) => !due.includes(entry));
    };
    const result = this.committing.then(commit);
    // A failed commit fails the task; those that follow must not fail for its sake.
    this.committing = result.catch(() => undefined);
    return result;
  }

  private async commit(committables: readonly C[]): Promise<void> {
    const committer = present(this.committer, "a sink with committables has a committer");
    for (let attempt = 1; ; attempt++) {
      try {
        return await committer.commit(committables);
      } catch (error) {
        const mayRetry = isStreamError(error) && error.retryable && attempt < MAX_COMMIT_ATTEMPTS;
        if (!mayRetry || this.isClosed) throw error;
        this.context.log.log("WARN", `Commit attempt ${attempt} failed; it is tried again`, {
          error,
        });
        await this.wait(Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS));
      }
    }
  }

  private wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.context.platform.after(delayMs, resolve);
      this.stopWaiting = () => {
        cancel();
        resolve();
      };
    });
  }

  private committableState(): OperatorListState<PendingCommit<C>> | undefined {
    const committable = this.sink.committableSerializer;
    if (committable === undefined) return undefined;
    const type = Types.struct({ checkpointId: Types.long(), committable });
    return this.context.operatorState.listState<PendingCommit<C>>({
      name: "sink_committables",
      type: type as unknown as TypeSerializer<PendingCommit<C>>,
    });
  }

  private writerState(): OperatorListState<W> | undefined {
    const type = this.sink.writerStateSerializer;
    if (type === undefined) return undefined;
    return this.context.operatorState.listState<W>({ name: "sink_writer_states", type });
  }

  private sinkContext(): SinkContext {
    const { context } = this;
    return {
      jobName: context.jobName,
      jobId: context.jobId,
      operatorId: context.operatorId,
      subtaskIndex: context.subtaskIndex,
      parallelism: context.parallelism,
      attempt: context.attempt,
      isRestored: context.isRestored,
      restoredCheckpointId: context.restoredCheckpointId,
      platform: context.platform,
      files: context.files,
      log: context.log,
      metrics: context.metrics,
      available: () => context.execute(() => {}),
      fail: (error) => context.fail(error),
    };
  }

  private ready(): SinkWriter<IN, C, W> {
    return present(this.writer, "the writer is made before the first record");
  }
}

/** Makes the operator of a sink. */
export interface SinkOperatorFactory<IN, C, W> extends OperatorFactory<
  OneInputOperator<IN>,
  never
> {
  readonly sink: Sink<IN, C, W>;
}

/** The sink of an operator, if it is one of a sink. */
export function sinkOf(factory: OperatorFactory): Sink<unknown, unknown, unknown> | undefined {
  return "sink" in factory
    ? (factory as SinkOperatorFactory<unknown, unknown, unknown>).sink
    : undefined;
}

/** `DataStream.sinkTo`. */
export function sinkOperator<IN, C, W>(sink: Sink<IN, C, W>): SinkOperatorFactory<IN, C, W> {
  return {
    kind: "Sink",
    sink,
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { SinkOperator: Own } = ownModule(own, { SinkOperator });
      return new Own<IN, C, W>(sink, parameters);
    },
  };
}
