import { expect, test } from "vitest";

import { drive } from "../../testing/simulation/drive.ts";
import { quietMachine } from "../../testing/simulation/quiet-machine.ts";
import type { PipelinedRegion } from "./pipelined-regions.ts";
import { RegionRestarts } from "./region-restarts.ts";

const REGION: PipelinedRegion = {
  index: 0,
  tasks: [{ vertexId: "map", subtaskIndex: 0, taskNumber: 0 }],
};
const BACKOFF_MS = 5;

/** A region that has been begun, whose task lives and whose checkpoints are being written until it is said otherwise. */
function begun() {
  const { platform } = quietMachine();
  let isLiving = true;
  let settled = (): void => undefined;
  const settling = new Promise<void>((resolve) => {
    settled = resolve;
  });
  let restartCount = 0;
  const restarts = new RegionRestarts({
    platform,
    execution: { isLiving: () => isLiving },
    deployer: { cancel: () => undefined, settle: () => settling },
    restart: () => restartCount++,
  });
  restarts.begin([REGION], BACKOFF_MS);
  const wait = (): Promise<void> =>
    drive(platform, new Promise((resolve) => void platform.after(10 * BACKOFF_MS, resolve)));
  return {
    restarts,
    settled: () => settled(),
    taskEnds: () => {
      isLiving = false;
      restarts.taskEnded();
    },
    wait,
    restartCount: () => restartCount,
  };
}

test("a region starts again only when its tasks have ended", async () => {
  const { settled, taskEnds, wait, restartCount, restarts } = begun();
  settled();
  await wait();
  expect(restartCount()).toBe(0);
  taskEnds();
  await wait();
  expect([restartCount(), restarts.isPending]).toEqual([1, false]);
});

test("and only when no checkpoint is being written any more", async () => {
  const { settled, taskEnds, wait, restartCount } = begun();
  taskEnds();
  await wait();
  expect(restartCount()).toBe(0);
  settled();
  await wait();
  expect(restartCount()).toBe(1);
});

test("a restart that is cancelled while tasks end never comes", async () => {
  const { settled, taskEnds, wait, restartCount, restarts } = begun();
  restarts.cancel();
  settled();
  taskEnds();
  await wait();
  expect([restartCount(), restarts.covers(REGION)]).toEqual([0, false]);
});
