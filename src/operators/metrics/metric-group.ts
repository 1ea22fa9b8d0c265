/** Counts something. `count` may be changed in place: that costs least. */
export interface Counter {
  count: number;
  /** @param by - 1 if it is left out. */
  inc(by?: number): void;
  dec(by?: number): void;
}

/** Counts events whose rate is of interest: it is shown as events per second. */
export interface Meter {
  /** Events so far. */
  readonly count: number;
  /** @param events - 1 if it is left out. */
  markEvent(events?: number): void;
}

/** Shows how the latest values are spread. */
export interface Histogram {
  /** Values so far, also those that are out of the window. */
  readonly count: number;
  update(value: number): void;
}

/** What a gauge may show. Prometheus takes texts for 0. */
export type GaugeValue = number | string | boolean;

/**
 * Where metrics are registered. Asked again for a name it gives the same metric; a name that is taken by another kind is not shown, with a
 * warning in the log.
 *
 * Source: Flink `MetricGroup`.
 */
export interface MetricGroup {
  counter(name: string): Counter;
  /** @param read - Called about once a second, in the task's thread; must be quick. What throws is left out. */
  gauge(name: string, read: () => GaugeValue): void;
  meter(name: string): Meter;
  /** @param windowSize - How many of the latest values count; 1,000 if it is left out. */
  histogram(name: string, windowSize?: number): Histogram;
  /**
   * A group below this one. With a value it is a variable: for Prometheus a label with that value, and not part of the metric's name.
   */
  addGroup(name: string, value?: string): MetricGroup;
}
