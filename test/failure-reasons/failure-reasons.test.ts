import { describe, expect, test } from "vitest";

import {
  type BarrierHandler,
  type CheckpointFailureReason,
  createBarrierHandler,
  FAILURE_REASONS,
} from "../../src/checkpoint/index.ts";
import { startTroubled, type TroubledJob, type TroubledOptions } from "./troubled-job.ts";

/**
 * Every reason for which a checkpoint can fail, provoked in a running job that bears no counted failure: what is said of it, whether
 * it counts, and what becomes of the job. A reason without a row does not compile.
 */

interface Provoked {
  /** What the job's log, a record, a refusal or the asker says of it. */
  readonly said: readonly string[];
  readonly status: string;
}

interface Provocation {
  readonly how: string;
  /** True if the one failure fails a job that bears none. */
  readonly failsJob: boolean;
  /** Words that are said beside the message of the reason. */
  readonly says?: string;
  readonly options?: TroubledOptions;
  /** The text that is said, if it is not the message of the reason: where the checkpoint was over already. */
  readonly instead?: string;
  readonly provoke: (troubled: TroubledJob) => Promise<void>;
}

type Row = Provocation | { readonly impossible: string };

const running = async (troubled: TroubledJob): Promise<void> => {
  await troubled.until(() => troubled.job.master.execution.isRunning);
};

/** One checkpoint, which must have been completed. */
const oneCheckpoint = async (troubled: TroubledJob): Promise<void> => {
  await running(troubled);
  expect((await troubled.drive(troubled.trigger())).kind).toBe("completed");
};

const asked = (
  troubled: TroubledJob,
  result: Awaited<ReturnType<TroubledJob["trigger"]>>,
): void => {
  if (result.kind === "completed") return;
  troubled.log.push(`ANSWER ${FAILURE_REASONS[result.failure.reason].message}`);
};

const inDirectory = (id: number) => (directory: string) => directory.endsWith(`chk-${id}`);

