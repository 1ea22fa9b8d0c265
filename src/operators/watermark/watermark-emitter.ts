import { MIN_TIMESTAMP } from "../../base/index.ts";
import type { Output } from "../operator.ts";
import type { WatermarkOutput } from "./watermark-generator.ts";

/**
 * Sends a generator's watermarks to an output: only those that rise, and ACTIVE before the first after idleness.
 *
 * Source: Flink `WatermarkToDataOutput`, `TimestampsAndWatermarksOperator.WatermarkEmitter`.
 */
export class WatermarkEmitter implements WatermarkOutput {
  private readonly output: Output<never>;
  private lastWatermark: number = MIN_TIMESTAMP;
  private isMarkedIdle = false;

  constructor(output: Output<never>) {
    this.output = output;
  }

  get watermark(): number {
    return this.lastWatermark;
  }

  get isIdle(): boolean {
    return this.isMarkedIdle;
  }

  emitWatermark(watermark: number): void {
    if (watermark <= this.lastWatermark) return;
    this.lastWatermark = watermark;
    this.markActive();
    this.output.processWatermark(watermark);
  }

  markIdle(): void {
    if (this.isMarkedIdle) return;
    this.isMarkedIdle = true;
    this.output.processWatermarkStatus("IDLE");
  }

  markActive(): void {
    if (!this.isMarkedIdle) return;
    this.isMarkedIdle = false;
    this.output.processWatermarkStatus("ACTIVE");
  }
}
