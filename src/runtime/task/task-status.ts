import { assert } from "../../base/index.ts";

/** Where a task is in its life. Source: Flink `ExecutionState`. */
export type TaskStatus =
  | "CREATED"
  | "INITIALIZING"
  | "RUNNING"
  | "CANCELING"
  | "FINISHED"
  | "CANCELED"
  | "FAILED";

/** Every legal change of status. What is not listed here cannot happen. */
export const TASK_TRANSITIONS: { readonly [S in TaskStatus]: readonly TaskStatus[] } = {
  CREATED: ["INITIALIZING", "CANCELED", "FAILED"],
  INITIALIZING: ["RUNNING", "CANCELING", "FAILED"],
  RUNNING: ["FINISHED", "CANCELING", "FAILED"],
  CANCELING: ["CANCELED", "FAILED"],
  FINISHED: [],
  CANCELED: [],
  FAILED: [],
};

/** True if nothing follows this status. */
export function isTerminal(status: TaskStatus): boolean {
  return TASK_TRANSITIONS[status].length === 0;
}

/** Asserts that the change is legal. */
export function assertTransition(from: TaskStatus, to: TaskStatus): void {
  assert(TASK_TRANSITIONS[from].includes(to), `a task may go from ${from} to ${to}`);
}
