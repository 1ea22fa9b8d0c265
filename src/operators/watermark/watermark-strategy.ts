import { StreamError } from "../../base/index.ts";
import {
  BoundedOutOfOrdernessWatermarks,
  NoWatermarks,
  type WatermarkGenerator,
  WatermarksWithIdleness,
} from "./watermark-generator.ts";

/**
 * The event time of a record, in milliseconds since the epoch.
 *
 * @param recordTimestamp - What the record had before: the source's (Kafka's) timestamp, or `MIN_TIMESTAMP`.
 */
export type TimestampAssigner<T> = (element: T, recordTimestamp: number) => number;

/** Sources of one group wait for the slowest of them. */
export interface WatermarkAlignment {
  readonly group: string;
  /** How far a source's watermark may be ahead of the group's lowest. */
  readonly maxDriftMs: number;
  readonly updateIntervalMs: number;
}

/** What a generator may need from its surroundings. */
export interface WatermarkGeneratorContext {
  /** Clock for idleness; it stands still while the source is held back. */
  nowMs(): number;
}

interface StrategyParts<T> {
  readonly makeGenerator: (context: WatermarkGeneratorContext) => WatermarkGenerator<T>;
  readonly timestampAssigner: TimestampAssigner<T> | undefined;
  readonly idlenessMs: number | undefined;
  readonly alignment: WatermarkAlignment | undefined;
}

/**
 * How a stream gets its timestamps and watermarks. Immutable: each `with…` returns another strategy.
 *
 * @example
 * ```ts
 * WatermarkStrategy.forBoundedOutOfOrderness<Flight>(300_000)
 *   .withTimestampAssigner((flight) => flight.departure)
 *   .withIdleness(60_000);
 * ```
 */
export class WatermarkStrategy<T> {
  readonly timestampAssigner: TimestampAssigner<T> | undefined;
  readonly idlenessMs: number | undefined;
  readonly alignment: WatermarkAlignment | undefined;
  private readonly parts: StrategyParts<T>;

  private constructor(parts: StrategyParts<T>) {
    this.parts = parts;
    this.timestampAssigner = parts.timestampAssigner;
    this.idlenessMs = parts.idlenessMs;
    this.alignment = parts.alignment;
  }

  /** Records may come up to `maxOutOfOrdernessMs` after a later one; those that come later still are late. */
  static forBoundedOutOfOrderness<T>(maxOutOfOrdernessMs: number): WatermarkStrategy<T> {
    requireTime("forBoundedOutOfOrderness", maxOutOfOrdernessMs, 0);
    return WatermarkStrategy.forGenerator<T>(
      () => new BoundedOutOfOrdernessWatermarks<T>(maxOutOfOrdernessMs),
    );
  }

  /** Timestamps never fall, within a split. */
  static forMonotonousTimestamps<T>(): WatermarkStrategy<T> {
    return WatermarkStrategy.forGenerator<T>(() => new BoundedOutOfOrdernessWatermarks<T>(0));
  }

  /** No watermark but the last one of a bounded input: for jobs in processing time. */
  static noWatermarks<T>(): WatermarkStrategy<T> {
    return WatermarkStrategy.forGenerator<T>(() => new NoWatermarks<T>());
  }

  /** A generator of one's own, for example one that emits at marked records. */
  static forGenerator<T>(
    makeGenerator: (context: WatermarkGeneratorContext) => WatermarkGenerator<T>,
  ): WatermarkStrategy<T> {
    return new WatermarkStrategy<T>({
      makeGenerator,
      timestampAssigner: undefined,
      idlenessMs: undefined,
      alignment: undefined,
    });
  }

  /** Without one, records keep the timestamps that they have. */
  withTimestampAssigner(timestampAssigner: TimestampAssigner<T>): WatermarkStrategy<T> {
    return new WatermarkStrategy<T>({ ...this.parts, timestampAssigner });
  }

  /** A split or subtask without records for longer than this does not hold back the watermark. */
  withIdleness(idlenessMs: number): WatermarkStrategy<T> {
    requireTime("withIdleness", idlenessMs, 1);
    return new WatermarkStrategy<T>({ ...this.parts, idlenessMs });
  }

  /** Sources whose watermark is more than `maxDriftMs` ahead of the group's lowest pause. */
  withWatermarkAlignment(
    group: string,
    maxDriftMs: number,
    updateIntervalMs = 1000,
  ): WatermarkStrategy<T> {
    requireTime("withWatermarkAlignment", maxDriftMs, 0);
    requireTime("withWatermarkAlignment", updateIntervalMs, 1);
    return new WatermarkStrategy<T>({
      ...this.parts,
      alignment: { group, maxDriftMs, updateIntervalMs },
    });
  }

  /** Makes the generator of one subtask or split. */
  createGenerator(context: WatermarkGeneratorContext): WatermarkGenerator<T> {
    const generator = this.parts.makeGenerator(context);
    if (this.idlenessMs === undefined) return generator;
    return new WatermarksWithIdleness<T>(generator, this.idlenessMs, () => context.nowMs());
  }
}

function requireTime(method: string, valueMs: number, leastMs: number): void {
  if (Number.isFinite(valueMs) && valueMs >= leastMs) return;
  throw new StreamError("PARAMETER_INVALID", {
    what: `WatermarkStrategy.${method}`,
    problem: `${String(valueMs)} ms is not a time of at least ${leastMs} ms`,
  });
}
