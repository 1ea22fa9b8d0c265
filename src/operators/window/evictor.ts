import { type Duration, durationMs, MIN_TIMESTAMP } from "../../base/index.ts";

/** A record of a window with its timestamp, `MIN_TIMESTAMP` if it has none. */
export interface TimestampedValue<T> {
  readonly value: T;
  readonly timestamp: number;
}

export interface EvictorContext {
  currentProcessingTime(): number;
  currentWatermark(): number;
}

/**
 * Removes records from a window when it fires. With an evictor a window keeps all of its records as a list.
 *
 * @remarks
 * Each method gets the records in order of arrival and returns those that stay, in the same order. What was removed is gone for
 * later firings too.
 */
export interface Evictor<in out T, in W> {
  /** Before the window function sees the records. */
  evictBefore?(
    elements: readonly TimestampedValue<T>[],
    window: W,
    context: EvictorContext,
  ): readonly TimestampedValue<T>[];
  /** After the window function. */
  evictAfter?(
    elements: readonly TimestampedValue<T>[],
    window: W,
    context: EvictorContext,
  ): readonly TimestampedValue<T>[];
}

type Evict<T> = (elements: readonly TimestampedValue<T>[]) => readonly TimestampedValue<T>[];

function evictor<T>(evict: Evict<T>, doEvictAfter: boolean): Evictor<T, unknown> {
  return doEvictAfter ? { evictAfter: evict } : { evictBefore: evict };
}

/** Keeps the newest records by order of arrival. Source: Flink `CountEvictor`. */
export function countEvictor<T>(maxCount: number, doEvictAfter = false): Evictor<T, unknown> {
  return evictor<T>(
    (elements) =>
      elements.length <= maxCount ? elements : elements.slice(elements.length - maxCount),
    doEvictAfter,
  );
}

/**
 * Keeps the records that are younger than a time before the youngest. Does nothing if the first record has no timestamp.
 *
 * Source: Flink `TimeEvictor`.
 */
export function timeEvictor<T>(keep: Duration, doEvictAfter = false): Evictor<T, unknown> {
  const keepMs = durationMs(keep, "timeEvictor");
  return evictor<T>((elements) => {
    const [first] = elements;
    if (first === undefined || first.timestamp === MIN_TIMESTAMP) return elements;
    const youngest = elements.reduce(
      (latest, element) => Math.max(latest, element.timestamp),
      MIN_TIMESTAMP,
    );
    return elements.filter((element) => element.timestamp > youngest - keepMs);
  }, doEvictAfter);
}

/**
 * Keeps the records that are less than a threshold away from the last one.
 *
 * Source: Flink `DeltaEvictor`.
 */
export function deltaEvictor<T>(
  threshold: number,
  delta: (element: T, last: T) => number,
  doEvictAfter = false,
): Evictor<T, unknown> {
  return evictor<T>((elements) => {
    const last = elements.at(-1);
    if (last === undefined) return elements;
    return elements.filter((element) => !(delta(element.value, last.value) >= threshold));
  }, doEvictAfter);
}
