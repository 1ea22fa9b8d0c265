import { assert } from "../../base/index.ts";
import type { WatermarkGeneratorContext } from "./watermark-strategy.ts";

/**
 * A clock for idleness that can be made to stand still.
 *
 * @remarks
 * Who is not allowed to read is not idle. One clock may be laid upon another: it then stands when either does.
 *
 * Source: Flink `PausableRelativeClock`.
 */
export class PausableClock implements WatermarkGeneratorContext {
  private readonly base: WatermarkGeneratorContext;
  private pausedSinceMs: number | undefined = undefined;
  private pausedMs = 0;

  constructor(base: WatermarkGeneratorContext) {
    this.base = base;
  }

  nowMs(): number {
    return (this.pausedSinceMs ?? this.base.nowMs()) - this.pausedMs;
  }

  pause(): void {
    assert(this.pausedSinceMs === undefined, "a clock that goes is paused");
    this.pausedSinceMs = this.base.nowMs();
  }

  resume(): void {
    assert(this.pausedSinceMs !== undefined, "a clock that stands is resumed");
    this.pausedMs += this.base.nowMs() - this.pausedSinceMs;
    this.pausedSinceMs = undefined;
  }
}
