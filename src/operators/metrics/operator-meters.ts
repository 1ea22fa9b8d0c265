import type { OperatorMetrics } from "../operator.ts";
import type { Counter, GaugeValue, Histogram, Meter, MetricGroup } from "./metric-group.ts";
import { MetricRegistry, type RegisteredMetrics } from "./metric-registry.ts";

/** The metrics of one operator's subtask. */
export class OperatorMeters implements OperatorMetrics {
  // Fields of their own, since they are counted up for each record.
  numRecordsIn = 0;
  numRecordsOut = 0;
  numLateRecordsDropped = 0;
  readonly #registry: MetricRegistry;
  readonly #group: MetricGroup;

  /** @param warn - Told of names that two metrics want. */
  constructor(warn?: (text: string) => void) {
    this.#registry = new MetricRegistry(warn);
    this.#group = this.#registry.group();
  }

  counter(name: string): Counter {
    return this.#group.counter(name);
  }

  gauge(name: string, read: () => GaugeValue): void {
    this.#group.gauge(name, read);
  }

  meter(name: string): Meter {
    return this.#group.meter(name);
  }

  histogram(name: string, windowSize?: number): Histogram {
    return this.#group.histogram(name, windowSize);
  }

  addGroup(name: string, value?: string): MetricGroup {
    return this.#group.addGroup(name, value);
  }

  /** What is registered. */
  registered(): RegisteredMetrics {
    return this.#registry.values();
  }
}
