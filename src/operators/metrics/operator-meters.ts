import type { OperatorMetrics } from "../operator.ts";
import type { Counter, GaugeValue, Histogram, Meter, MetricGroup } from "./metric-group.ts";
import { MetricRegistry, type RegisteredMetrics } from "./metric-registry.ts";

/** The metrics of one operator's subtask. */
export class OperatorMeters implements OperatorMetrics {
  // A field of its own, since it is counted up for each record.
  numRecordsOut = 0;
  numLateRecordsDropped = 0;
  #input: () => number = () => 0;
  #isOneForEach = false;
  #emitted: readonly (() => number)[] = [];
  readonly #registry: MetricRegistry;
  readonly #group: MetricGroup;

  /** @param warn - Told of names that two metrics want. */
  constructor(warn?: (text: string) => void) {
    this.#registry = new MetricRegistry(warn);
    this.#group = this.#registry.group();
  }

  /** @param input - How many records have come, as whoever hands them over knows it. */
  takesFrom(input: () => number): void {
    this.#input = input;
  }

  countsOut(emitted: () => number): void {
    this.#emitted = [...this.#emitted, emitted];
  }

  emitsOneForEach(): void {
    this.#isOneForEach = true;
  }

  get numRecordsIn(): number {
    return this.#input();
  }

  /** How many records have gone out, counted or as many as came in. */
  get emittedCount(): number {
    if (this.#isOneForEach) return this.numRecordsIn;
    return this.#emitted.reduce((sum, emitted) => sum + emitted(), this.numRecordsOut);
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
