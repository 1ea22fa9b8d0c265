import { describe, expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
import { JobRecord } from "./job-record.ts";

const task = { vertexId: "a".repeat(32), subtaskIndex: 1, attempt: 0 };

function recordAt(): { record: JobRecord; at: (nowMs: number) => void } {
  let nowMs = 1_000;
  const record = new JobRecord({ ...nodePlatform(), nowMs: () => nowMs });
  return { record, at: (next) => void (nowMs = next) };
}

describe("the record of a job", () => {
  test("knows when each status was entered, and when the job ended", () => {
    const { record, at } = recordAt();
    at(2_000);
    record.entered("RUNNING");
    expect(record.endedAtMs).toBeUndefined();
    at(3_000);
    record.entered("FINISHED");
    expect([...record.enteredAtMs]).toEqual([
      ["CREATED", 1_000],
      ["RUNNING", 2_000],
      ["FINISHED", 3_000],
    ]);
    expect(record.endedAtMs).toBe(3_000);
  });

  test("follows the tasks of the present attempt and no other", () => {
    const { record, at } = recordAt();
    record.attemptBegun([{ ...task, attempt: 1 }]);
    record.taskEntered(task, "FAILED");
    at(5_000);
    record.taskEntered({ ...task, attempt: 1 }, "RUNNING");
    const [timeline] = record.timelines;
    expect(timeline?.status).toBe("RUNNING");
    expect(timeline?.enteredAtMs.get("RUNNING")).toBe(5_000);
    expect(timeline?.enteredAtMs.has("FAILED")).toBe(false);
  });

  test("keeps the latest failures", () => {
    const { record } = recordAt();
    for (let number = 0; number < 40; number++) {
      record.failed({
        error: new Error(String(number)),
        task: undefined,
        taskName: undefined,
        restartedTasks: undefined,
      });
    }
    expect(record.failures.length).toBe(16);
    expect(record.failures.at(-1)?.error).toEqual(new Error("39"));
  });

  test("calls back after a change until that is ended", () => {
    const { record } = recordAt();
    let calls = 0;
    const stop = record.listen(() => calls++);
    record.entered("RUNNING");
    stop();
    record.entered("FINISHED");
    expect(calls).toBe(1);
  });
});
