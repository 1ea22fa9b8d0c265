import { type Duration, durationMs, MIN_TIMESTAMP, StreamError } from "../../../base/index.ts";
import { TimeWindow } from "../time-window.ts";
import { EventTimeTrigger } from "../trigger/event-time-trigger.ts";
import { ProcessingTimeTrigger } from "../trigger/processing-time-trigger.ts";
import type { Trigger } from "../trigger/trigger.ts";
import {
  type MergingWindowAssigner,
  TIME_WINDOWS,
  type WindowAssignerContext,
  type WindowKind,
  type WindowMerge,
} from "./window-assigner.ts";

/**
 * Where the session of a record without a timestamp starts: long before all others, so that the first watermark ends it.
 * Flink's is the least 64-bit number; this is the least whole double that is exact.
 */
const EARLIEST_START: number = Number.MIN_SAFE_INTEGER;

/** The start of a record's session window. */
export function sessionStart(timestamp: number): number {
  return timestamp === MIN_TIMESTAMP ? EARLIEST_START : timestamp;
}

/** How long after this record a session stays open, in ms; more than 0. */
export type SessionGapExtractor<T> = (element: T) => number;

/** What the session assigners share: windows that overlap or touch become one. */
abstract class SessionWindows<T> implements MergingWindowAssigner<T, TimeWindow> {
  abstract readonly name: string;
  abstract readonly isEventTime: boolean;
  readonly windowKind: WindowKind<TimeWindow> = TIME_WINDOWS;

  abstract assignWindows(
    element: T,
    timestamp: number,
    context: WindowAssignerContext,
  ): readonly TimeWindow[];
  abstract getDefaultTrigger(): Trigger<T, TimeWindow>;

  mergeWindows(windows: readonly TimeWindow[]): readonly WindowMerge<TimeWindow>[] {
    return mergeTimeWindows(windows);
  }
}

/** Windows of event time that end when no record has come for the gap. */
export class EventTimeSessionWindows extends SessionWindows<unknown> {
  readonly name: string;
  readonly isEventTime = true;
  readonly gapMs: number;

  private constructor(gapMs: number) {
    super();
    this.gapMs = gapMs;
    this.name = `EventTimeSessionWindows(${gapMs})`;
  }

  /** @throws StreamError PARAMETER_INVALID if the gap is not positive. */
  static withGap(gap: Duration): EventTimeSessionWindows {
    return new EventTimeSessionWindows(durationMs(gap, "EventTimeSessionWindows.withGap", 1));
  }

  /** Sessions whose gap depends on the record. */
  static withDynamicGap<T>(gapMs: SessionGapExtractor<T>): DynamicEventTimeSessionWindows<T> {
    return new DynamicEventTimeSessionWindows<T>(gapMs);
  }

  assignWindows(_element: unknown, timestamp: number): readonly TimeWindow[] {
    const start = sessionStart(timestamp);
    return [new TimeWindow(start, start + this.gapMs)];
  }

  getDefaultTrigger(): Trigger<unknown, TimeWindow> {
    return EventTimeTrigger.create();
  }
}

/** Windows of event time, each record saying how long its session stays open. */
export class DynamicEventTimeSessionWindows<T> extends SessionWindows<T> {
  readonly name = "DynamicEventTimeSessionWindows()";
  readonly isEventTime = true;
  private readonly gapMs: SessionGapExtractor<T>;

  constructor(gapMs: SessionGapExtractor<T>) {
    super();
    this.gapMs = gapMs;
  }

  assignWindows(element: T, timestamp: number): readonly TimeWindow[] {
    const start = sessionStart(timestamp);
    return [new TimeWindow(start, start + checkedGapMs(this.gapMs(element)))];
  }

  getDefaultTrigger(): Trigger<T, TimeWindow> {
    return EventTimeTrigger.create();
  }
}

/** Windows of the machine's clock that end when no record has come for the gap. */
export class ProcessingTimeSessionWindows extends SessionWindows<unknown> {
  readonly name: string;
  readonly isEventTime = false;
  private readonly gapMs: number;

  private constructor(gapMs: number) {
    super();
    this.gapMs = gapMs;
    this.name = `ProcessingTimeSessionWindows(${gapMs})`;
  }

  /** @throws StreamError PARAMETER_INVALID if the gap is not positive. */
  static withGap(gap: Duration): ProcessingTimeSessionWindows {
    return new ProcessingTimeSessionWindows(
      durationMs(gap, "ProcessingTimeSessionWindows.withGap", 1),
    );
  }

  /** Sessions whose gap depends on the record. */
  static withDynamicGap<T>(gapMs: SessionGapExtractor<T>): DynamicProcessingTimeSessionWindows<T> {
    return new DynamicProcessingTimeSessionWindows<T>(gapMs);
  }

  assignWindows(
    _element: unknown,
    _timestamp: number,
    context: WindowAssignerContext,
  ): readonly TimeWindow[] {
    const now = context.currentProcessingTime();
    return [new TimeWindow(now, now + this.gapMs)];
  }

  getDefaultTrigger(): Trigger<unknown, TimeWindow> {
    return ProcessingTimeTrigger.create();
  }
}

/** Windows of the machine's clock, each record saying how long its session stays open. */
export class DynamicProcessingTimeSessionWindows<T> extends SessionWindows<T> {
  readonly name = "DynamicProcessingTimeSessionWindows()";
  readonly isEventTime = false;
  private readonly gapMs: SessionGapExtractor<T>;

  constructor(gapMs: SessionGapExtractor<T>) {
    super();
    this.gapMs = gapMs;
  }

  assignWindows(
    element: T,
    _timestamp: number,
    context: WindowAssignerContext,
  ): readonly TimeWindow[] {
    const now = context.currentProcessingTime();
    return [new TimeWindow(now, now + checkedGapMs(this.gapMs(element)))];
  }

  getDefaultTrigger(): Trigger<T, TimeWindow> {
    return ProcessingTimeTrigger.create();
  }
}

/**
 * The groups of windows that overlap or touch, in order of time.
 *
 * Source: Flink `TimeWindow.mergeWindows`.
 */
export function mergeTimeWindows(
  windows: readonly TimeWindow[],
): readonly WindowMerge<TimeWindow>[] {
  const sorted = windows.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const merges: { merged: TimeWindow[]; result: TimeWindow }[] = [];
  for (const window of sorted) {
    const last = merges.at(-1);
    if (last !== undefined && last.result.intersects(window)) {
      last.merged.push(window);
      last.result = last.result.cover(window);
    } else {
      merges.push({ merged: [window], result: window });
    }
  }
  return merges.filter((merge) => merge.merged.length > 1);
}

function checkedGapMs(gapMs: number): number {
  if (gapMs > 0) return gapMs;
  throw new StreamError("PARAMETER_INVALID", {
    what: "A session window's gap function",
    problem: `it returned ${String(gapMs)}, which is not a time of more than 0 ms`,
  });
}
