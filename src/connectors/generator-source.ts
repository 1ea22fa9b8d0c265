import { StreamError } from "../base/index.ts";
import {
  ownModule,
  type ReaderOutput,
  type ReaderStatus,
  type Source,
  type SourceReader,
  type SourceReaderContext,
  type SplitEnumerator,
  type SplitEnumeratorContext,
} from "../operators/index.ts";
import { type TypeSerializer, Types } from "../serde/index.ts";
import { RateLimiter } from "./rate-limiter.ts";

export interface GeneratorOptions<T> {
  /** How many records; left out, the source never ends. */
  readonly count?: number;
  /** At most so many records a second over all subtasks. */
  readonly recordsPerSecond?: number;
  readonly type?: TypeSerializer<T>;
}

/** Every `step`-th number from `next` on. */
interface SequenceSplit {
  readonly splitId: string;
  readonly next: number;
  readonly step: number;
}

const splitType: TypeSerializer<SequenceSplit> = Types.struct({
  splitId: Types.string(),
  next: Types.long(),
  step: Types.long(),
});

/**
 * Records made from their number: 0, 1, 2 …
 *
 * @param generate - Must depend on nothing but the number, since after a failure the same numbers come again.
 */
export function generatorSource<T>(
  generate: (index: number) => T,
  options: GeneratorOptions<T> = {},
): Source<T, SequenceSplit, readonly SequenceSplit[]> {
  const { count = Number.MAX_SAFE_INTEGER, recordsPerSecond, type } = options;
  if (
    !Number.isSafeInteger(count) ||
    count < 0 ||
    !(recordsPerSecond === undefined || recordsPerSecond > 0)
  ) {
    throw new StreamError("OPTION_VALUE_INVALID", {
      key: "count, recordsPerSecond",
      value: `${count}, ${recordsPerSecond}`,
      place: "generatorSource",
      expected: "a whole count of at least 0 and a rate above 0",
    });
  }
  return {
    name: "Generator Source",
    boundedness: options.count === undefined ? "CONTINUOUS_UNBOUNDED" : "BOUNDED",
    type,
    splitSerializer: splitType,
    enumeratorStateSerializer: Types.array(splitType) as TypeSerializer<readonly SequenceSplit[]>,
    createEnumerator: (context, restored) => new SequenceEnumerator(context, restored),
    readerModuleUrl: import.meta.url,
    createReader(context, own) {
      const { SequenceReader: Own } = ownModule(own, { SequenceReader });
      return new Own(context, generate, count, recordsPerSecond);
    },
  };
}

/** Deals the numbers out: the parallelism of the first start decides into how many splits. */
class SequenceEnumerator implements SplitEnumerator<SequenceSplit, readonly SequenceSplit[]> {
  readonly #context: SplitEnumeratorContext<SequenceSplit>;
  readonly #waiting: SequenceSplit[];

  constructor(
    context: SplitEnumeratorContext<SequenceSplit>,
    restored: readonly SequenceSplit[] | undefined,
  ) {
    this.#context = context;
    const step = context.parallelism;
    this.#waiting = [
      ...(restored ??
        Array.from({ length: step }, (_, next) => ({ splitId: `${next}/${step}`, next, step }))),
    ];
  }

  start(): void {}

  addReader(): void {}

  handleSplitRequest(subtaskIndex: number): void {
    const split = this.#waiting.shift();
    if (split === undefined) this.#context.signalNoMoreSplits(subtaskIndex);
    else this.#context.assignSplit(split, subtaskIndex);
  }

  addSplitsBack(splits: readonly SequenceSplit[]): void {
    this.#waiting.push(...splits);
  }

  snapshotState(): readonly SequenceSplit[] {
    return [...this.#waiting];
  }

  close(): void {}
}

/** Makes the records of its splits. */
export class SequenceReader<T> implements SourceReader<T, SequenceSplit> {
  readonly #context: SourceReaderContext;
  readonly #generate: (index: number) => T;
  readonly #count: number;
  readonly #limiter: RateLimiter | undefined;
  readonly #splits: SequenceSplit[] = [];
  #hasRequested = false;
  #hasNoMoreSplits = false;
  #cancelTimer: (() => void) | undefined;

  constructor(
    context: SourceReaderContext,
    generate: (index: number) => T,
    count: number,
    recordsPerSecond: number | undefined,
  ) {
    this.#context = context;
    this.#generate = generate;
    this.#count = count;
    this.#limiter =
      recordsPerSecond === undefined
        ? undefined
        : new RateLimiter(recordsPerSecond / context.parallelism, context.platform);
  }

  start(): void {}

  addSplits(splits: readonly SequenceSplit[]): void {
    this.#splits.push(...splits);
    this.#hasRequested = false;
    this.#context.available();
  }

  notifyNoMoreSplits(): void {
    this.#hasNoMoreSplits = true;
    this.#context.available();
  }

  pollNext(output: ReaderOutput<T>, maxRecords: number): ReaderStatus {
    const split = this.#splits[0];
    if (split === undefined) return this.#withoutSplit();
    const limit = this.#limiter?.allowance(maxRecords) ?? maxRecords;
    if (limit === 0) return this.#wait();
    const generate = this.#generate;
    const { next: first, step } = split;
    // All that the loop needs lies in constants: what follows a call would be loaded anew each time.
    const emitted = Math.max(0, Math.min(limit, Math.ceil((this.#count - first) / step)));
    for (let index = 0; index < emitted; index++) output.collect(generate(first + index * step));
    const next = first + emitted * step;
    this.#limiter?.spend(emitted);
    if (next < this.#count) this.#splits[0] = { ...split, next };
    else this.#splits.shift();
    return "MORE";
  }

  snapshotState(): readonly SequenceSplit[] {
    return [...this.#splits];
  }

  close(): void {
    this.#cancelTimer?.();
  }

  #withoutSplit(): ReaderStatus {
    if (this.#hasNoMoreSplits) return "END";
    if (!this.#hasRequested) {
      this.#hasRequested = true;
      this.#context.sendSplitRequest();
    }
    return "NOTHING";
  }

  #wait(): ReaderStatus {
    this.#cancelTimer ??= this.#context.platform.after(this.#limiter?.delayMs() ?? 1, () => {
      this.#cancelTimer = undefined;
      this.#context.available();
    });
    return "NOTHING";
  }
}
