import { randomId } from "../base/index.ts";
import type { Committer, PreparedCommit, Sink, SinkWriter } from "../operators/index.ts";
import { type TypeSerializer, Types } from "../serde/index.ts";

/** Records of one subtask between two checkpoints. */
interface CollectedBatch<T> {
  /** A batch is committed again after a restore, and taken only once. */
  readonly batchId: string;
  readonly records: T[];
}

/** A sink into memory, for tests and programs that run a job and use its result. */
export interface CollectSink<T> extends Sink<T, CollectedBatch<T>> {
  /** What has been committed so far: each record once, in order for each subtask. */
  readonly records: readonly T[];
}

/**
 * Collects records into an array, exactly once: they appear when the checkpoint after them is complete, or at the end of
 * a bounded job.
 *
 * @remarks
 * The array lies in the thread in which the sink's subtask runs. A program that runs a job by `run` sees all of it; a job file that
 * `cutwater run` spreads over several threads does so with `cutwater.slots` set to 1.
 */
export function collectSink<T>(type?: TypeSerializer<T>): CollectSink<T> {
  const records: T[] = [];
  const committedIds = new Set<string>();
  const committer: Committer<CollectedBatch<T>> = {
    async commit(batches) {
      for (const { batchId, records: collected } of batches) {
        if (committedIds.has(batchId)) continue;
        committedIds.add(batchId);
        for (const record of collected) records.push(record);
      }
    },
  };
  const batchType = Types.struct({
    batchId: Types.string(),
    records: Types.array(type ?? Types.any<T>()),
  });
  return {
    records,
    name: "Collect Sink",
    writerStateSerializer: undefined,
    committableSerializer: batchType as TypeSerializer<CollectedBatch<T>>,
    createWriter: ({ platform }) => new CollectWriter<T>(() => randomId(platform)),
    createCommitter: () => committer,
  };
}

class CollectWriter<T> implements SinkWriter<T, CollectedBatch<T>, never> {
  readonly #nextBatchId: () => string;
  #records: T[] = [];

  constructor(nextBatchId: () => string) {
    this.#nextBatchId = nextBatchId;
  }

  write(record: T): void {
    this.#records.push(record);
  }

  prepareCommit(): PreparedCommit<CollectedBatch<T>> {
    const records = this.#records;
    this.#records = [];
    const committables = records.length === 0 ? [] : [{ batchId: this.#nextBatchId(), records }];
    return { committables, durable: undefined };
  }

  close(): void {}
}
