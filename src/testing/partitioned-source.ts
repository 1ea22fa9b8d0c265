import type {
  ReaderOutput,
  ReaderStatus,
  Source,
  SourceReader,
  SourceReaderContext,
  SplitEnumerator,
  SplitEnumeratorContext,
} from "../operators/index.ts";
import { type TypeSerializer, Types } from "../serde/index.ts";

/** A record of a partition: its event time, and when it is there, in ms since the platform's `startMs`. */
export interface TimedRecord {
  readonly timestamp: number;
  readonly atMs: number;
}

/** What a {@link partitionedSource} emits. */
export interface PartitionRecord {
  readonly partition: string;
  readonly timestamp: number;
  /** Its place in the partition. */
  readonly index: number;
}

export const PARTITION_RECORD: TypeSerializer<PartitionRecord> = Types.struct({
  partition: Types.string(),
  timestamp: Types.long(),
  index: Types.int(),
});

interface PartitionSplit {
  readonly splitId: string;
  /** Index of the next record. */
  readonly position: number;
}

const splitType: TypeSerializer<PartitionSplit> = Types.struct({
  splitId: Types.string(),
  position: Types.int(),
});

export interface PartitionedSourceOptions {
  readonly name?: string;
  readonly startMs: number;
  readonly partitions: Readonly<Record<string, readonly TimedRecord[]>>;
  /** Ends when all is read. */
  readonly isBounded: boolean;
  /** Whether a reader can leave one of its partitions alone. Initially it can. */
  readonly canPause?: boolean;
}

/**
 * Partitions as of a message queue: all dealt out at the start, partition `i` to reader `i mod n`, each reader reading all of its own in turn, as
 * they have something.
 */
export function partitionedSource(
  options: PartitionedSourceOptions,
): Source<PartitionRecord, PartitionSplit, readonly number[]> {
  const { name = "Partitions", isBounded, partitions, canPause = true } = options;
  return {
    name,
    boundedness: isBounded ? "BOUNDED" : "CONTINUOUS_UNBOUNDED",
    type: PARTITION_RECORD,
    splitSerializer: splitType,
    enumeratorStateSerializer: Types.array(Types.int()) as TypeSerializer<readonly number[]>,
    createEnumerator: (context, restored = []) =>
      new PartitionEnumerator(context, restored, Object.keys(partitions)),
    createReader: (context) =>
      canPause
        ? new PausablePartitionReader(context, options)
        : new PartitionReader(context, options),
  };
}

/** Deals each reader its partitions once, when it comes up first. */
class PartitionEnumerator implements SplitEnumerator<PartitionSplit, readonly number[]> {
  readonly #context: SplitEnumeratorContext<PartitionSplit>;
  readonly #splitIds: readonly string[];
  readonly #servedReaders: Set<number>;

  constructor(
    context: SplitEnumeratorContext<PartitionSplit>,
    servedReaders: readonly number[],
    splitIds: readonly string[],
  ) {
    this.#context = context;
    this.#servedReaders = new Set(servedReaders);
    this.#splitIds = splitIds;
  }

  start(): void {}

  addReader(subtaskIndex: number): void {
    if (!this.#servedReaders.has(subtaskIndex)) {
      for (const [index, splitId] of this.#splitIds.entries()) {
        if (index % this.#context.parallelism === subtaskIndex)
          this.#context.assignSplit({ splitId, position: 0 }, subtaskIndex);
      }
    }
    this.#servedReaders.add(subtaskIndex);
    this.#context.signalNoMoreSplits(subtaskIndex);
  }

  handleSplitRequest(): void {}

  addSplitsBack(): void {}

  snapshotState(): readonly number[] {
    return [...this.#servedReaders];
  }

  close(): void {}
}

class PartitionReader implements SourceReader<PartitionRecord, PartitionSplit> {
  readonly #context: SourceReaderContext;
  readonly #options: PartitionedSourceOptions;
  readonly #positions = new Map<string, number>();
  protected readonly paused: Set<string> = new Set();
  #hasNoMoreSplits = false;
  #cancelTimer: (() => void) | undefined;

  constructor(context: SourceReaderContext, options: PartitionedSourceOptions) {
    this.#context = context;
    this.#options = options;
  }

  start(): void {}

  addSplits(splits: readonly PartitionSplit[]): void {
    for (const { splitId, position } of splits) this.#positions.set(splitId, position);
    this.#context.available();
  }

  notifyNoMoreSplits(): void {
    this.#hasNoMoreSplits = true;
    this.#context.available();
  }

  pollNext(output: ReaderOutput<PartitionRecord>, maxRecords: number): ReaderStatus {
    const { isBounded } = this.#options;
    let emitted = 0;
    for (const partition of this.#positions.keys()) {
      if (emitted >= maxRecords) break;
      if (this.#emit(partition, output)) emitted++;
    }
    if (emitted > 0) return "MORE";
    if (isBounded && this.#hasNoMoreSplits && this.#positions.size === 0) return "END";
    this.#await();
    return "NOTHING";
  }

  snapshotState(): readonly PartitionSplit[] {
    return Array.from(this.#positions, ([splitId, position]) => ({ splitId, position }));
  }

  close(): void {
    this.#cancelTimer?.();
  }

  /** Emits the next record of a partition, if it is there. @returns True if it was, or if the partition has ended. */
  #emit(partition: string, output: ReaderOutput<PartitionRecord>): boolean {
    if (this.paused.has(partition)) return false;
    const index = this.#positions.get(partition) ?? 0;
    const record = this.#options.partitions[partition]?.[index];
    if (record === undefined) return this.#release(partition, output);
    if (this.#delayMs(record) > 0) return false;
    const { timestamp } = record;
    output
      .outputForSplit(partition)
      .collectWithTimestamp({ partition, timestamp, index }, timestamp);
    this.#positions.set(partition, index + 1);
    return true;
  }

  #release(partition: string, output: ReaderOutput<PartitionRecord>): boolean {
    if (!this.#options.isBounded) return false;
    this.#positions.delete(partition);
    output.releaseOutputForSplit(partition);
    return true;
  }

  /** Until the record is there. */
  #delayMs({ atMs }: TimedRecord): number {
    return this.#options.startMs + atMs - this.#context.platform.nowMs();
  }

  #await(): void {
    const delays = Array.from(this.#positions).flatMap(([partition, index]) => {
      const record = this.#options.partitions[partition]?.[index];
      return record === undefined || this.paused.has(partition) ? [] : [this.#delayMs(record)];
    });
    if (delays.length === 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#context.platform.after(Math.max(1, Math.min(...delays)), () =>
      this.#context.available(),
    );
  }

  protected wake(): void {
    this.#context.available();
  }
}

class PausablePartitionReader extends PartitionReader {
  pauseOrResumeSplits(pause: readonly string[], resume: readonly string[]): void {
    for (const partition of pause) this.paused.add(partition);
    for (const partition of resume) this.paused.delete(partition);
    this.wake();
  }
}