const TABLE: { readonly [R in CheckpointFailureReason]: Row } = {
  PERIODIC_SCHEDULER_SHUTDOWN: {
    impossible:
      "the queue is emptied in the turn in which the scheduler stops, and the timer with it",
  },
  TOO_MANY_CHECKPOINT_REQUESTS: {
    how: "a thousand and two checkpoints are asked for while one does not end",
    failsJob: false,
    async provoke(troubled) {
      await running(troubled);
      troubled.storage.waitsIn = () => true;
      const results = Array.from({ length: 1_002 }, () => troubled.trigger());
      asked(troubled, await troubled.drive(Promise.race(results)));
    },
  },
  MINIMUM_TIME_BETWEEN_CHECKPOINTS: {
    how: "the interval is shorter than the pause: silently, the next one waits",
    failsJob: false,
    options: {
      settings: {
        "execution.checkpointing.interval": "10 ms",
        "execution.checkpointing.min-pause": "100 ms",
      },
    },
    instead: "DEBUG two periodic checkpoints, with the pause between them",
    async provoke(troubled) {
      await troubled.until(() => troubled.records.length >= 2);
      const [first, second] = troubled.records;
      expect((second?.triggeredAtMs ?? 0) - (first?.endedAtMs ?? 0)).toBeGreaterThanOrEqual(100);
      expect(troubled.refused).toEqual([]);
      troubled.log.push("DEBUG two periodic checkpoints, with the pause between them");
    },
  },
  NOT_ALL_REQUIRED_TASKS_RUNNING: {
    how: "a checkpoint is asked for before the tasks run",
    failsJob: false,
    says: "INFO",
    async provoke(troubled) {
      asked(troubled, await troubled.drive(troubled.trigger()));
    },
  },
  IO_EXCEPTION: {
    how: "the storage gives no directory",
    failsJob: true,
    says: "read-only file system",
    async provoke(troubled) {
      await running(troubled);
      troubled.storage.initializeFails = true;
      await troubled.drive(troubled.trigger());
    },
  },
  BLOCKING_OUTPUT_EXIST: { impossible: "there are no batch edges: every edge is pipelined" },
  CHECKPOINT_ASYNC_EXCEPTION: {
    how: "a state file cannot be written",
    failsJob: true,
    says: "disk is full",
    async provoke(troubled) {
      await running(troubled);
      troubled.storage.writeFails = true;
      await troubled.drive(troubled.trigger());
    },
  },
  CHANNEL_STATE_SHARED_STREAM_EXCEPTION: {
    impossible: "each subtask writes its channel state into a stream of its own",
  },
  CHECKPOINT_EXPIRED: {
    how: "writing state takes longer than the time limit",
    failsJob: true,
    options: { settings: { "execution.checkpointing.timeout": "50 ms" } },
    async provoke(troubled) {
      await running(troubled);
      troubled.storage.waitsIn = () => true;
      await troubled.drive(troubled.trigger());
    },
  },
  CHECKPOINT_SUBSUMED: {
    how: "the second of two concurrent checkpoints completes first",
    failsJob: false,
    options: { settings: { "execution.checkpointing.max-concurrent-checkpoints": "2" } },
    async provoke(troubled) {
      await running(troubled);
      troubled.storage.waitsIn = inDirectory(1);
      const first = troubled.trigger();
      expect((await troubled.drive(troubled.trigger())).kind).toBe("completed");
      await troubled.drive(first);
    },
  },
  CHECKPOINT_DECLINED: {
    how: "an operator throws in the synchronous part, which fails its task, too",
    failsJob: true,
    says: "cannot prepare",
    async provoke(troubled) {
      await running(troubled);
      troubled.trouble.sinkThrows = true;
      await troubled.drive(troubled.trigger());
    },
  },
  CHECKPOINT_DECLINED_TASK_NOT_READY: {
    how: "the trigger reaches a slot whose task has just failed",
    // By the task's own failure, not by the checkpoint's.
    failsJob: true,
    says: "Source: left",
    async provoke(troubled) {
      await running(troubled);
      const { slot } = troubled;
      const task = slot.tasks.find(({ name }) => name.includes("left"));
      const failed = task?.body?.links[0]?.operator;
      if (failed === undefined) throw new Error("The source has an operator");
      const isTriggered = new Promise<void>((resolve) => {
        const send = slot.send.bind(slot);
        slot.send = (message) => {
          if (message.kind === "trigger-checkpoint") resolve();
          send(message);
        };
      });
      failed.close = () => isTriggered;
      task?.fail(new Error("gone"));
      await troubled.drive(troubled.trigger());
    },
  },
  CHECKPOINT_DECLINED_TASK_CLOSING: {
    how: "a source has reached its end and closes while a checkpoint begins",
    failsJob: false,
    options: { count: 10 },
    async provoke(troubled) {
      await running(troubled);
      const task = troubled.slot.tasks.find(({ name }) => name.includes("left"));
      const source = task?.body?.links[0]?.operator;
      if (source === undefined) throw new Error("The source has an operator");
      source.close = () => troubled.after(50);
      await troubled.until(() => task?.phase === "AWAITING");
      expect((await troubled.drive(troubled.trigger())).kind).toBe("completed");
      await troubled.until(() => task?.phase === "CLOSING");
      await troubled.drive(troubled.trigger());
      const { execution } = troubled.job.master;
      await troubled.until(() => task !== undefined && execution.statusOf(task.ref) === "FINISHED");
    },
  },
  CHECKPOINT_DECLINED_SUBSUMED: {
    how: "a barrier comes while its task still waits for others of a checkpoint that has expired",
    failsJob: false,
    options: {
      settings: {
        "execution.checkpointing.unaligned.enabled": "true",
        "execution.checkpointing.timeout": "50 ms",
        "execution.checkpointing.tolerable-failed-checkpoints": "10",
      },
    },
    instead:
      "Received checkpoint barrier for checkpoint 2 before completing current checkpoint 1. Skipping current checkpoint.",
    async provoke(troubled) {
      await running(troubled);
      troubled.trouble.heldBack = "right";
      await troubled.drive(troubled.trigger());
      const second = troubled.trigger();
      await troubled.until(() => troubled.log.some((line) => line.includes("Skipping")));
      troubled.trouble.heldBack = undefined;
      await troubled.drive(second);
    },
  },
  CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER: {
    how: "a source hears that a checkpoint is aborted before it can take part, and says so downstream",
    failsJob: false,
    options: {
      settings: {
        "execution.checkpointing.timeout": "50 ms",
        "execution.checkpointing.tolerable-failed-checkpoints": "10",
      },
    },
    async provoke(troubled) {
      await running(troubled);
      troubled.trouble.heldBack = "right";
      await troubled.drive(troubled.trigger());
      troubled.trouble.heldBack = undefined;
      await troubled.until(() =>
        troubled.log.some(
          (line) =>
            line.includes("received cancellation") ||
            line.includes(FAILURE_REASONS.CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER.message),
        ),
      );
    },
  },
  CHECKPOINT_DECLINED_INPUT_END_OF_STREAM: {
    how: "an input ends in the middle of an alignment while checkpoints after finished tasks are off",
    failsJob: false,
    says: "Received EndOfPartition(-1) before completing current checkpoint 1. Skipping current checkpoint.",
    options: {
      settings: { "execution.checkpointing.checkpoints-after-tasks-finish": "false" },
      surroundings: { createBarrierHandler: endingOtherInput },
    },
    async provoke(troubled) {
      await running(troubled);
      await troubled.drive(troubled.trigger());
    },
  },
  CHECKPOINT_COORDINATOR_SHUTDOWN: {
    how: "a checkpoint is asked for when the job has ended",
    failsJob: false,
    async provoke(troubled) {
      await running(troubled);
      troubled.job.cancel();
      await troubled.drive(troubled.job.result);
      asked(troubled, await troubled.drive(troubled.trigger()));
    },
  },
  CHECKPOINT_COORDINATOR_SUSPEND: {
    how: "the job is cancelled while a checkpoint is pending",
    failsJob: false,
    async provoke(troubled) {
      await running(troubled);
      troubled.storage.waitsIn = () => true;
      const pending = troubled.trigger();
      troubled.job.cancel();
      await troubled.drive(pending);
    },
  },
  JOB_FAILOVER_REGION: {
    impossible:
      "before a region starts again the coordinator is suspended, so that nothing is pending when it does",
  },
  TASK_FAILURE: {
    how: "a task fails that has not yet acknowledged",
    failsJob: true,
    says: "sink",
    async provoke(troubled) {
      await running(troubled);
      troubled.storage.waitsIn = () => true;
      const pending = troubled.trigger();
      troubled.slot.tasks.find(({ name }) => name.includes("sink"))?.fail(new Error("broken"));
      await troubled.drive(pending);
    },
  },
  TASK_CHECKPOINT_FAILURE: {
    impossible:
      "a slot that does not know a task declines for it, as a task that is not ready does",
  },
  UNKNOWN_TASK_CHECKPOINT_NOTIFICATION_FAILURE: {
    impossible: "a notification for a task that has ended is of no use and is dropped",
  },
  FINALIZE_CHECKPOINT_FAILURE: {
    how: "_metadata cannot be written",
    failsJob: true,
    says: "no _metadata",
    async provoke(troubled) {
      await running(troubled);
      troubled.storage.finalizeFails = true;
      await troubled.drive(troubled.trigger());
    },
  },
  TRIGGER_CHECKPOINT_FAILURE: {
    how: "an enumerator cannot give its state",
    failsJob: false,
    says: "no splits to be found",
    async provoke(troubled) {
      await running(troubled);
      troubled.trouble.enumeratorThrows = true;
      await troubled.drive(troubled.trigger());
      troubled.trouble.enumeratorThrows = false;
    },
  },
};

