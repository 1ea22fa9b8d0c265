import { type TypeSerializer, timeWindow, voidNamespace } from "../../../serde/index.ts";
import { GLOBAL_WINDOW, type GlobalWindow } from "../global-window.ts";
import { TimeWindow } from "../time-window.ts";
import type { Trigger } from "../trigger/trigger.ts";

/** What a window has to tell: its last millisecond. Windows are values: never changed, equal by their identity. */
export interface Window {
  maxTimestamp(): number;
}

/** How windows of one class are stored and told apart. */
export interface WindowKind<W extends Window> {
  readonly type: TypeSerializer<W>;
  /** A primitive that two windows share only if they are the same window. */
  readonly identity: (window: W) => number | string;
  /** Whether two windows are the same, where that is quicker than to compare identities. */
  readonly equals?: (a: W, b: W) => boolean;
  /** Set if there is only one window, which state then need not tell apart: it lies where there is no namespace. */
  readonly only?: W;
}

export interface WindowAssignerContext {
  currentProcessingTime(): number;
}

/** Says which windows a record belongs to. */
export interface WindowAssigner<in T, W extends Window> {
  /** As in Flink's generated names: `TumblingEventTimeWindows(60000)`. */
  readonly name: string;
  /** True if windows are of event time: late records exist, and windows end by the watermark. */
  readonly isEventTime: boolean;
  readonly windowKind: WindowKind<W>;
  /** @throws StreamError TIMESTAMP_MISSING if the assigner needs a timestamp and there is none. */
  assignWindows(element: T, timestamp: number, context: WindowAssignerContext): readonly W[];
  getDefaultTrigger(): Trigger<T, W>;
  /** An assigner that differs from subtask to subtask gives each its own. */
  forSubtask?(random: () => number): WindowAssigner<T, W>;
}

/** One group of windows that become one. */
export interface WindowMerge<W> {
  readonly merged: readonly W[];
  readonly result: W;
}

/** An assigner whose windows grow together: sessions. */
export interface MergingWindowAssigner<in T, W extends Window> extends WindowAssigner<T, W> {
  /** The groups of two or more of these windows that have to become one. */
  mergeWindows(windows: readonly W[]): readonly WindowMerge<W>[];
}

export function isMergingAssigner<T, W extends Window>(
  assigner: WindowAssigner<T, W>,
): assigner is MergingWindowAssigner<T, W> {
  return "mergeWindows" in assigner;
}

const timeWindowType: TypeSerializer<TimeWindow> = {
  typeName: timeWindow.typeName,
  snapshot: timeWindow.snapshot,
  keyKind: timeWindow.keyKind,
  rowFields: undefined,
  write: (window, out) => timeWindow.write(window, out),
  read(input) {
    const { start, end } = timeWindow.read(input);
    return new TimeWindow(start, end);
  },
};

/** {@link TimeWindow}, of any length. */
export const TIME_WINDOWS: WindowKind<TimeWindow> = {
  type: timeWindowType,
  identity: (window) => window.identity(),
  equals: (a, b) => a.equals(b),
};

/** {@link TimeWindow}, nearly all of one length, so that the start alone tells them apart: quicker. */
export function timeWindowsOfSize(sizeMs: number): WindowKind<TimeWindow> {
  return {
    type: timeWindowType,
    identity: (window) => (window.end - window.start === sizeMs ? window.start : window.identity()),
  };
}

/** The one {@link GlobalWindow}. */
export const GLOBAL_WINDOWS: WindowKind<GlobalWindow> = {
  type: {
    typeName: "global-window",
    snapshot: voidNamespace.snapshot,
    keyKind: voidNamespace.keyKind,
    rowFields: undefined,
    write: (_window, out) => voidNamespace.write(null, out),
    read(input) {
      voidNamespace.read(input);
      return GLOBAL_WINDOW;
    },
  },
  identity: () => 0,
  only: GLOBAL_WINDOW,
};
