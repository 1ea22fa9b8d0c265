import { MIN_TIMESTAMP } from "../../base/index.ts";
import { type HarnessOutput, OperatorHarness, type HarnessSetup } from "../operator-harness.ts";
import { compareExactly, compareOperatorOutput } from "./comparison.ts";
import { Fields } from "./fields.ts";
import { isObject, ScenarioFault } from "./scenario.ts";
import type { ScenarioInstance } from "./scenario-kind.ts";
import { toWatermarkStatus } from "./watermark-entries.ts";

export interface OperatorScenarioParameters<OUT> {
  readonly setup: HarnessSetup<OUT>;
  /** Executes a step that is not one of those that all operators have. */
  readonly act: (step: Fields, harness: OperatorHarness<OUT>) => void | Promise<void>;
  /** What stands for a record or side output of the operator; initially element and timestamp. */
  readonly toEntry?: (value: unknown) => Readonly<Record<string, unknown>>;
  /** Translates the times of scenarios that lie where this engine's numbers are not exact. */
  readonly shift?: TimeShift | undefined;
  /** Answers an expectation other than `expect` and `expectMetric`. */
  readonly check?: (
    name: string,
    expected: unknown,
    harness: OperatorHarness<OUT>,
  ) => string | undefined;
  /** Output exactly in order. */
  readonly isOrdered?: boolean;
}

/** Moves times that are near the greatest 64-bit number to where doubles are exact. */
export interface TimeShift {
  readonly fromScenario: (value: unknown) => unknown;
}

/** A scenario that drives one operator in a harness. */
export class OperatorScenario<OUT> implements ScenarioInstance {
  readonly #parameters: OperatorScenarioParameters<OUT>;
  #harness: OperatorHarness<OUT>;
  #entries: Record<string, unknown>[] = [];
  #showsSubtasks: boolean;

  private constructor(parameters: OperatorScenarioParameters<OUT>, harness: OperatorHarness<OUT>) {
    this.#parameters = parameters;
    this.#harness = harness;
    this.#showsSubtasks = harness.parallelism > 1;
  }

  static async start<OUT>(
    parameters: OperatorScenarioParameters<OUT>,
  ): Promise<OperatorScenario<OUT>> {
    const harness = await OperatorHarness.open<OUT>(parameters.setup);
    return new OperatorScenario<OUT>(parameters, harness);
  }

  async act(given: Fields): Promise<void> {
    const step = this.#shifted(given);
    try {
      await this.#perform(step);
    } finally {
      this.#collect();
    }
  }

  check(name: string, expected: unknown): string | undefined {
    if (name === "expectMetric") return this.#checkMetrics(expected);
    if (name !== "expect") {
      if (this.#parameters.check === undefined) {
        throw new ScenarioFault(`The expectation \`${name}\` is not known for this kind`);
      }
      return this.#parameters.check(name, expected, this.#harness);
    }
    if (!Array.isArray(expected)) throw new ScenarioFault("`expect` is no list");
    const actual = this.#entries;
    this.#entries = [];
    const wanted = this.#parameters.shift?.fromScenario(expected) ?? expected;
    if (this.#parameters.isOrdered === true) return compareExactly(wanted, actual);
    return compareOperatorOutput(wanted as unknown[], actual);
  }

  leftOver(): string | undefined {
    return this.#entries.length === 0 ? undefined : compareExactly([], this.#entries);
  }

  async #perform(step: Fields): Promise<void> {
    if (step.has("snapshotRestore")) {
      const options = step.object("snapshotRestore");
      await this.#restore(options);
      options.done();
    } else if (step.has("processingTime")) {
      this.#harness.setProcessingTime(step.time("processingTime"));
    } else if (step.has("watermark")) {
      this.#harness.processWatermark(step.time("watermark"), inputOf(step));
    } else if (step.has("status")) {
      this.#harness.processWatermarkStatus(toWatermarkStatus(step), inputOf(step));
    } else {
      await this.#parameters.act(step, this.#harness);
    }
    step.done();
  }

  async #restore(options: Fields): Promise<void> {
    const { setup } = this.#parameters;
    const parallelism = options.number("parallelism", this.#harness.parallelism);
    const snapshot = await this.#harness.snapshot();
    await this.#harness.close();
    this.#harness = await OperatorHarness.open<OUT>({ ...setup, parallelism }, snapshot);
    if (parallelism > 1) this.#showsSubtasks = true;
  }

  #collect(): void {
    for (const output of this.#harness.takeOutput()) this.#entries.push(this.#toEntry(output));
  }

  #toEntry(output: HarnessOutput<OUT>): Record<string, unknown> {
    const subtask = this.#showsSubtasks ? output.subtask : undefined;
    switch (output.kind) {
      case "watermark":
        return { watermark: output.watermark, subtask };
      case "status":
        return { status: output.status.toLowerCase(), subtask };
      case "record":
        return { ...this.#elementEntry(output.value, output.timestamp), subtask };
      case "side":
        return { ...this.#elementEntry(output.value, output.timestamp), side: output.tag, subtask };
    }
  }

  #elementEntry(value: unknown, timestamp: number): Record<string, unknown> {
    const { toEntry } = this.#parameters;
    if (toEntry !== undefined) return { ...toEntry(value) };
    return { element: value, timestamp: timestamp === MIN_TIMESTAMP ? undefined : timestamp };
  }

  #checkMetrics(expected: unknown): string | undefined {
    if (!isObject(expected)) throw new ScenarioFault("`expectMetric` is no object");
    const actual = Object.fromEntries(
      Object.keys(expected).map((name) => {
        if (name !== "numLateRecordsDropped") {
          throw new ScenarioFault(`The metric \`${name}\` is not known to this runner`);
        }
        return [name, this.#harness.metric(name)];
      }),
    );
    return compareExactly(expected, actual);
  }

  #shifted(step: Fields): Fields {
    const { shift } = this.#parameters;
    if (shift === undefined) return step;
    step.readAll();
    return new Fields(shift.fromScenario(step.raw) as Record<string, unknown>, step.place);
  }
}

function inputOf(step: Fields): 1 | 2 | undefined {
  if (!step.has("input")) return undefined;
  const input = step.number("input");
  if (input !== 1 && input !== 2) throw step.fault("input", "1 or 2");
  return input;
}
