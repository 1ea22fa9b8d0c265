import { type Duration, durationMs, MIN_TIMESTAMP, StreamError } from "../../../base/index.ts";
import { TimeWindow, windowStart } from "../time-window.ts";
import { EventTimeTrigger } from "../trigger/event-time-trigger.ts";
import { ProcessingTimeTrigger } from "../trigger/processing-time-trigger.ts";
import type { Trigger } from "../trigger/trigger.ts";
import { sizeAndOffset } from "./tumbling-windows.ts";
import {
  timeWindowsOfSize,
  type WindowAssigner,
  type WindowAssignerContext,
  type WindowKind,
} from "./window-assigner.ts";

/** More windows per record than this are refused: it is a mistake. */
const MAX_WINDOWS_PER_RECORD = 10_000_000;

/** Windows of one length that start every `slideMs`, by a clock that a subclass chooses. */
abstract class SlidingWindows implements WindowAssigner<unknown, TimeWindow> {
  abstract readonly name: string;
  abstract readonly isEventTime: boolean;
  readonly sizeMs: number;
  readonly slideMs: number;
  readonly offsetMs: number;
  readonly windowKind: WindowKind<TimeWindow>;
  private lastStart: number = Number.NaN;
  private lastCount = -1;
  private last: readonly TimeWindow[] = [];

  constructor(sizeMs: number, slideMs: number, offsetMs: number) {
    this.sizeMs = sizeMs;
    this.slideMs = slideMs;
    this.offsetMs = offsetMs;
    this.windowKind = timeWindowsOfSize(sizeMs);
  }

  abstract assignWindows(
    element: unknown,
    timestamp: number,
    context: WindowAssignerContext,
  ): readonly TimeWindow[];
  abstract getDefaultTrigger(): Trigger<unknown, TimeWindow>;

  /** Newest first. Empty in the gap between windows that are shorter than the slide. */
  windowsAt(time: number): readonly TimeWindow[] {
    const newest = windowStart(time, this.offsetMs, this.slideMs);
    const count = Math.max(0, Math.ceil((this.sizeMs - (time - newest)) / this.slideMs));
    if (newest === this.lastStart && count === this.lastCount) return this.last;
    this.lastStart = newest;
    this.lastCount = count;
    this.last = Array.from({ length: count }, (_, index) => {
      const start = newest - index * this.slideMs;
      return new TimeWindow(start, start + this.sizeMs);
    });
    return this.last;
  }
}

/** Windows of event time of one length that start every so often; a record belongs to several. */
export class SlidingEventTimeWindows extends SlidingWindows {
  readonly name: string;
  readonly isEventTime = true;

  private constructor(sizeMs: number, slideMs: number, offsetMs: number) {
    super(sizeMs, slideMs, offsetMs);
    this.name = `SlidingEventTimeWindows(${sizeMs}, ${slideMs})`;
  }

  /** @throws StreamError PARAMETER_INVALID if size or slide is not positive or the offset not smaller than the slide. */
  static of(size: Duration, slide: Duration, offset: Duration = 0): SlidingEventTimeWindows {
    return new SlidingEventTimeWindows(
      ...sizeSlideOffset("SlidingEventTimeWindows.of", size, slide, offset),
    );
  }

  assignWindows(_element: unknown, timestamp: number): readonly TimeWindow[] {
    if (timestamp === MIN_TIMESTAMP)
      throw new StreamError("TIMESTAMP_MISSING", { operator: this.name });
    return this.windowsAt(timestamp);
  }

  getDefaultTrigger(): Trigger<unknown, TimeWindow> {
    return EventTimeTrigger.create();
  }
}

/** Windows of the machine's clock of one length that start every so often. */
export class SlidingProcessingTimeWindows extends SlidingWindows {
  readonly name: string;
  readonly isEventTime = false;

  private constructor(sizeMs: number, slideMs: number, offsetMs: number) {
    super(sizeMs, slideMs, offsetMs);
    this.name = `SlidingProcessingTimeWindows(${sizeMs}, ${slideMs})`;
  }

  /** @throws StreamError PARAMETER_INVALID if size or slide is not positive or the offset not smaller than the slide. */
  static of(size: Duration, slide: Duration, offset: Duration = 0): SlidingProcessingTimeWindows {
    return new SlidingProcessingTimeWindows(
      ...sizeSlideOffset("SlidingProcessingTimeWindows.of", size, slide, offset),
    );
  }

  assignWindows(
    _element: unknown,
    _timestamp: number,
    context: WindowAssignerContext,
  ): readonly TimeWindow[] {
    return this.windowsAt(context.currentProcessingTime());
  }

  getDefaultTrigger(): Trigger<unknown, TimeWindow> {
    return ProcessingTimeTrigger.create();
  }
}

function sizeSlideOffset(
  what: string,
  size: Duration,
  slide: Duration,
  offset: Duration,
): readonly [sizeMs: number, slideMs: number, offsetMs: number] {
  const sizeMs = durationMs(size, what, 1);
  const [slideMs, offsetMs] = sizeAndOffset(what, slide, offset);
  if (sizeMs / slideMs > MAX_WINDOWS_PER_RECORD) {
    throw new StreamError("PARAMETER_INVALID", {
      what,
      problem: `each record would belong to more than ${MAX_WINDOWS_PER_RECORD} windows`,
    });
  }
  return [sizeMs, slideMs, offsetMs];
}
