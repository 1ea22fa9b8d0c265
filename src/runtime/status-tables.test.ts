import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  assertJobTransition,
  isJobOver,
  JOB_TRANSITIONS,
  type JobStatus,
} from "./job/job-status.ts";
import {
  assertPhaseTransition,
  TASK_PHASE_TRANSITIONS,
  type TaskPhase,
} from "./task/task-phase.ts";
import {
  assertTransition,
  isTerminal,
  TASK_TRANSITIONS,
  type TaskStatus,
} from "./task/task-status.ts";

const tables = [
  { name: "job", table: JOB_TRANSITIONS, first: "CREATED" },
  { name: "task", table: TASK_TRANSITIONS, first: "CREATED" },
  { name: "phase", table: TASK_PHASE_TRANSITIONS, first: "PROCESSING" },
] as const;

describe.each(tables)("the table of $name", ({ table, first }) => {
  const legal: Readonly<Record<string, readonly string[]>> = table;

  test("can be left by no history: whatever is chosen, an end is reached", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (choices) => {
        let status: string = first;
        for (let step = 0; step < 50; step++) {
          const next = legal[status] ?? [];
          if (next.length === 0) return;
          status = next[(choices.next().value ?? 0) % next.length] ?? "";
          expect(Object.keys(legal)).toContain(status);
        }
      }),
    );
  });

  test("every status can be reached", () => {
    const reached = new Set<string>([first]);
    for (let grown = 0; grown !== reached.size;) {
      grown = reached.size;
      for (const status of reached) for (const next of legal[status] ?? []) reached.add(next);
    }
    expect([...reached].toSorted()).toEqual(Object.keys(legal).toSorted());
  });
});

test("what is not in a table is a bug", () => {
  expect(() => assertTransition("FINISHED", "RUNNING")).toThrow(
    "a task may go from FINISHED to RUNNING",
  );
  expect(() => assertJobTransition("FAILED", "RUNNING")).toThrow(
    "a job may go from FAILED to RUNNING",
  );
  expect(() => assertPhaseTransition("CLOSING", "AWAITING")).toThrow("from CLOSING to AWAITING");
});

test("the ends are those from which nothing follows", () => {
  const tasks = (Object.keys(TASK_TRANSITIONS) as TaskStatus[]).filter(isTerminal);
  expect(tasks.toSorted()).toEqual(["CANCELED", "FAILED", "FINISHED"]);
  const jobs = (Object.keys(JOB_TRANSITIONS) as JobStatus[]).filter(isJobOver);
  expect(jobs.toSorted()).toEqual(["CANCELED", "FAILED", "FINISHED", "SUSPENDED"]);
  const phases = Object.keys(TASK_PHASE_TRANSITIONS) as TaskPhase[];
  expect(phases.filter((phase) => TASK_PHASE_TRANSITIONS[phase].length === 0)).toEqual(["CLOSING"]);
});
