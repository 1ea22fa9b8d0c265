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
const ALL_REQUESTS: readonly UserRequestKind[] = ["savepoint", "suspend", "rescale"];

/** The mixture that seeds are run over, in turn. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "counts", job: countJob, parallelisms: RESCALED },
  { name: "counts-asked", job: countJob, parallelisms: RESCALED, requests: ALL_REQUESTS },
  { name: "sessions", job: () => sessionJob(800), parallelisms: RESCALED },
  {
    name: "sessions-asked",
    job: () => sessionJob(800),
    parallelisms: RESCALED,
    requests: ALL_REQUESTS,
  },
  { name: "states", job: () => stateJob(600), parallelisms: RESCALED_CHAINS },
  {
    name: "states-asked",
    job: () => stateJob(600),
    parallelisms: RESCALED_CHAINS,
    requests: ALL_REQUESTS,
  },
  { name: "two-parts", job: twoPartsJob, parallelisms: RESCALED, requests: ALL_REQUESTS },
  { name: "early-end", job: earlyEndJob, parallelisms: RESCALED_CHAINS, requests: ALL_REQUESTS },
  {
    name: "flights",
    job: { path: "examples/01-flights.ts", mostLines: 400 },
    parallelisms: [1, 2, 3],
    requests: ALL_REQUESTS,
  },
  {
    name: "session-windows",
    job: { path: "examples/02-session-windows.ts", arguments: ["1000"] },
    requests: ALL_REQUESTS,
  },
  { name: "checkpoint-test", job: { path: "examples/03-checkpoint-test.ts" } },
  {
    name: "inactivity-alert",
    job: { path: "examples/04-inactivity-alert.ts" },
    requests: ALL_REQUESTS,
  },
  { name: "late-data", job: { path: "examples/05-late-data.ts" }, requests: ALL_REQUESTS },
  {
    name: "pre-aggregated",
    job: () => preAggregatedJob(800),
    parallelisms: RESCALED,
    requests: ALL_REQUESTS,
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

/** Every bug that a seed has found, with a seed that meets it if it comes back. */
export const REGRESSIONS: readonly Regression[] = [];
