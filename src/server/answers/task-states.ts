import type { JobStatus, TaskStatus, TaskTimeline } from "../../runtime/index.ts";

/** Flink's states of a task. A task here is never SCHEDULED, DEPLOYING or RECONCILING, or only for an instant. */
export const EXECUTION_STATES = [
  "CREATED",
  "SCHEDULED",
  "DEPLOYING",
  "INITIALIZING",
  "RUNNING",
  "FINISHED",
  "CANCELING",
  "CANCELED",
  "FAILED",
  "RECONCILING",
] as const;

export type ExecutionState = (typeof EXECUTION_STATES)[number];

/** Flink's states of a job. */
export const JOB_STATES = [
  "INITIALIZING",
  "CREATED",
  "RUNNING",
  "FAILING",
  "FAILED",
  "CANCELLING",
  "CANCELED",
  "FINISHED",
  "RESTARTING",
  "SUSPENDED",
  "RECONCILING",
] as const;

/** How many there are of each state, under its name. */
export function countStates(
  statuses: readonly TaskStatus[],
): Readonly<Record<ExecutionState, number>> {
  const entries = EXECUTION_STATES.map((state) => [
    state,
    statuses.filter((status) => status === state).length,
  ]);
  return Object.fromEntries(entries) as Record<ExecutionState, number>;
}

/**
 * The state of a vertex, made of those of its subtasks.
 *
 * Source: Flink `ExecutionJobVertex.getAggregateJobVertexState`.
 */
export function aggregateState(statuses: readonly TaskStatus[]): TaskStatus {
  if (statuses.length === 0) return "CREATED";
  for (const state of ["FAILED", "CANCELING", "CANCELED"] as const) {
    if (statuses.includes(state)) return state;
  }
  if (statuses.includes("INITIALIZING")) return "INITIALIZING";
  if (statuses.includes("RUNNING")) return "RUNNING";
  if (statuses.every((status) => status === "FINISHED")) return "FINISHED";
  return statuses.includes("FINISHED") ? "RUNNING" : "CREATED";
}

/** When a task began to be set up, and when it ended; -1 if it has not. */
export function taskTimes(
  { enteredAtMs, status }: TaskTimeline,
  nowMs: number,
): { readonly startMs: number; readonly endMs: number; readonly durationMs: number } {
  const startMs = enteredAtMs.get("INITIALIZING") ?? -1;
  const isOver = status === "FINISHED" || status === "CANCELED" || status === "FAILED";
  const endMs = isOver ? (enteredAtMs.get(status) ?? -1) : -1;
  const durationMs = startMs === -1 ? -1 : (endMs === -1 ? nowMs : endMs) - startMs;
  return { startMs, endMs, durationMs };
}

/** When the job entered each state; 0 for those that it has not. */
export function jobTimestamps(
  enteredAtMs: ReadonlyMap<JobStatus, number>,
  startedAtMs: number,
): Readonly<Record<string, number>> {
  const entries = JOB_STATES.map((state) => [
    state,
    state === "INITIALIZING" ? startedAtMs : (enteredAtMs.get(state as JobStatus) ?? 0),
  ]);
  return Object.fromEntries(entries) as Record<string, number>;
}
