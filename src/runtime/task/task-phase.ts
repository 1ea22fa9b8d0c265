import { assert } from "../../base/index.ts";

/**
 * Where a running task is. `FINISHING`: operators flush.
 * `AWAITING`: all data is sent; barriers still pass. `CLOSING`: operators close.
 */
export type TaskPhase = "PROCESSING" | "FINISHING" | "AWAITING" | "CLOSING";

/** Every legal change of phase. */
export const TASK_PHASE_TRANSITIONS: { readonly [P in TaskPhase]: readonly TaskPhase[] } = {
  PROCESSING: ["FINISHING"],
  FINISHING: ["AWAITING"],
  AWAITING: ["CLOSING"],
  CLOSING: [],
};

/** Asserts that the change is legal. */
export function assertPhaseTransition(from: TaskPhase, to: TaskPhase): void {
  assert(TASK_PHASE_TRANSITIONS[from].includes(to), `a task may go from ${from} to ${to}`);
}
