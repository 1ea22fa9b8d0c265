import type { Output, OutputTag, WatermarkStatus } from "../../operators/index.ts";

/** Counts what one operator emits to each of its side outputs; whoever takes it from there need not. */
export class SideCounts {
  readonly #outputs = new Map<string, CountingOutput>();

  /** The output for the tag, made when it is first asked for. */
  counted(tag: OutputTag<unknown>, make: () => Output<unknown>): Output<unknown> {
    let output = this.#outputs.get(tag.id);
    if (output === undefined) {
      output = new CountingOutput(make());
      this.#outputs.set(tag.id, output);
    }
    return output;
  }

  countOf(tag: OutputTag<unknown>): number {
    return this.#outputs.get(tag.id)?.count ?? 0;
  }
}

class CountingOutput implements Output<unknown> {
  count = 0;
  readonly #target: Output<unknown>;

  constructor(target: Output<unknown>) {
    this.#target = target;
  }

  processElement(value: unknown, timestamp: number): void {
    this.count++;
    this.#target.processElement(value, timestamp);
  }

  processWatermark(watermark: number): void {
    this.#target.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.#target.processWatermarkStatus(status);
  }
}
