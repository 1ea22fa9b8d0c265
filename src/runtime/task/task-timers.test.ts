import { describe, expect, test } from "vitest";

import { quietMachine } from "../../testing/simulation/quiet-machine.ts";
import { TaskTimers } from "./task-timers.ts";

/** Timers of a task whose every wake-up is a turn. */
function timers() {
  const { platform } = quietMachine();
  const fired: string[] = [];
  const service: TaskTimers = new TaskTimers(platform, () => service.fireDue(() => true));
  const startMs = platform.nowMs();
  return {
    platform,
    service,
    fired,
    at: (offsetMs: number, name: string) =>
      service.registerTimer(startMs + offsetMs, (atMs) =>
        fired.push(`${name}@${atMs - startMs} in ${platform.nowMs() - startMs}`),
      ),
    runOut: () => {
      while (platform.step());
    },
  };
}

describe("processing-time timers of a task", () => {
  test("fire once their millisecond is over, in time order, equal ones as they were registered", () => {
    const { at, fired, runOut } = timers();
    at(20, "late");
    at(10, "a");
    at(10, "b");
    runOut();
    expect(fired).toEqual(["a@10 in 11", "b@10 in 11", "late@20 in 21"]);
  });

  test("fire soon if their time has passed", () => {
    const { at, fired, runOut } = timers();
    at(-1000, "overdue");
    runOut();
    expect(fired).toEqual(["overdue@-1000 in 0"]);
  });

  test("do not fire when they were cancelled", () => {
    const { at, fired, runOut } = timers();
    at(10, "kept");
    at(5, "cancelled")();
    runOut();
    expect(fired).toEqual(["kept@10 in 11"]);
  });

  test("wait while the task may not go on, and are not lost", () => {
    const { platform } = quietMachine();
    const fired: number[] = [];
    let mayGoOn = false;
    const service: TaskTimers = new TaskTimers(platform, () => service.fireDue(() => mayGoOn));
    service.registerTimer(platform.nowMs() + 1, (atMs) => fired.push(atMs));
    for (let step = 0; step < 5; step++) platform.step();
    expect(fired).toEqual([]);
    expect(service.isDue).toBe(true);
    mayGoOn = true;
    service.fireDue(() => true);
    expect(fired).toHaveLength(1);
  });

  test("are neither fired nor taken after the end of the data", () => {
    const { at, service, fired, runOut } = timers();
    at(10, "before");
    service.quiesce();
    at(10, "after");
    runOut();
    expect(fired).toEqual([]);
  });
});
