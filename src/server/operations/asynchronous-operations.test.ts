import { expect, test } from "vitest";

import { nodePlatform, type Platform } from "../../base/index.ts";
import { AsynchronousOperations } from "./asynchronous-operations.ts";

/** Time that stands still until it is told to pass. */
function clock(): { readonly platform: Platform; readonly pass: (ms: number) => void } {
  let nowMs = 1_000;
  let timers: { readonly atMs: number; readonly callback: () => void }[] = [];
  return {
    platform: {
      ...nodePlatform(),
      nowMs: () => nowMs,
      after(delayMs, callback) {
        const timer = { atMs: nowMs + delayMs, callback };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    pass(ms) {
      nowMs += ms;
      const due = timers.filter(({ atMs }) => atMs <= nowMs);
      timers = timers.filter(({ atMs }) => atMs > nowMs);
      for (const { callback } of due) callback();
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a server that ends waits until the client has heard how its operation ended", async () => {
  const { platform, pass } = clock();
  const operations = new AsynchronousOperations(platform);
  const id = operations.begin("savepoint", "job", undefined, async () => ({ location: "here" }));
  await turn();
  let isSettled = false;
  void operations.settle(3_000).then(() => (isSettled = true));
  pass(1_000);
  await turn();
  expect(isSettled).toBe(false);
  expect(operations.find("savepoint", "job", id)?.operation).toEqual({ location: "here" });
  pass(200);
  await turn();
  expect(isSettled).toBe(true);
});

test("it does not wait for ever, nor for a client that is gone", async () => {
  const { platform, pass } = clock();
  const operations = new AsynchronousOperations(platform);
  operations.begin("savepoint", "job", undefined, async () => ({}));
  await turn();
  let isSettled = false;
  void operations.settle(3_000).then(() => (isSettled = true));
  pass(3_000);
  await turn();
  expect(isSettled).toBe(true);
  pass(20_000);
  await operations.settle(3_000);
});
