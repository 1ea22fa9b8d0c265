import { type TypeSerializer, Types } from "../serde/index.ts";
import {
  ownModule,
  type ReaderOutput,
  type ReaderStatus,
  type Source,
  type SourceReader,
  type SplitEnumerator,
  type SplitEnumeratorContext,
} from "../operators/index.ts";

interface CollectionSplit {
  readonly splitId: string;
  /** Index of the next record. */
  readonly position: number;
}

const splitType: TypeSerializer<CollectionSplit> = Types.struct({
  splitId: Types.string(),
  position: Types.long(),
});

/**
 * The given records, in order, read by one subtask.
 *
 * @param type - Type of the records; undeclared ones describe themselves.
 */
export function collectionSource<T>(
  records: readonly T[],
  type?: TypeSerializer<T>,
): Source<T, CollectionSplit, readonly CollectionSplit[]> {
  return {
    name: "Collection Source",
    boundedness: "BOUNDED",
    type,
    splitSerializer: splitType,
    enumeratorStateSerializer: Types.array(splitType) as TypeSerializer<readonly CollectionSplit[]>,
    createEnumerator: (context, restored) => new OneSplitEnumerator(context, restored),
    readerModuleUrl: import.meta.url,
    createReader(context, own) {
      const { CollectionReader: Own } = ownModule(own, { CollectionReader });
      return new Own(records, context);
    },
  };
}

/** Gives the whole collection to the reader that asks first. */
class OneSplitEnumerator implements SplitEnumerator<CollectionSplit, readonly CollectionSplit[]> {
  readonly #context: SplitEnumeratorContext<CollectionSplit>;
  #waiting: readonly CollectionSplit[];

  constructor(
    context: SplitEnumeratorContext<CollectionSplit>,
    restored: readonly CollectionSplit[] | undefined,
  ) {
    this.#context = context;
    this.#waiting = restored ?? [{ splitId: "0", position: 0 }];
  }

  start(): void {}

  addReader(): void {}

  handleSplitRequest(subtaskIndex: number): void {
    for (const split of this.#waiting) this.#context.assignSplit(split, subtaskIndex);
    this.#waiting = [];
    this.#context.signalNoMoreSplits(subtaskIndex);
  }

  addSplitsBack(splits: readonly CollectionSplit[]): void {
    this.#waiting = [...this.#waiting, ...splits];
  }

  snapshotState(): readonly CollectionSplit[] {
    return this.#waiting;
  }

  close(): void {}
}

/** Emits the records of its splits. */
export class CollectionReader<T> implements SourceReader<T, CollectionSplit> {
  readonly #records: readonly T[];
  readonly #request: () => void;
  readonly #available: () => void;
  #splits: CollectionSplit[] = [];
  #hasNoMoreSplits = false;

  constructor(records: readonly T[], context: { sendSplitRequest(): void; available(): void }) {
    this.#records = records;
    this.#request = () => context.sendSplitRequest();
    this.#available = () => context.available();
  }

  start(): void {
    this.#request();
  }

  addSplits(splits: readonly CollectionSplit[]): void {
    this.#splits.push(...splits);
    this.#available();
  }

  notifyNoMoreSplits(): void {
    this.#hasNoMoreSplits = true;
    this.#available();
  }

  pollNext(output: ReaderOutput<T>, maxRecords: number): ReaderStatus {
    const split = this.#splits[0];
    if (split === undefined) return this.#hasNoMoreSplits ? "END" : "NOTHING";
    const end = Math.min(this.#records.length, split.position + maxRecords);
    const records = this.#records;
    for (let index = split.position; index < end; index++) output.collect(records[index] as T);
    if (end < this.#records.length) this.#splits[0] = { ...split, position: end };
    else this.#splits.shift();
    return "MORE";
  }

  snapshotState(): readonly CollectionSplit[] {
    return [...this.#splits];
  }

  close(): void {}
}
