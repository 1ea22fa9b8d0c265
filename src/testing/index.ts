export { FAULT_KINDS, type FaultKind } from "./simulation/fault-schedule.ts";
export {
  type Difference,
  simulate,
  type SimulateOptions,
  type SimulateResult,
  simulateWithoutFaults,
} from "./simulation/simulate.ts";
export type { SimulatedDisk } from "./simulation/simulated-disk.ts";
export {
  CHECKPOINT_DIRECTORY,
  type SimulatedJob,
  type SimulationReport,
} from "./simulation/simulation.ts";
