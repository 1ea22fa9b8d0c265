import { expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
import { TaskTimes } from "./task-times.ts";

test("time is added to what the task did meanwhile, and the clock is read only at changes", () => {
  let nowMs = 0;
  let readings = 0;
  const times = new TaskTimes({
    ...nodePlatform(),
    monotonicMs: () => {
      readings++;
      return nowMs;
    },
  });
  nowMs = 10;
  times.enter("busy");
  nowMs = 25;
  times.enter("busy");
  nowMs = 30;
  times.enter("backPressured");
  nowMs = 37;
  expect(readings).toBe(3);
  expect(times.snapshot()).toEqual({ idleMs: 10, busyMs: 20, backPressuredMs: 7 });
});
