import { assert } from "../../base/index.ts";

/** Where a job is in its life. Source: Flink `JobStatus`. */
export type JobStatus =
  | "CREATED"
  | "RUNNING"
  | "FAILING"
  | "RESTARTING"
  | "CANCELLING"
  | "FINISHED"
  | "CANCELED"
  | "FAILED"
  | "SUSPENDED";

/** Every legal change of status. What is not listed here cannot happen. */
export const JOB_TRANSITIONS: { readonly [S in JobStatus]: readonly JobStatus[] } = {
  CREATED: ["RUNNING", "CANCELED", "FAILED", "SUSPENDED"],
  RUNNING: ["FINISHED", "FAILING", "RESTARTING", "CANCELLING", "SUSPENDED"],
  FAILING: ["FAILED", "CANCELLING", "SUSPENDED"],
  RESTARTING: ["RUNNING", "FAILING", "FAILED", "CANCELLING", "SUSPENDED"],
  CANCELLING: ["CANCELED"],
  FINISHED: [],
  CANCELED: [],
  FAILED: [],
  SUSPENDED: [],
};

/** True if nothing follows this status. */
export function isJobOver(status: JobStatus): boolean {
  return JOB_TRANSITIONS[status].length === 0;
}

/** Asserts that the change is legal. */
export function assertJobTransition(from: JobStatus, to: JobStatus): void {
  assert(JOB_TRANSITIONS[from].includes(to), `a job may go from ${from} to ${to}`);
}
