import { expect, test } from "vitest";

import { nodePlatform, type Platform } from "../../base/index.ts";
import type { CheckpointRecord } from "../../checkpoint/index.ts";
import type { CliContext } from "../cli-context.ts";
import { type RunProgress, RunStatus } from "./run-status.ts";

/** Time that passes when the test says so. */
class ManualTime {
  nowMs = 0;
  #timers: { readonly atMs: number; readonly callback: () => void }[] = [];

  get platform(): Platform {
    return {
      ...nodePlatform(),
      monotonicMs: () => this.nowMs,
      after: (delayMs, callback) => {
        const timer = { atMs: this.nowMs + delayMs, callback };
        this.#timers.push(timer);
        return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
      },
    };
  }

  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.nowMs = next.atMs;
      next.callback();
    }
    this.nowMs = untilMs;
  }
}

interface Terminal {
  readonly context: CliContext;
  /** Both streams, in order. */
  text: string;
}

function terminal(isTTY: boolean): Terminal {
  const result: Terminal = {
    text: "",
    context: {
      process: {
        env: {},
        stdout: { isTTY, write: (text) => void (result.text += text) },
        stderr: { isTTY, columns: 80, write: (text) => void (result.text += text) },
      },
    },
  };
  return result;
}

const completed = { status: "COMPLETED", checkpointId: 3 } as CheckpointRecord;
const expired = { status: "FAILED", failure: { reason: "CHECKPOINT_EXPIRED" } } as CheckpointRecord;

test("where nobody sees a line change, a plain line comes each ten seconds", () => {
  const time = new ManualTime();
  const screen = terminal(false);
  const status = new RunStatus(screen.context, time.platform);
  let progress: RunProgress = { status: "RUNNING", recordsRead: 0, watermark: undefined };
  status.start("flights", () => progress);
  time.advance(9_999);
  expect(screen.text).toBe("");
  progress = { status: "RUNNING", recordsRead: 123_450, watermark: Date.UTC(2001, 0, 3) };
  status.observer.onEnded?.(completed);
  time.advance(10_001);
  status.stop();
  time.advance(60_000);
  expect(screen.text).toBe(
    "flights: RUNNING, 12,345 records/s, checkpoint 3 (0 s ago), watermark 2001-01-03T00:00:00Z\n" +
      "flights: RUNNING, 0 records/s, checkpoint 3 (10 s ago), watermark 2001-01-03T00:00:00Z\n",
  );
});

test("on a terminal one line changes in place, and what is written goes above it", () => {
  const time = new ManualTime();
  const screen = terminal(true);
  const { write } = screen.context.process.stdout;
  const status = new RunStatus(screen.context, time.platform);
  status.start("flights", () => ({ status: "RUNNING", recordsRead: 0, watermark: undefined }));
  const line = "\r\u001B[2Kflights: RUNNING, 0 records/s, no checkpoint yet";
  time.advance(500);
  expect(screen.text).toBe(line + line);
  screen.text = "";
  screen.context.process.stdout.write("a record\n");
  status.write("a warning\n");
  expect(screen.text).toBe("\r\u001B[2Ka record\na warning\n");
  status.stop();
  expect(screen.context.process.stdout.write).toBe(write);
});

test("failed checkpoints are counted, and a restart does not make the rate negative", () => {
  const time = new ManualTime();
  const screen = terminal(false);
  const status = new RunStatus(screen.context, time.platform);
  let recordsRead = 1_000;
  status.start("flights", () => ({ status: "RESTARTING", recordsRead, watermark: undefined }));
  recordsRead = 10;
  status.observer.onEnded?.(expired);
  time.advance(10_000);
  expect(screen.text).toBe("flights: RESTARTING, 0 records/s, no checkpoint yet, 1 failed\n");
  expect([status.completedCount, status.failedCount]).toEqual([0, 1]);
  status.stop();
});
