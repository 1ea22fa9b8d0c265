import { assert, present } from "../../base/index.ts";
import { CombinedWatermark, PartialWatermark } from "./combined-watermark.ts";
import type { WatermarkOutput } from "./watermark-generator.ts";

/**
 * Makes one watermark of those of a source's splits.
 *
 * @remarks
 * Each split has two outputs: what a generator emits at a record goes out at once, what it emits periodically waits until all
 * splits have had their turn, so that a subtask does not send the intermediate minima.
 *
 * Source: Flink `WatermarkOutputMultiplexer`.
 */
export class WatermarkMultiplexer {
  private readonly output: WatermarkOutput;
  private readonly combined: CombinedWatermark = new CombinedWatermark();
  private readonly parts: Map<string, PartialWatermark> = new Map();

  constructor(output: WatermarkOutput) {
    this.output = output;
  }

  register(id: string): void {
    assert(!this.parts.has(id), "an output is registered once");
    const part = new PartialWatermark();
    this.parts.set(id, part);
    this.combined.add(part);
  }

  /** The split no longer counts. What that changes is sent with the next update. */
  unregister(id: string): void {
    const part = this.parts.get(id);
    if (part === undefined) return;
    this.parts.delete(id);
    this.combined.remove(part);
  }

  /** The watermark of each part. */
  watermarks(): readonly (readonly [id: string, watermark: number])[] {
    return Array.from(this.parts, ([id, part]) => [id, part.watermark] as const);
  }

  immediateOutput(id: string): WatermarkOutput {
    const part = this.part(id);
    return {
      emitWatermark: (watermark) => {
        if (part.advance(watermark)) this.update();
      },
      markIdle: () => {
        part.isIdle = true;
        this.update();
      },
      markActive: () => {
        part.isIdle = false;
        this.update();
      },
    };
  }

  deferredOutput(id: string): WatermarkOutput {
    const part = this.part(id);
    return {
      emitWatermark: (watermark) => {
        part.advance(watermark);
      },
      markIdle: () => {
        part.isIdle = true;
      },
      markActive: () => {
        part.isIdle = false;
      },
    };
  }

  onPeriodicEmit(): void {
    this.update();
  }

  private update(): void {
    if (this.combined.update()) this.output.emitWatermark(this.combined.watermark);
    else if (this.combined.isIdle) this.output.markIdle();
  }

  private part(id: string): PartialWatermark {
    return present(this.parts.get(id), "the output is registered");
  }
}
