import type { FaultKind, SimulatedFaults } from "./fault-schedule.ts";
import { systemError } from "./simulated-disk.ts";
import type { FileOperation } from "./simulated-files.ts";

/**
 * How the operation fails.
 *
 * - `transient`: it fails, and everything after it works.
 * - `persistent`: it fails, and so does everything after it until the process has given up and is started again.
 * - `crash`: the process dies at that moment.
 */
export type FaultMode = "transient" | "persistent" | "crash";

/** Lets one file operation of a run fail: the n-th of those that count. */
export class NthOperationFault implements SimulatedFaults {
  readonly struck: Map<FaultKind, number> = new Map();
  readonly #nth: number;
  readonly #mode: FaultMode;
  /** Crashes that happen in every run, in steps, ascending: so that restores are among the operations. */
  readonly #crashes: number[];
  #seen = 0;
  #mustCrash = false;
  #isFailing = false;
  #hasLifeEndedSince = false;
  /** The operation that was met, if the run was long enough. */
  met: FileOperation | undefined;

  /** @param crashesAtSteps - When the process dies in every run, whatever else fails, so that restores are met, too. */
  constructor(nth: number, mode: FaultMode, crashesAtSteps: readonly number[] = []) {
    this.#nth = nth;
    this.#mode = mode;
    this.#crashes = crashesAtSteps.toSorted((a, b) => a - b);
  }

  get isOver(): boolean {
    return this.#hasLifeEndedSince && this.#crashes.length === 0;
  }

  strike(step: number): "crash" | undefined {
    if (step >= (this.#crashes[0] ?? Number.POSITIVE_INFINITY)) {
      this.#crashes.shift();
      return "crash";
    }
    if (!this.#mustCrash) return undefined;
    this.#mustCrash = false;
    this.struck.set("crash", 1);
    return "crash";
  }

  latencyMs(): number {
    return 0.2;
  }

  failure(operation: FileOperation): Error | undefined {
    this.#seen++;
    if (this.#seen === this.#nth) {
      this.met = operation;
      this.struck.set("storage-error", 1);
      if (this.#mode === "crash") this.#mustCrash = true;
      else return this.#fail(operation);
    }
    return this.#isFailing ? this.#fail(operation) : undefined;
  }

  messageDelayMs(): number {
    return 0.1;
  }

  holdsBack(): boolean {
    return false;
  }

  lifeEnded(): void {
    this.#isFailing = false;
    this.#hasLifeEndedSince = this.met !== undefined;
  }

  #fail({ kind, path }: FileOperation): Error {
    this.#isFailing = this.#mode === "persistent";
    return systemError("EIO", kind, path);
  }
}

/**
 * Runs `attempt` again and again, failing its first operation, then its second, and so on, until it ends without meeting the fault.
 *
 * @returns The operations that were met, in order.
 *
 * Source: the method is SQLite's, for memory and disk errors (sqlite.org/testing.html, "Anomaly Testing").
 */
export async function failEachOperation(
  attempt: (fault: NthOperationFault) => Promise<void>,
  mode: FaultMode,
  crashesAtSteps: readonly number[] = [],
): Promise<readonly FileOperation[]> {
  const met: FileOperation[] = [];
  for (let nth = 1; nth <= MAX_OPERATIONS; nth++) {
    const fault = new NthOperationFault(nth, mode, crashesAtSteps);
    await attempt(fault);
    if (fault.met === undefined) return met;
    met.push(fault.met);
  }
  throw new Error(`No run without a fault in ${MAX_OPERATIONS} tries`);
}

const MAX_OPERATIONS = 10_000;
