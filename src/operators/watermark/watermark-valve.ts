import { assert, MIN_TIMESTAMP, present } from "../../base/index.ts";
import type { WatermarkStatus } from "../operator.ts";

/** Where a valve sends what its channels agree on. */
export interface ValveOutput {
  processWatermark(watermark: number): void;
  processWatermarkStatus(status: WatermarkStatus): void;
}

interface Channel {
  watermark: number;
  isIdle: boolean;
  /** Takes part in the minimum: active, and not behind what has been sent. */
  isAligned: boolean;
}

/**
 * Combines the watermarks and statuses of the channels of one logical input.
 *
 * Invariants:
 *
 * - V1. Watermarks sent ascend strictly; a status is sent when it changes.
 * - V2. A channel that is idle, or has come back behind the last watermark sent, does not hold back the others.
 * - V3. The output is idle exactly while all channels are.
 *
 * Source: Flink `StatusWatermarkValve`.
 */
export class WatermarkValve {
  private readonly channels: Channel[];
  private readonly output: ValveOutput;
  private lastWatermark: number = MIN_TIMESTAMP;
  private isIdle = false;

  constructor(channelCount: number, output: ValveOutput) {
    assert(channelCount > 0, "a valve has at least one channel");
    this.channels = Array.from({ length: channelCount }, () => ({
      watermark: MIN_TIMESTAMP,
      isIdle: false,
      isAligned: true,
    }));
    this.output = output;
  }

  /** The last watermark sent. */
  get watermark(): number {
    return this.lastWatermark;
  }

  onWatermark(channelIndex: number, watermark: number): void {
    const channel = this.channelAt(channelIndex);
    if (this.isIdle || channel.isIdle || watermark <= channel.watermark) return;
    channel.watermark = watermark;
    if (!channel.isAligned && watermark >= this.lastWatermark) channel.isAligned = true;
    this.sendMinimum();
  }

  onStatus(channelIndex: number, status: WatermarkStatus): void {
    const channel = this.channelAt(channelIndex);
    const isIdle = status === "IDLE";
    if (channel.isIdle === isIdle) return;
    channel.isIdle = isIdle;
    if (isIdle) this.becameIdle(channel);
    else this.becameActive(channel);
  }

  private becameIdle(channel: Channel): void {
    channel.isAligned = false;
    const heldBack = channel.watermark === this.lastWatermark;
    if (this.channels.some((other) => !other.isIdle)) {
      if (heldBack) this.sendMinimum();
      return;
    }
    // Nobody will send anything: the rest of what was promised is let go, so that those downstream are not late by it.
    if (heldBack) this.send(Math.max(...this.channels.map((other) => other.watermark)));
    this.isIdle = true;
    this.output.processWatermarkStatus("IDLE");
  }

  private becameActive(channel: Channel): void {
    if (channel.watermark >= this.lastWatermark) channel.isAligned = true;
    if (!this.isIdle) return;
    this.isIdle = false;
    this.output.processWatermarkStatus("ACTIVE");
  }

  private sendMinimum(): void {
    let minimum = Number.POSITIVE_INFINITY;
    let anyAligned = false;
    for (const channel of this.channels) {
      if (!channel.isAligned) continue;
      anyAligned = true;
      if (channel.watermark < minimum) minimum = channel.watermark;
    }
    if (anyAligned) this.send(minimum);
  }

  private send(watermark: number): void {
    if (watermark <= this.lastWatermark) return;
    this.lastWatermark = watermark;
    this.output.processWatermark(watermark);
  }

  private channelAt(index: number): Channel {
    return present(this.channels[index], "the channel belongs to the valve");
  }
}
