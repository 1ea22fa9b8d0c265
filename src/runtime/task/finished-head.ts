import { MAX_TIMESTAMP, unreachable } from "../../base/index.ts";
import type { RecordOutput } from "../exchange/record-output.ts";
import type { ControlElement } from "../exchange/stream-element.ts";
import type { Head, HeadResult } from "./input-head.ts";
import type { TaskInput } from "./task-input.ts";

/**
 * The head of a task that had finished before the checkpoint it is restored from: no operator runs again. It only tells downstream
 * that all event time has passed, as it had.
 *
 * Source: Flink `FinishedOperatorChain`; FLIP-147.
 */
export class FinishedHead implements Head {
  readonly isDrained = true;
  readonly watermark: undefined = undefined;
  readonly gate: undefined = undefined;
  readonly isEmpty = true;
  readonly #input: TaskInput;
  readonly #outputs: readonly RecordOutput[];
  #hasSaidEnd = false;

  constructor(input: TaskInput, outputs: readonly RecordOutput[]) {
    this.#input = input;
    this.#outputs = outputs;
  }

  get isEnded(): boolean {
    return this.#hasSaidEnd && this.#input.isEnded;
  }

  take(): HeadResult {
    if (this.#input.isDataEnded && !this.#hasSaidEnd) {
      this.#hasSaidEnd = true;
      for (const output of this.#outputs) output.processWatermark(MAX_TIMESTAMP);
      return "END";
    }
    const incoming = this.#input.next();
    if (incoming.kind === "nothing") return "NOTHING";
    this.#input.taken();
    if (incoming.kind === "control") this.#note(incoming.channelIndex, incoming.element);
    return "TOOK";
  }

  #note(channelIndex: number, element: ControlElement): void {
    switch (element.kind) {
      case "end-of-data":
        return this.#input.endOfData(channelIndex);
      case "end-of-partition":
        return this.#input.endOfPartition(channelIndex);
      case "watermark":
      case "status":
      case "barrier":
      case "cancel":
        return;
      default:
        return unreachable(element);
    }
  }
}
