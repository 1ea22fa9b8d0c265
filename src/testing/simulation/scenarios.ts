import { countJob } from "./jobs/count-job.ts";
import { earlyEndJob } from "./jobs/early-end-job.ts";
import { preAggregatedJob } from "./jobs/pre-aggregated-job.ts";
import { sessionJob } from "./jobs/session-job.ts";
import { stateJob } from "./jobs/state-job.ts";
import { twoPartsJob } from "./jobs/two-parts-job.ts";
import { simulate, type SimulateOptions, type SimulateResult } from "./simulate.ts";
import type { SimulatedJob, SimulationReport } from "./simulation.ts";
import type { UserRequestKind } from "./user-requests.ts";
import { drawVariety } from "./variety.ts";

/** A job and what may happen to it. */
export interface Scenario {
  readonly name: string;
  /** The job itself, or a job file of the repository with what its function gets. */
  readonly job: (() => SimulatedJob) | JobFile;
  /** Each life of the process has one of these; without them the job's own. */
  readonly parallelisms?: readonly number[];
  readonly requests?: readonly UserRequestKind[];
}

export interface JobFile {
  readonly path: string;
  readonly arguments?: readonly string[];
  /** Of each input file. */
  readonly mostLines?: number;
}

const RESCALED = [1, 2, 3, 4, 6];
/** At parallelism 1 these jobs have other chains, and records in flight between operators that now are one chain cannot be restored. */
const RESCALED_CHAINS = [2, 3, 4, 6];
const REQUESTS: readonly UserRequestKind[] = ["savepoint", "suspend", "rescale"];
const STOPS: readonly UserRequestKind[] = ["stop", "stop", "savepoint", "rescale"];

/** The mixture that seeds are run over, in turn. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "counts", job: countJob, parallelisms: RESCALED },
  { name: "counts-asked", job: countJob, parallelisms: RESCALED, requests: REQUESTS },
  { name: "sessions", job: () => sessionJob(800), parallelisms: RESCALED },
  {
    name: "sessions-asked",
    job: () => sessionJob(800),
    parallelisms: RESCALED,
    requests: REQUESTS,
  },
  { name: "states", job: () => stateJob(600), parallelisms: RESCALED_CHAINS },
  {
    name: "states-asked",
    job: () => stateJob(600),
    parallelisms: RESCALED_CHAINS,
    requests: REQUESTS,
  },
  { name: "counts-stopped", job: countJob, parallelisms: RESCALED, requests: STOPS },
  {
    name: "sessions-stopped",
    job: () => sessionJob(800),
    parallelisms: RESCALED,
    requests: STOPS,
  },
  {
    name: "states-stopped",
    job: () => stateJob(600),
    parallelisms: RESCALED_CHAINS,
    requests: STOPS,
  },
  { name: "two-parts", job: twoPartsJob, parallelisms: RESCALED, requests: REQUESTS },
  { name: "early-end", job: earlyEndJob, parallelisms: RESCALED_CHAINS, requests: REQUESTS },
  {
    name: "flights",
    job: { path: "examples/01-flights.ts", mostLines: 400 },
    parallelisms: [1, 2, 3],
    requests: REQUESTS,
  },
  {
    name: "session-windows",
    job: { path: "examples/02-session-windows.ts", arguments: ["1000"] },
    requests: REQUESTS,
  },
  { name: "checkpoint-test", job: { path: "examples/03-checkpoint-test.ts" } },
  {
    name: "inactivity-alert",
    job: { path: "examples/04-inactivity-alert.ts" },
    requests: REQUESTS,
  },
  { name: "late-data", job: { path: "examples/05-late-data.ts" }, requests: REQUESTS },
  {
    name: "pre-aggregated",
    job: () => preAggregatedJob(800),
    parallelisms: RESCALED,
    requests: REQUESTS,
  },
];

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  return SCENARIOS[seed % SCENARIOS.length] as Scenario;
}

/** Runs one seed of a scenario. */
export function runScenario(
  { parallelisms, requests }: Scenario,
  job: SimulatedJob,
  seed: number,
  baseline: SimulationReport,
  options: Pick<SimulateOptions, "createBarrierHandler"> = {},
): Promise<SimulateResult> {
  return simulate(job, {
    seed,
    baseline,
    parallelisms,
    requests,
    ...drawVariety(seed),
    ...options,
  });
}

/** A seed that once failed. */
export interface Regression {
  readonly scenario: string;
  readonly seed: number;
  /** What was wrong. */
  readonly bug: string;
}

/** Bugs that seeds have found, each with a seed that fails if what mended it is taken back. */
export const REGRESSIONS: readonly Regression[] = [
  {
    scenario: "counts",
    seed: 7,
    bug: "the name of a complete checkpoint was not durable: a crash took it, and its work was published twice",
  },
  {
    scenario: "sessions",
    seed: 0,
    bug: "key groups of a handle that was cut to a part were looked up as if it were whole",
  },
  {
    scenario: "states",
    seed: 3,
    bug: "with union list state, tasks that ended first left the others waiting for a checkpoint that could not complete",
  },
  {
    scenario: "inactivity-alert",
    seed: 151,
    bug: "the last checkpoint was deleted before the end was written down: a crash in between did all work twice",
  },
  {
    scenario: "late-data",
    seed: 308,
    bug: "a sink's writer was closed while a part was on its way to pending, and the part was left behind",
  },
  {
    scenario: "counts-stopped",
    seed: 102,
    bug: "a job that failed while it stopped with a complete savepoint started again from an older checkpoint",
  },
  {
    scenario: "counts-stopped",
    seed: 5038,
    bug: "a second stop, asked for while the first one's savepoint was being committed, took the job back behind that savepoint",
  },
  {
    scenario: "counts-stopped",
    seed: 8982,
    bug: "of the simulator: a job that is to go on from the savepoint that it was stopped with counted as one that fails by itself",
  },
  {
    scenario: "inactivity-alert",
    seed: 302,
    bug: "of the simulator: a process was started again without a pause, until its lives were used up before the storage was back",
  },
  {
    scenario: "inactivity-alert",
    seed: 531,
    bug: "of the simulator: a slot was missed before its file operations had ended, and one of them left a file behind",
  },
  {
    scenario: "sessions-asked",
    seed: 1287,
    bug: "of the simulator: a deletion that a process had under way when it ended took effect in a later process",
  },
];
