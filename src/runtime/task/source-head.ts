import { ByteReader } from "../../base/index.ts";
import type { SourceOperator, SourceSplit } from "../../operators/index.ts";
import type { TypeSerializer } from "../../serde/index.ts";
import type { Head, HeadResult } from "./input-head.ts";
import type { SourceControl } from "./task-body.ts";
import type { SourceEvent } from "../slot/task-messages.ts";

/** The head of a task that reads a source. */
export class SourceHead implements Head, SourceControl {
  readonly #source: SourceOperator<unknown, SourceSplit>;
  readonly #splitSerializer: TypeSerializer<SourceSplit>;
  readonly #recordsPerCall: number;
  #isEnded = false;
  #isDrained = true;

  /** @param recordsPerCall - How many records it emits in one go. */
  constructor(
    source: SourceOperator<unknown, SourceSplit>,
    splitSerializer: TypeSerializer<SourceSplit>,
    recordsPerCall: number,
  ) {
    this.#recordsPerCall = recordsPerCall;
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
    switch (this.#source.emitNext(this.#recordsPerCall)) {
      case "MORE":
        return "TOOK";
      case "NOTHING":
        return "NOTHING";
      case "END":
        this.#isEnded = true;
        return "END";
    }
  }

  handleEvent(event: SourceEvent): void {
    if (event.kind === "no-more-splits") return this.#source.notifyNoMoreSplits();
    const splits = event.splits.map((bytes) => this.#splitSerializer.read(new ByteReader(bytes)));
    this.#source.addSplits(splits);
  }

  stop(drain: boolean): void {
    this.#isEnded = true;
    this.#isDrained = drain;
    this.#source.stop(drain);
  }
}
