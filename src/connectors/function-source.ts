import type {
  ReaderOutput,
  ReaderStatus,
  Source,
  SourceReader,
  SourceReaderContext,
  SourceSplit,
  SplitEnumerator,
} from "../operators/index.ts";
import { type TypeSerializer, Types } from "../serde/index.ts";
import type { OperatorStateStore } from "../state/index.ts";

/** What a {@link SourceFunction} can reach. */
export interface SourceFunctionContext<T> {
  readonly subtaskIndex: number;
  readonly parallelism: number;
  collect(record: T): void;
  collectWithTimestamp(record: T, timestamp: number): void;
}

/**
 * A source written by hand that keeps its position in operator state. One instance runs in each subtask.
 *
 * @remarks
 * Life: `open`, `initializeState`, then `run` again and again; `snapshotState` between two calls of `run`; `close`.
 */
export interface SourceFunction<T> {
  open?(context: { readonly subtaskIndex: number; readonly parallelism: number }): void;
  /** Declares the operator state and reads what was restored. */
  initializeState?(state: OperatorStateStore, isRestored: boolean): void;
  /**
   * Emits some records, without waiting.
   *
   * @returns How long to wait before the next call, in ms; or `"end"` when there is nothing more for good.
   */
  run(context: SourceFunctionContext<T>): number | "end";
  /** Puts the position into the operator state. */
  snapshotState?(checkpointId: number): void;
  notifyCheckpointComplete?(checkpointId: number): Promise<void> | void;
  close?(): Promise<void> | void;
}

export interface FunctionSourceOptions<T> {
  readonly name?: string;
  readonly type?: TypeSerializer<T>;
  /** Whether it ends by itself. Initially not. */
  readonly boundedness?: "BOUNDED" | "CONTINUOUS_UNBOUNDED";
}

/** A parallel source out of a function object per subtask, as Flink's `RichParallelSourceFunction`. */
export function functionSource<T>(
  create: () => SourceFunction<T>,
  options: FunctionSourceOptions<T> = {},
): Source<T, SourceSplit, null> {
  return {
    name: options.name ?? "Custom Source",
    boundedness: options.boundedness ?? "CONTINUOUS_UNBOUNDED",
    type: options.type,
    splitSerializer: Types.struct({ splitId: Types.string() }),
    enumeratorStateSerializer: Types.nullable(Types.string()) as TypeSerializer<null>,
    createEnumerator: () => NO_SPLITS,
    createReader: (context) => new FunctionReader(context, create()),
  };
}

const NO_SPLITS: SplitEnumerator<SourceSplit, null> = {
  start() {},
  addReader() {},
  handleSplitRequest() {},
  addSplitsBack() {},
  snapshotState: () => null,
  close() {},
};

class FunctionReader<T> implements SourceReader<T, SourceSplit> {
  readonly #context: SourceReaderContext;
  readonly #function: SourceFunction<T>;
  #functionContext: SourceFunctionContext<T> | undefined;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  constructor(context: SourceReaderContext, sourceFunction: SourceFunction<T>) {
    this.#context = context;
    this.#function = sourceFunction;
  }

  initializeState(state: OperatorStateStore, isRestored: boolean): void {
    const { subtaskIndex, parallelism } = this.#context;
    this.#function.open?.({ subtaskIndex, parallelism });
    this.#function.initializeState?.(state, isRestored);
  }

  start(): void {}

  addSplits(): void {}

  notifyNoMoreSplits(): void {}

  pollNext(output: ReaderOutput<T>): ReaderStatus {
    const { platform, subtaskIndex, parallelism } = this.#context;
    if (platform.monotonicMs() < this.#dueAtMs)
      return this.#wait(this.#dueAtMs - platform.monotonicMs());
    this.#functionContext ??= {
      subtaskIndex,
      parallelism,
      collect: (record) => output.collect(record),
      collectWithTimestamp: (record, timestamp) => output.collectWithTimestamp(record, timestamp),
    };
    const pauseMs = this.#function.run(this.#functionContext);
    if (pauseMs === "end") return "END";
    if (pauseMs <= 0) return "MORE";
    this.#dueAtMs = platform.monotonicMs() + pauseMs;
    return this.#wait(pauseMs);
  }

  snapshotState(checkpointId: number): readonly SourceSplit[] {
    this.#function.snapshotState?.(checkpointId);
    return [];
  }

  notifyCheckpointComplete(checkpointId: number): Promise<void> | void {
    return this.#function.notifyCheckpointComplete?.(checkpointId);
  }

  async close(): Promise<void> {
    this.#cancelTimer?.();
    await this.#function.close?.();
  }

  #wait(delayMs: number): ReaderStatus {
    this.#cancelTimer ??= this.#context.platform.after(delayMs, () => {
      this.#cancelTimer = undefined;
      this.#context.available();
    });
    return "NOTHING";
  }
}
