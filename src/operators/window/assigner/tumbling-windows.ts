import { type Duration, durationMs, MIN_TIMESTAMP, StreamError } from "../../../base/index.ts";
import { TimeWindow, windowStart } from "../time-window.ts";
import { EventTimeTrigger } from "../trigger/event-time-trigger.ts";
import { ProcessingTimeTrigger } from "../trigger/processing-time-trigger.ts";
import type { Trigger } from "../trigger/trigger.ts";
import {
  timeWindowsOfSize,
  type WindowAssigner,
  type WindowAssignerContext,
  type WindowKind,
} from "./window-assigner.ts";

/**
 * Moves the windows of each subtask, so that not all fire at once: by nothing, by chance, or to where its first record came.
 *
 * @remarks
 * Not kept over a restore. Source: Flink `WindowStagger`.
 */
export type WindowStagger = "ALIGNED" | "RANDOM" | "NATURAL";

/** Windows of one length, one after the other, by a clock that a subclass chooses. */
abstract class TumblingWindows implements WindowAssigner<unknown, TimeWindow> {
  abstract readonly name: string;
  abstract readonly isEventTime: boolean;
  readonly sizeMs: number;
  readonly offsetMs: number;
  readonly stagger: WindowStagger;
  readonly windowKind: WindowKind<TimeWindow>;
  /** Undefined until it is known. */
  private staggerMs: number | undefined;
  private last: readonly [TimeWindow] | undefined = undefined;

  constructor(
    sizeMs: number,
    offsetMs: number,
    stagger: WindowStagger,
    staggerMs: number | undefined,
  ) {
    this.sizeMs = sizeMs;
    this.offsetMs = offsetMs;
    this.stagger = stagger;
    this.staggerMs = staggerMs;
    this.windowKind = timeWindowsOfSize(sizeMs);
  }

  abstract assignWindows(
    element: unknown,
    timestamp: number,
    context: WindowAssignerContext,
  ): readonly TimeWindow[];
  abstract getDefaultTrigger(): Trigger<unknown, TimeWindow>;

  protected windowsAt(time: number, nowMs: () => number): readonly [TimeWindow] {
    const { last } = this;
    if (last !== undefined && time >= last[0].start && time < last[0].end) return last;
    if (this.staggerMs === undefined) {
      const now = nowMs();
      this.staggerMs = now - windowStart(now, 0, this.sizeMs);
    }
    const start = windowStart(time, (this.offsetMs + this.staggerMs) % this.sizeMs, this.sizeMs);
    this.last = [new TimeWindow(start, start + this.sizeMs)];
    return this.last;
  }
}

/** Windows of event time of one length, one after the other. */
export class TumblingEventTimeWindows extends TumblingWindows {
  readonly name: string;
  readonly isEventTime = true;

  private constructor(
    sizeMs: number,
    offsetMs: number,
    stagger: WindowStagger,
    staggerMs: number | undefined,
  ) {
    super(sizeMs, offsetMs, stagger, staggerMs);
    this.name = `TumblingEventTimeWindows(${sizeMs})`;
  }

  /**
   * @param offset - Where windows start after the full hours of UTC: `"PT-8H"` for days in China.
   * @throws StreamError PARAMETER_INVALID if the size is not positive or the offset not smaller than it.
   */
  static of(
    size: Duration,
    offset: Duration = 0,
    stagger: WindowStagger = "ALIGNED",
  ): TumblingEventTimeWindows {
    const [sizeMs, offsetMs] = sizeAndOffset("TumblingEventTimeWindows.of", size, offset);
    return new TumblingEventTimeWindows(
      sizeMs,
      offsetMs,
      stagger,
      stagger === "ALIGNED" ? 0 : undefined,
    );
  }

  forSubtask(random: () => number): TumblingEventTimeWindows {
    return new TumblingEventTimeWindows(
      this.sizeMs,
      this.offsetMs,
      this.stagger,
      fixedStaggerMs(this.stagger, this.sizeMs, random),
    );
  }

  assignWindows(
    _element: unknown,
    timestamp: number,
    context: WindowAssignerContext,
  ): readonly TimeWindow[] {
    if (timestamp === MIN_TIMESTAMP)
      throw new StreamError("TIMESTAMP_MISSING", { operator: this.name });
    return this.windowsAt(timestamp, () => context.currentProcessingTime());
  }

  getDefaultTrigger(): Trigger<unknown, TimeWindow> {
    return EventTimeTrigger.create();
  }
}

/** Windows of the machine's clock of one length, one after the other. */
export class TumblingProcessingTimeWindows extends TumblingWindows {
  readonly name: string;
  readonly isEventTime = false;

  private constructor(
    sizeMs: number,
    offsetMs: number,
    stagger: WindowStagger,
    staggerMs: number | undefined,
  ) {
    super(sizeMs, offsetMs, stagger, staggerMs);
    this.name = `TumblingProcessingTimeWindows(${sizeMs})`;
  }

  /** @throws StreamError PARAMETER_INVALID if the size is not positive or the offset not smaller than it. */
  static of(
    size: Duration,
    offset: Duration = 0,
    stagger: WindowStagger = "ALIGNED",
  ): TumblingProcessingTimeWindows {
    const [sizeMs, offsetMs] = sizeAndOffset("TumblingProcessingTimeWindows.of", size, offset);
    return new TumblingProcessingTimeWindows(
      sizeMs,
      offsetMs,
      stagger,
      stagger === "ALIGNED" ? 0 : undefined,
    );
  }

  forSubtask(random: () => number): TumblingProcessingTimeWindows {
    return new TumblingProcessingTimeWindows(
      this.sizeMs,
      this.offsetMs,
      this.stagger,
      fixedStaggerMs(this.stagger, this.sizeMs, random),
    );
  }

  assignWindows(
    _element: unknown,
    _timestamp: number,
    context: WindowAssignerContext,
  ): readonly TimeWindow[] {
    const now = context.currentProcessingTime();
    return this.windowsAt(now, () => now);
  }

  getDefaultTrigger(): Trigger<unknown, TimeWindow> {
    return ProcessingTimeTrigger.create();
  }
}

function fixedStaggerMs(
  stagger: WindowStagger,
  sizeMs: number,
  random: () => number,
): number | undefined {
  switch (stagger) {
    case "ALIGNED":
      return 0;
    case "RANDOM":
      return Math.floor(random() * sizeMs);
    case "NATURAL":
      return undefined;
  }
}

/** Checks and returns size and offset (or slide and offset) in ms. */
export function sizeAndOffset(
  what: string,
  size: Duration,
  offset: Duration,
): readonly [sizeMs: number, offsetMs: number] {
  const sizeMs = durationMs(size, what, 1);
  const offsetMs = durationMs(offset, what, Number.NEGATIVE_INFINITY);
  if (Math.abs(offsetMs) >= sizeMs) {
    throw new StreamError("PARAMETER_INVALID", {
      what,
      problem: `the offset ${offsetMs} ms is not smaller than ${sizeMs} ms`,
    });
  }
  return [sizeMs, offsetMs];
}
