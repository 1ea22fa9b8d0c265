import { MAX_TIMESTAMP, MIN_TIMESTAMP } from "../../base/index.ts";
import type { OperatorMetrics } from "../operator.ts";
import type { SourceReader } from "../source.ts";
import { PausableClock } from "./pausable-clock.ts";
import type { WatermarkAlignment, WatermarkGeneratorContext } from "./watermark-strategy.ts";

/** The watermark of one split. */
export type SplitWatermark = readonly [splitId: string, watermark: number];

/** Splits that a reader is to leave alone, and such that it is to read again. */
export interface SplitChanges {
  readonly pause: readonly string[];
  readonly resume: readonly string[];
}

/** What changes so that exactly the splits are paused whose watermark is above what the group allows. */
export function decideSplits(
  splits: Iterable<SplitWatermark>,
  paused: ReadonlySet<string>,
  maxAllowed: number,
): SplitChanges {
  const pause: string[] = [];
  const resume: string[] = [];
  for (const [splitId, watermark] of splits) {
    const isAhead = watermark > maxAllowed;
    if (isAhead && !paused.has(splitId)) pause.push(splitId);
    else if (!isAhead && paused.has(splitId)) resume.push(splitId);
  }
  return { pause, resume };
}

/** @returns False if the reader cannot hold back one split alone. */
export function pauseOrResumeSplits(
  reader: Pick<SourceReader<never, never>, "pauseOrResumeSplits">,
  { pause, resume }: SplitChanges,
): boolean {
  if (pause.length === 0 && resume.length === 0) return true;
  reader.pauseOrResumeSplits?.(pause, resume);
  return reader.pauseOrResumeSplits !== undefined;
}

/**
 * Holds one reader of an alignment group back while it is ahead of the others: as a whole, and each of its splits.
 *
 * @remarks
 * What is held back is the reading alone. Checkpoints, watermarks and messages go on, and the clocks by which splits are found idle stand.
 * What is not above the allowed watermark is never held back, so the slowest reader, and in it the slowest split, always gets on. Before it
 * hears of the group a reader goes as far as it may if the group is where it began: in Flink it has no limit until then, and so
 * runs away after each restart where much lies ready to be read.
 *
 * Source: Flink `SourceOperator.checkWatermarkAlignment`, `checkSplitWatermarkAlignment` (FLIP-182, FLIP-217).
 */
export class SourceAlignment {
  private readonly clock: PausableClock;
  private readonly splitClocks = new Map<string, PausableClock>();
  private readonly paused = new Set<string>();
  private readonly maxDriftMs: number;
  private isWaiting = false;
  /** The highest watermark that the group lets pass; undefined until the reader has a watermark itself. */
  private maxAllowed: number | undefined = undefined;
  private emitted: number = MIN_TIMESTAMP;

  constructor(
    clock: WatermarkGeneratorContext,
    metrics: Pick<OperatorMetrics, "gauge">,
    { maxDriftMs }: WatermarkAlignment,
  ) {
    this.clock = new PausableClock(clock);
    this.maxDriftMs = maxDriftMs;
    metrics.gauge("watermarkAlignmentDrift", () => this.driftMs);
  }

  /** How far the reader is beyond what the group allows, in ms; negative within. 0 while either is not known. */
  get driftMs(): number {
    const driftMs = this.emitted - (this.maxAllowed ?? MAX_TIMESTAMP);
    return Number.isFinite(driftMs) ? driftMs : 0;
  }

  /** True while the reader may read nothing at all. */
  get isHeldBack(): boolean {
    return this.isWaiting;
  }

  /** The group lets the reader go on up to this watermark. */
  allow(maxAllowed: number): void {
    this.maxAllowed = maxAllowed;
  }

  /** The clock by which a split is found idle. */
  clockOf(splitId: string): WatermarkGeneratorContext {
    const known = this.splitClocks.get(splitId);
    if (known !== undefined) return known;
    const clock = new PausableClock(this.clock);
    this.splitClocks.set(splitId, clock);
    return clock;
  }

  /** The split is read to its end. */
  release(splitId: string): void {
    this.splitClocks.delete(splitId);
    this.paused.delete(splitId);
  }

  /**
   * Takes note of how far reader and splits are.
   *
   * @param emitted - The watermark that has left the reader.
   * @returns What the reader does about its splits.
   */
  update(emitted: number, splits: Iterable<SplitWatermark>): SplitChanges {
    this.emitted = emitted;
    // The group is no further than this reader: so far it may go in any case, and no further before it hears more.
    if (this.maxAllowed === undefined && emitted > MIN_TIMESTAMP)
      this.maxAllowed = emitted + this.maxDriftMs;
    const maxAllowed = this.maxAllowed ?? MAX_TIMESTAMP;
    const mustWait = emitted > maxAllowed;
    if (mustWait && !this.isWaiting) this.clock.pause();
    if (!mustWait && this.isWaiting) this.clock.resume();
    this.isWaiting = mustWait;
    const changes = decideSplits(splits, this.paused, maxAllowed);
    for (const splitId of changes.pause) {
      this.paused.add(splitId);
      this.splitClocks.get(splitId)?.pause();
    }
    for (const splitId of changes.resume) {
      this.paused.delete(splitId);
      this.splitClocks.get(splitId)?.resume();
    }
    return changes;
  }
}
