import { MIN_TIMESTAMP } from "../../base/index.ts";
import {
  NoWatermarks,
  type WatermarkOutput,
  WatermarksWithIdleness,
} from "./watermark-generator.ts";
import type { WatermarkGeneratorContext } from "./watermark-strategy.ts";

/**
 * Makes a source idle that has no split, and so no generator that would.
 *
 * Source: Flink `ProgressiveTimestampsAndWatermarks.IdlenessManager`, whose main output counts while no split has one.
 */
export class Vacancy {
  private readonly idleness: WatermarksWithIdleness<undefined> | undefined;

  constructor(idlenessMs: number | undefined, clock: WatermarkGeneratorContext) {
    if (idlenessMs === undefined) return;
    const nowMs = () => clock.nowMs();
    this.idleness = new WatermarksWithIdleness(new NoWatermarks(), idlenessMs, nowMs);
  }

  onPeriodicEmit(output: WatermarkOutput): void {
    this.idleness?.onPeriodicEmit(output);
  }

  /** A split has come. */
  end(output: WatermarkOutput): void {
    this.idleness?.onEvent(undefined, MIN_TIMESTAMP, output);
  }
}
