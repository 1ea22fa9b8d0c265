export { drive } from "./simulation/drive.ts";
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
export { quietMachine } from "./simulation/quiet-machine.ts";
export type { SimulatedDisk } from "./simulation/simulated-disk.ts";
export {
  CHECKPOINT_DIRECTORY,
  type SimulatedJob,
  Simulation,
  type SimulationReport,
} from "./simulation/simulation.ts";
