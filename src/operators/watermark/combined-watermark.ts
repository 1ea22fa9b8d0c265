import { MIN_TIMESTAMP, present } from "../../base/index.ts";
import type { WatermarkStatus } from "../operator.ts";
import type { ValveOutput } from "./watermark-valve.ts";

/** The watermark of one part: a split, or one input of an operator. */
export class PartialWatermark {
  watermark: number = MIN_TIMESTAMP;
  isIdle = false;

  /**
   * Takes a watermark, which also makes the part active.
   *
   * @returns True if it has risen.
   */
  advance(watermark: number): boolean {
    this.isIdle = false;
    if (watermark <= this.watermark) return false;
    this.watermark = watermark;
    return true;
  }
}

/**
 * The minimum over the active parts, or, when all are idle, the maximum over all.
 *
 * Source: Flink `CombinedWatermarkStatus` (2.2; older ones keep the last value when all are idle).
 */
export class CombinedWatermark {
  watermark: number = MIN_TIMESTAMP;
  isIdle = false;
  private readonly parts: PartialWatermark[] = [];

  add(part: PartialWatermark): void {
    this.parts.push(part);
  }

  remove(part: PartialWatermark): void {
    const index = this.parts.indexOf(part);
    if (index >= 0) this.parts.splice(index, 1);
  }

  /** Looks at the parts anew. Returns true if the combined watermark has risen. */
  update(): boolean {
    if (this.parts.length === 0) return false;
    let lowestActive = Number.POSITIVE_INFINITY;
    let highest: number = MIN_TIMESTAMP;
    let allIdle = true;
    for (const part of this.parts) {
      if (part.watermark > highest) highest = part.watermark;
      if (part.isIdle) continue;
      allIdle = false;
      if (part.watermark < lowestActive) lowestActive = part.watermark;
    }
    this.isIdle = allIdle;
    const combined = allIdle ? highest : lowestActive;
    if (combined <= this.watermark) return false;
    this.watermark = combined;
    return true;
  }
}

/**
 * Combines the watermarks of an operator's logical inputs, each of which already has its own valve.
 *
 * Source: Flink `AbstractStreamOperator.processWatermark1` and `processWatermarkStatus1`.
 */
export class InputsWatermark {
  private readonly inputs: PartialWatermark[];
  private readonly combined: CombinedWatermark = new CombinedWatermark();
  private readonly output: ValveOutput;

  constructor(inputCount: number, output: ValveOutput) {
    this.inputs = Array.from({ length: inputCount }, () => new PartialWatermark());
    for (const input of this.inputs) this.combined.add(input);
    this.output = output;
  }

  onWatermark(inputIndex: number, watermark: number): void {
    this.input(inputIndex).advance(watermark);
    if (this.combined.update()) this.output.processWatermark(this.combined.watermark);
  }

  onStatus(inputIndex: number, status: WatermarkStatus): void {
    const wasIdle = this.combined.isIdle;
    this.input(inputIndex).isIdle = status === "IDLE";
    if (this.combined.update()) this.output.processWatermark(this.combined.watermark);
    if (this.combined.isIdle !== wasIdle) this.output.processWatermarkStatus(status);
  }

  private input(index: number): PartialWatermark {
    return present(this.inputs[index], "the input belongs to the operator");
  }
}
