import { FAULT_KINDS, type FaultKind, FaultSchedule } from "./fault-schedule.ts";
import type { SeededRandom } from "./seeded-random.ts";
import {
  Simulation,
  type SimulatedJob,
  type SimulationOptions,
  type SimulationReport,
} from "./simulation.ts";
import { type UserRequestKind, UserRequests } from "./user-requests.ts";

/** What a simulated run has lost or published twice, against a run without faults. */
export interface Difference {
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
}

export interface SimulateOptions extends Pick<
  SimulationOptions,
  "seed" | "settings" | "createBarrierHandler" | "parallelisms" | "slotCounts"
> {
  /** All kinds, if none are named. */
  readonly faults?: readonly FaultKind[] | undefined;
  /** What a user may ask of the job on the way; nothing, if nothing is named. */
  readonly requests?: readonly UserRequestKind[] | undefined;
  /** The run without faults, where it is known already. */
  readonly baseline?: SimulationReport | undefined;
}

export interface SimulateResult {
  readonly baseline: SimulationReport;
  readonly report: SimulationReport;
  readonly difference: Difference;
  /** The end of the job's log. */
  readonly recentLog: readonly string[];
}

/** Runs a job without faults: what it publishes is right by definition, and its length says where faults may fall. */
export function simulateWithoutFaults(
  job: SimulatedJob,
  { seed, settings }: Pick<SimulateOptions, "seed" | "settings">,
): Promise<SimulationReport> {
  const none = (random: SeededRandom, nowMs: () => number): FaultSchedule =>
    new FaultSchedule(random, [], nowMs, 1, 0);
  return new Simulation(job, { seed, settings, faults: none }).run();
}

/**
 * Runs a job on a simulated machine with faults from a seed, to its end, and compares what it has published with a run without.
 *
 * @remarks
 * The same seed takes the same steps: their hash is in the report. The output of the job must not depend on the order in which records
 * of different channels meet.
 */
export async function simulate(
  job: SimulatedJob,
  options: SimulateOptions,
): Promise<SimulateResult> {
  const {
    seed,
    settings,
    createBarrierHandler,
    parallelisms,
    slotCounts,
    faults = FAULT_KINDS,
    requests = [],
  } = options;
  const baseline = options.baseline ?? (await simulateWithoutFaults(job, { seed: 0, settings }));
  const { steps: stepCount, durationMs } = baseline;
  const simulation = new Simulation(job, {
    seed,
    settings,
    faults: (random, nowMs) => new FaultSchedule(random, faults, nowMs, stepCount, durationMs),
    createBarrierHandler,
    parallelisms,
    slotCounts,
    requests: new UserRequests(seed, requests, stepCount),
  });
  const report = await simulation.run();
  return {
    baseline,
    report,
    difference: compareOutput(baseline.output, report.output),
    recentLog: simulation.recentLog,
  };
}

/** Compares two outputs as multisets. */
export function compareOutput(expected: readonly string[], actual: readonly string[]): Difference {
  const { lines, places, counts } = indexOf(expected);
  const left = counts.slice();
  const duplicated: string[] = [];
  for (const line of actual) {
    const place = places.get(line);
    if (place === undefined || left[place] === 0) duplicated.push(line);
    else left[place] = (left[place] ?? 0) - 1;
  }
  const lost = lines.flatMap((line, place) => Array.from({ length: left[place] ?? 0 }, () => line));
  return { lost, duplicated };
}

/** The distinct lines of an output, and how often each is in it. */
interface OutputIndex {
  readonly lines: readonly string[];
  readonly places: ReadonlyMap<string, number>;
  readonly counts: Int32Array;
}

/** Of outputs that many others are compared with. */
const indexes = new WeakMap<readonly string[], OutputIndex>();

function indexOf(output: readonly string[]): OutputIndex {
  const known = indexes.get(output);
  if (known !== undefined) return known;
  const places = new Map<string, number>();
  for (const line of output) if (!places.has(line)) places.set(line, places.size);
  const counts = new Int32Array(places.size);
  for (const line of output) {
    const place = places.get(line) ?? 0;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const index = { lines: [...places.keys()], places, counts };
  indexes.set(output, index);
  return index;
}
