import { requireSynchronousFunction } from "../function/synchronous.ts";
import { type Duration, durationMs } from "../../base/index.ts";
import {
  BoundedOutOfOrdernessWatermarks,
  NoWatermarks,
  PunctuatedWatermarks,
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
 * env.fromSource(
 *   flights,
 *   WatermarkStrategy.forBoundedOutOfOrderness("5 min")
 *     .withIdleness("1 min")
 *     .withTimestampAssigner((flight) => flight.departure), // last, so that the type of `flight` is known
 * );
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

  /**
   * Records may come up to this long after a later one; those that come later still are late.
   *
   * @param maxOutOfOrderness - Text such as `"5 min"`, or milliseconds.
   * @throws StreamError PARAMETER_INVALID if it is no time of at least 0 ms.
   */
  static forBoundedOutOfOrderness<T>(maxOutOfOrderness: Duration): WatermarkStrategy<T> {
    const maxOutOfOrdernessMs = durationMs(
      maxOutOfOrderness,
      "WatermarkStrategy.forBoundedOutOfOrderness",
    );
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

  /**
   * Without one, records keep the timestamps that they have.
   *
   * @remarks
   * The type of the records comes from where the strategy is used if this is the last call.
   */
  withTimestampAssigner<U extends T>(
    timestampAssigner: TimestampAssigner<U>,
  ): WatermarkStrategy<U> {
    requireSynchronousFunction("withTimestampAssigner", timestampAssigner);
    return new WatermarkStrategy<U>({ ...this.parts, timestampAssigner });
  }

  /**
   * A split or subtask without records for longer than this does not hold back the watermark.
   *
   * @param idleness - Text such as `"1 min"`, or milliseconds.
   * @throws StreamError PARAMETER_INVALID if it is no time of at least 1 ms.
   */
  withIdleness(idleness: Duration): WatermarkStrategy<T> {
    const idlenessMs = durationMs(idleness, "WatermarkStrategy.withIdleness", 1);
    return new WatermarkStrategy<T>({ ...this.parts, idlenessMs });
  }

  /**
   * Emits after every record, instead of every `pipeline.auto-watermark-interval`.
   *
   * @remarks
   * Which records come late then follows from the records and their order alone, not from the clock: the same input gives the
   * same result, also after a failure. Costs a watermark for each record that moves event time.
   */
  punctuated(): WatermarkStrategy<T> {
    const { makeGenerator } = this.parts;
    return new WatermarkStrategy<T>({
      ...this.parts,
      makeGenerator: (context) => new PunctuatedWatermarks<T>(makeGenerator(context)),
    });
  }

  /**
   * Sources, and splits of a source, whose watermark is more than `maxDrift` ahead of the group's lowest pause until the others have come
   * nearer. What is idle or has ended is waited for by nobody.
   *
   * @remarks
   * For `fromSource` alone. A group spans the sources of one job. The lowest may be a source's own: one that is alone in its group gets
   * `maxDrift` further with each update, no faster. How far a source gets before it hears that it is too far depends on
   * `updateInterval` and on how often it emits watermarks (`pipeline.auto-watermark-interval`).
   *
   * @param group - Name of those that wait for each other.
   * @param updateInterval - How often readers tell how far they are, and hear how far they may go.
   * @throws StreamError PARAMETER_INVALID if a time is none.
   */
  withWatermarkAlignment(
    group: string,
    maxDrift: Duration,
    updateInterval: Duration = 1000,
  ): WatermarkStrategy<T> {
    const what = "WatermarkStrategy.withWatermarkAlignment";
    const maxDriftMs = durationMs(maxDrift, what);
    const updateIntervalMs = durationMs(updateInterval, what, 1);
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
