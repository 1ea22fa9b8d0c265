import { MIN_TIMESTAMP } from "../../base/index.ts";

/** Where a generator puts its watermarks. Whoever reads it drops watermarks that do not rise. */
export interface WatermarkOutput {
  emitWatermark(watermark: number): void;
  /** No records are expected for now; the next watermark ends it. */
  markIdle(): void;
  markActive(): void;
}

/**
 * Makes watermarks out of the timestamps it sees. One instance per subtask or per split. It is not in
 * checkpoints; the last watermark that went out is, and goes out again after a restore before the first record.
 */
export interface WatermarkGenerator<T> {
  /** Called for each record, after the record has been forwarded. May emit (punctuated watermarks). */
  onEvent(event: T, timestamp: number, output: WatermarkOutput): void;
  /** Called every `pipeline.auto-watermark-interval`, and once at the end of input. */
  onPeriodicEmit(output: WatermarkOutput): void;
}

/**
 * Stays a fixed time behind the highest timestamp. With a delay of 0 it is the generator of ascending timestamps.
 *
 * Source: Flink `BoundedOutOfOrdernessWatermarks`.
 */
export class BoundedOutOfOrdernessWatermarks<T> implements WatermarkGenerator<T> {
  private readonly delayMs: number;
  private highest: number = MIN_TIMESTAMP;

  constructor(delayMs: number) {
    this.delayMs = delayMs;
  }

  onEvent(_event: T, timestamp: number): void {
    if (timestamp > this.highest) this.highest = timestamp;
  }

  onPeriodicEmit(output: WatermarkOutput): void {
    output.emitWatermark(this.highest - this.delayMs - 1);
  }
}

/**
 * Asks another generator after every record, not only periodically.
 *
 * @remarks
 * The watermark is then a function of the records alone, and so is what comes late.
 */
export class PunctuatedWatermarks<T> implements WatermarkGenerator<T> {
  private readonly inner: WatermarkGenerator<T>;

  constructor(inner: WatermarkGenerator<T>) {
    this.inner = inner;
  }

  onEvent(event: T, timestamp: number, output: WatermarkOutput): void {
    this.inner.onEvent(event, timestamp, output);
    this.inner.onPeriodicEmit(output);
  }

  onPeriodicEmit(output: WatermarkOutput): void {
    this.inner.onPeriodicEmit(output);
  }
}

/** Emits nothing. */
export class NoWatermarks<T> implements WatermarkGenerator<T> {
  readonly emitsNothing = true;

  onEvent(): void {}
  onPeriodicEmit(): void {}
}

/**
 * Marks the output idle when another generator has seen no record for a while.
 *
 * @remarks
 * The first periodic emit without a record starts the clock; one that comes more than `idlenessMs` later marks the output
 * idle, once. While it is idle the other generator is not asked.
 *
 * Source: Flink `WatermarksWithIdleness`.
 */
export class WatermarksWithIdleness<T> implements WatermarkGenerator<T> {
  private readonly inner: WatermarkGenerator<T>;
  private readonly idlenessMs: number;
  private readonly nowMs: () => number;
  private seenRecord = false;
  private quietSinceMs: number | undefined = undefined;
  private isIdle = false;

  /** @param nowMs - A clock that stands still while the source is held back by its consumers. */
  constructor(inner: WatermarkGenerator<T>, idlenessMs: number, nowMs: () => number) {
    this.inner = inner;
    this.idlenessMs = idlenessMs;
    this.nowMs = nowMs;
  }

  onEvent(event: T, timestamp: number, output: WatermarkOutput): void {
    this.inner.onEvent(event, timestamp, output);
    this.seenRecord = true;
    this.isIdle = false;
  }

  onPeriodicEmit(output: WatermarkOutput): void {
    if (!this.isQuietTooLong()) {
      this.inner.onPeriodicEmit(output);
      return;
    }
    if (!this.isIdle) {
      output.markIdle();
      this.isIdle = true;
    }
  }

  private isQuietTooLong(): boolean {
    if (this.seenRecord) {
      this.seenRecord = false;
      this.quietSinceMs = undefined;
      return false;
    }
    if (this.quietSinceMs === undefined) {
      this.quietSinceMs = this.nowMs();
      return false;
    }
    return this.nowMs() - this.quietSinceMs > this.idlenessMs;
  }
}
