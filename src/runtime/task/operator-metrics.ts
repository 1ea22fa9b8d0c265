import type { OperatorMetrics } from "../../operators/index.ts";

/** Counters and gauges of one operator's subtask at one moment, as plain values. */
export interface OperatorMetricsSnapshot {
  readonly operatorId: string;
  readonly operatorName: string;
  readonly subtaskIndex: number;
  readonly numRecordsIn: number;
  readonly numRecordsOut: number;
  readonly numLateRecordsDropped: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly gauges: Readonly<Record<string, number>>;
}

/** The metrics of one operator's subtask. */
export class OperatorMeters implements OperatorMetrics {
  numRecordsIn = 0;
  numRecordsOut = 0;
  numLateRecordsDropped = 0;
  readonly #counters = new Map<string, { count: number }>();
  readonly #gauges = new Map<string, () => number>();

  counter(name: string): { count: number } {
    let counter = this.#counters.get(name);
    if (counter === undefined) {
      counter = { count: 0 };
      this.#counters.set(name, counter);
    }
    return counter;
  }

  gauge(name: string, read: () => number): void {
    this.#gauges.set(name, read);
  }

  counterValues(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counters].map(([name, { count }]) => [name, count]));
  }

  gaugeValues(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#gauges].map(([name, read]) => [name, read()]));
  }
}
