import { ByteReader } from "../../base/index.ts";
import type { SourceOperator, SourceSplit } from "../../operators/index.ts";
import type { TypeSerializer } from "../../serde/index.ts";
import type { Head, HeadResult } from "./input-head.ts";
import { RecordBudget } from "./budget/record-budget.ts";
import type { SourceControl } from "./task-body.ts";
import type { SourceEvent } from "../slot/task-messages.ts";

/** The head of a task that reads a source. */
export class SourceHead implements Head, SourceControl {
  readonly #source: SourceOperator<unknown, SourceSplit>;
  readonly #splitSerializer: TypeSerializer<SourceSplit>;
  readonly #budget: RecordBudget;
  readonly #monotonicMs: () => number;
  #isEnded = false;
  #isDrained = true;

  /** @param recordsPerCall - How many records it emits in one go. */
  constructor(
    source: SourceOperator<unknown, SourceSplit>,
    splitSerializer: TypeSerializer<SourceSplit>,
    recordsPerCall: number,
    monotonicMs: () => number,
  ) {
    this.#budget = new RecordBudget(recordsPerCall);
    this.#monotonicMs = monotonicMs;
    this.#source = source;
    this.#splitSerializer = splitSerializer;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isDrained(): boolean {
    return this.#isDrained;
  }

  get watermark(): undefined {
    return undefined;
  }

  get gate(): undefined {
    return undefined;
  }

  get isEmpty(): boolean {
    return true;
  }

  take(): HeadResult {
    switch (this.#emit()) {
      case "MORE":
        return "TOOK";
      case "NOTHING":
        return "NOTHING";
      case "END":
        this.#isEnded = true;
        return "END";
    }
  }

  #emit(): ReturnType<SourceOperator<unknown, SourceSplit>["emitNext"]> {
    const { limit } = this.#budget;
    const startMs = this.#monotonicMs();
    const result = this.#source.emitNext(limit);
    this.#budget.took(limit, this.#monotonicMs() - startMs);
    return result;
  }

  handleEvent(event: SourceEvent): void {
    switch (event.kind) {
      case "add-splits":
        return this.#source.addSplits(
          event.splits.map((bytes) => this.#splitSerializer.read(new ByteReader(bytes))),
        );
      case "no-more-splits":
        return this.#source.notifyNoMoreSplits();
      case "watermark-alignment":
        return this.#source.allowUpTo(event.maxAllowed);
    }
  }

  stop(drain: boolean): void {
    this.#isEnded = true;
    this.#isDrained = drain;
    this.#source.stop(drain);
  }
}
