export { drive, driveUntil } from "./simulation/drive.ts";
export { FAULT_KINDS, type FaultKind } from "./simulation/fault-schedule.ts";
export {
  failEachOperation,
  type FaultMode,
  NthOperationFault,
} from "./simulation/nth-operation-fault.ts";
export {
  compareOutput,
  type Difference,
  simulate,
  type SimulateOptions,
  type SimulateResult,
  simulateWithoutFaults,
} from "./simulation/simulate.ts";
export { countJob } from "./simulation/jobs/count-job.ts";
export { earlyEndJob } from "./simulation/jobs/early-end-job.ts";
export { sessionJob } from "./simulation/jobs/session-job.ts";
export { stateJob } from "./simulation/jobs/state-job.ts";
export { quietMachine } from "./simulation/quiet-machine.ts";
export { simulatedJobFile } from "./simulation/simulated-job-file.ts";
export { drawVariety, type Variety } from "./simulation/variety.ts";
export {
  REGRESSIONS,
  type Regression,
  runScenario,
  type Scenario,
  scenarioOf,
  SCENARIOS,
} from "./simulation/scenarios.ts";
export type { SimulatedDisk } from "./simulation/simulated-disk.ts";
export {
  CHECKPOINT_DIRECTORY,
  type SimulatedJob,
  Simulation,
  type SimulationReport,
} from "./simulation/simulation.ts";