/** A handler for which, at the first barrier, the other of two inputs ends. */
function endingOtherInput(
  ...[channelCount, options]: Parameters<typeof createBarrierHandler>
): BarrierHandler {
  const handler = createBarrierHandler(channelCount, options);
  let ended: number | undefined;
  return {
    onBarrier(channel, barrier, nowMs) {
      if (channel === ended) return [];
      const actions = handler.onBarrier(channel, barrier, nowMs);
      if (ended !== undefined) return actions;
      ended = 1 - channel;
      return [...actions, ...handler.onEndOfPartition(ended, nowMs)];
    },
    onTrigger: (...trigger) => handler.onTrigger(...trigger),
    onCancellation: (...marker) => handler.onCancellation(...marker),
    onEndOfPartition: (channel, nowMs) =>
      channel === ended ? [] : handler.onEndOfPartition(channel, nowMs),
    onAnnouncement: (...announcement) => handler.onAnnouncement(...announcement),
    tick: (nowMs) => handler.tick(nowMs),
    get nextTickAtMs() {
      return handler.nextTickAtMs;
    },
    isBlocked: (channel) => handler.isBlocked(channel),
    blockedChannels: () => handler.blockedChannels(),
    get isCheckpointPending() {
      return handler.isCheckpointPending;
    },
  };
}

