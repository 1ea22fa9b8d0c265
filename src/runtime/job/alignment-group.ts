import { MAX_TIMESTAMP, MIN_TIMESTAMP } from "../../base/index.ts";

/**
 * How far the readers of a watermark alignment group are, over all sources of the job.
 *
 * @remarks
 * A reader counts from its first report on. One that is idle or has ended reports `MAX_TIMESTAMP`, so that nobody waits for it.
 *
 * Source: Flink `SourceCoordinator.WatermarkAggregator`.
 */
export class AlignmentGroup {
  readonly #reported = new Map<string, number>();

  /** @param reader - Unique over all sources. @param watermark - May be lower than before. */
  report(reader: string, watermark: number): void {
    this.#reported.set(reader, watermark);
  }

  /** The highest watermark that a reader may have: the lowest of all, and `maxDriftMs` more. */
  maxAllowed(maxDriftMs: number): number {
    if (this.#reported.size === 0) return MIN_TIMESTAMP;
    let lowest: number = MAX_TIMESTAMP;
    for (const watermark of this.#reported.values()) if (watermark < lowest) lowest = watermark;
    const allowed = lowest + maxDriftMs;
    // Beyond, milliseconds cannot be told apart.
    return allowed > Number.MAX_SAFE_INTEGER ? MAX_TIMESTAMP : allowed;
  }
}
