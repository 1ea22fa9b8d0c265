import type { Counter, GaugeValue, Histogram, Meter, MetricGroup } from "./metric-group.ts";
import { type HistogramStatistics, HistogramWindow } from "./histogram-window.ts";

/** Values of registered metrics at one moment, by full name: `shop.tier.gold.hits`. */
export interface RegisteredMetrics {
  readonly counters: Readonly<Record<string, number>>;
  readonly gauges: Readonly<Record<string, GaugeValue>>;
  /** Events so far. */
  readonly meters: Readonly<Record<string, number>>;
  readonly histograms: Readonly<Record<string, HistogramStatistics>>;
  /** Where those stand that have variables among their groups. */
  readonly places: Readonly<Record<string, MetricPlace>>;
}

/** The name of a metric without the values of its variables, and those. */
export interface MetricPlace {
  /** `shop.tier.hits`. */
  readonly name: string;
  /** `{tier: "gold"}`. */
  readonly variables: Readonly<Record<string, string>>;
}

const DEFAULT_WINDOW_SIZE = 1_000;

class CountingMetric implements Counter {
  count = 0;

  inc(by = 1): void {
    this.count += by;
  }

  dec(by = 1): void {
    this.count -= by;
  }
}

class EventMeter implements Meter {
  count = 0;

  markEvent(events = 1): void {
    this.count += events;
  }
}

type MetricKind = "counter" | "gauge" | "meter" | "histogram";

/** All metrics that one operator's subtask has registered, in whatever group. */
export class MetricRegistry {
  readonly #kinds = new Map<string, MetricKind>();
  readonly #counters = new Map<string, CountingMetric>();
  readonly #gauges = new Map<string, { read: () => GaugeValue }>();
  readonly #meters = new Map<string, EventMeter>();
  readonly #histograms = new Map<string, HistogramWindow>();
  readonly #places = new Map<string, MetricPlace>();
  readonly #warn: (text: string) => void;

  constructor(warn: (text: string) => void = () => undefined) {
    this.#warn = warn;
  }

  /** The group of the operator itself. */
  group(): MetricGroup {
    return new RegistryGroup(this, { path: [], logicalPath: [], variables: {} });
  }

  counter(name: string, place: MetricPlace): Counter {
    return this.#register("counter", this.#counters, name, place, () => new CountingMetric());
  }

  gauge(name: string, place: MetricPlace, read: () => GaugeValue): void {
    this.#register("gauge", this.#gauges, name, place, () => ({ read })).read = read;
  }

  meter(name: string, place: MetricPlace): Meter {
    return this.#register("meter", this.#meters, name, place, () => new EventMeter());
  }

  histogram(name: string, place: MetricPlace, windowSize: number): Histogram {
    const make = (): HistogramWindow => new HistogramWindow(windowSize);
    return this.#register("histogram", this.#histograms, name, place, make);
  }

  values(): RegisteredMetrics {
    return {
      counters: valuesOf(this.#counters, ({ count }) => count),
      gauges: valuesOf(this.#gauges, readGauge),
      meters: valuesOf(this.#meters, ({ count }) => count),
      histograms: valuesOf(this.#histograms, (histogram) => histogram.statistics()),
      places: Object.fromEntries(this.#places),
    };
  }

  #register<M>(
    kind: MetricKind,
    ofKind: Map<string, M>,
    name: string,
    place: MetricPlace,
    make: () => M,
  ): M {
    const before = ofKind.get(name);
    if (before !== undefined) return before;
    const metric = make();
    const taken = this.#kinds.get(name);
    if (taken !== undefined) {
      this.#warn(`The ${kind} ${name} is not shown: there is a ${taken} of that name.`);
      return metric;
    }
    this.#kinds.set(name, kind);
    ofKind.set(name, metric);
    if (Object.keys(place.variables).length > 0) this.#places.set(name, place);
    return metric;
  }
}

/** What can be read of each, by name. */
function valuesOf<M, V>(
  metrics: ReadonlyMap<string, M>,
  read: (metric: M) => V | undefined,
): Readonly<Record<string, V>> {
  const values: Record<string, V> = {};
  for (const [name, metric] of metrics) {
    const value = read(metric);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** A gauge that fails, or shows what is none of its values, is left out. */
function readGauge(gauge: { read: () => GaugeValue }): GaugeValue | undefined {
  try {
    const value: unknown = gauge.read();
    if (typeof value === "bigint") return Number(value);
    const isShown =
      typeof value === "number" || typeof value === "string" || typeof value === "boolean";
    return isShown ? value : undefined;
  } catch {
    return undefined;
  }
}

interface GroupPath {
  /** With the values of variables. */
  readonly path: readonly string[];
  /** Without them. */
  readonly logicalPath: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

class RegistryGroup implements MetricGroup {
  readonly #registry: MetricRegistry;
  readonly #at: GroupPath;

  constructor(registry: MetricRegistry, at: GroupPath) {
    this.#registry = registry;
    this.#at = at;
  }

  counter(name: string): Counter {
    return this.#registry.counter(this.#nameOf(name), this.#placeOf(name));
  }

  gauge(name: string, read: () => GaugeValue): void {
    this.#registry.gauge(this.#nameOf(name), this.#placeOf(name), read);
  }

  meter(name: string): Meter {
    return this.#registry.meter(this.#nameOf(name), this.#placeOf(name));
  }

  histogram(name: string, windowSize: number = DEFAULT_WINDOW_SIZE): Histogram {
    return this.#registry.histogram(this.#nameOf(name), this.#placeOf(name), windowSize);
  }

  addGroup(name: string, value?: string): MetricGroup {
    const { path, logicalPath, variables } = this.#at;
    return new RegistryGroup(this.#registry, {
      path: [...path, name, ...(value === undefined ? [] : [value])],
      logicalPath: [...logicalPath, name],
      variables: value === undefined ? variables : { ...variables, [name]: value },
    });
  }

  #nameOf(name: string): string {
    return [...this.#at.path, name].join(".");
  }

  #placeOf(name: string): MetricPlace {
    const { logicalPath, variables } = this.#at;
    return { name: [...logicalPath, name].join("."), variables };
  }
}