async function provoke(row: Provocation): Promise<Provoked> {
  const troubled = await startTroubled(row.options);
  troubled.job.result.catch(() => undefined);
  await row.provoke(troubled);
  if (row.failsJob) await troubled.drive(troubled.job.result.catch(() => undefined));
  const { records, refused, log, job } = troubled;
  const { status } = job;
  if (status === "RUNNING") {
    troubled.storage.waitsIn = undefined;
    // It is alive: it takes a checkpoint again, unless one is under way that never ends.
    if (job.master.coordinator.pendingIds.length === 0) await oneCheckpoint(troubled);
    job.cancel();
    await troubled.drive(job.result);
  }
  const failures = records.map(({ failure }) => failure);
  return {
    said: [
      ...failures.flatMap((failure) =>
        failure === null ? [] : [failure.message, ...failure.causes],
      ),
      ...refused.map(({ reason }) => FAILURE_REASONS[reason].message),
      ...log,
    ],
    status,
  };
}

const rows = Object.entries(TABLE) as [CheckpointFailureReason, Row][];
const provoked = rows.flatMap(([reason, row]) => ("impossible" in row ? [] : [{ reason, row }]));
const impossible = rows.flatMap(([reason, row]) =>
  "impossible" in row ? [{ reason, why: row.impossible }] : [],
);

describe("a checkpoint fails", () => {
  test.each(provoked.map(({ reason, row }) => ({ reason, how: row.how, row })))(
    "with $reason when $how",
    async ({ reason, row }) => {
      const { said, status } = await provoke(row);
      const text = said.join("\n");
      expect(text).toContain(row.instead ?? FAILURE_REASONS[reason].message);
      if (row.says !== undefined) expect(text).toContain(row.says);
      if (row.failsJob) {
        expect(status).toBe("FAILED");
      } else {
        expect(["RUNNING", "CANCELLING", "CANCELED"]).toContain(status);
        expect(text).not.toContain("Exceeded checkpoint tolerable failure threshold");
      }
      const isOwnFailure =
        row.failsJob && FAILURE_REASONS[reason].counted && reason !== "CHECKPOINT_DECLINED";
      if (isOwnFailure) {
        expect(text).toContain(
          `Exceeded checkpoint tolerable failure threshold. The latest checkpoint failed due to ${FAILURE_REASONS[reason].message}`,
        );
      }
    },
  );
});

test.each(impossible)("$reason does not occur here: $why", ({ reason }) => {
  expect(FAILURE_REASONS[reason].counted).toBe(false);
});

test("a job with one checkpoint goes on", async () => {
  const troubled = await startTroubled();
  await oneCheckpoint(troubled);
  troubled.job.cancel();
  expect(await troubled.drive(troubled.job.result)).toMatchObject({ status: "CANCELED" });
});
