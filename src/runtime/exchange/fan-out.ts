import type { Output, WatermarkStatus } from "../../operators/index.ts";

/**
 * The output of an operator whose records have several takers, or whose side outputs are taken.
 *
 * @remarks
 * Imported once per operator that needs it, for its own type feedback. Watermarks and statuses go to side outputs, too.
 * Source: Flink `BroadcastingOutputCollector`.
 */

/** Where this module lies. */
export const moduleUrl: string = import.meta.url;

/**
 * @param main - Takers of the records.
 * @param all - Takers of watermarks and statuses: those of the records and those of side outputs.
 */
export function createFanOut(
  main: readonly Output<unknown>[],
  all: readonly Output<unknown>[],
): Output<unknown> {
  return new FanOut(main, all);
}

class FanOut implements Output<unknown> {
  readonly #main: readonly Output<unknown>[];
  readonly #all: readonly Output<unknown>[];

  constructor(main: readonly Output<unknown>[], all: readonly Output<unknown>[]) {
    this.#main = main;
    this.#all = all;
  }

  processElement(value: unknown, timestamp: number): void {
    for (const output of this.#main) output.processElement(value, timestamp);
  }

  processWatermark(watermark: number): void {
    for (const output of this.#all) output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    for (const output of this.#all) output.processWatermarkStatus(status);
  }
}

/** What this module offers, as an instance of its own has it. */
export interface FanOutModule {
  readonly createFanOut: typeof createFanOut;
}
