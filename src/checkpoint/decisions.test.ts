import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Configuration, isStreamError, resolveOptions } from "../base/index.ts";
import { calculateCheckpointPlan, type PlanTaskStatus } from "./checkpoint-plan.ts";
import { subsume } from "./completed-checkpoint-store.ts";
import {
  countSuccess,
  decideOnFailure,
  NO_FAILURES,
  UNLIMITED_TOLERABLE_FAILURES,
} from "./failure-manager.ts";
import { type CheckpointFailureReason, FAILURE_REASONS, failureText } from "./failure-reason.ts";
import { propertiesOfCheckpoint, propertiesOfSavepoint } from "./metadata/checkpoint-properties.ts";
import {
  CHECKPOINTING_OPTIONS,
  checkpointingProblem,
  RECOVERY_OPTIONS,
  RESTART_STRATEGY_OPTIONS,
  restartStrategyOf,
} from "./options.ts";
import { decideQueued, decideRequest, type TriggerRequest } from "./request-decider.ts";
import {
  decideRestart,
  NO_RESTARTS,
  noteFailure,
  type RestartStrategy,
} from "./restart-strategy.ts";

describe("a failure reason", () => {
  test("counts only if it is one of Flink's five", () => {
    const counted = Object.entries(FAILURE_REASONS).filter(([, traits]) => traits.counted);
    expect(counted.map(([reason]) => reason)).toEqual([
      "IO_EXCEPTION",
      "CHECKPOINT_ASYNC_EXCEPTION",
      "CHECKPOINT_EXPIRED",
      "CHECKPOINT_DECLINED",
      "FINALIZE_CHECKPOINT_FAILURE",
    ]);
  });

  test("is pre-flight if the checkpoint has not begun", () => {
    const preFlight = Object.entries(FAILURE_REASONS).filter(([, traits]) => traits.preFlight);
    expect(preFlight.map(([reason]) => reason)).toEqual([
      "PERIODIC_SCHEDULER_SHUTDOWN",
      "TOO_MANY_CHECKPOINT_REQUESTS",
      "MINIMUM_TIME_BETWEEN_CHECKPOINTS",
      "NOT_ALL_REQUIRED_TASKS_RUNNING",
      "IO_EXCEPTION",
      "BLOCKING_OUTPUT_EXIST",
    ]);
  });

  test("has the text that Flink writes into logs and failure messages", () => {
    const texts = Object.entries(FAILURE_REASONS).map(([reason, { message }]) => [reason, message]);
    expect(Object.fromEntries(texts)).toEqual({
      PERIODIC_SCHEDULER_SHUTDOWN: "Periodic checkpoint scheduler is shut down.",
      TOO_MANY_CHECKPOINT_REQUESTS: "The maximum number of queued checkpoint requests exceeded",
      MINIMUM_TIME_BETWEEN_CHECKPOINTS:
        "The minimum time between checkpoints is still pending. Checkpoint will be triggered after the minimum time.",
      NOT_ALL_REQUIRED_TASKS_RUNNING: "Not all required tasks are currently running.",
      IO_EXCEPTION: "An Exception occurred while triggering the checkpoint. IO-problem detected.",
      BLOCKING_OUTPUT_EXIST: "Blocking output edge exists in running tasks.",
      CHECKPOINT_ASYNC_EXCEPTION: "Asynchronous task checkpoint failed.",
      CHANNEL_STATE_SHARED_STREAM_EXCEPTION:
        "The checkpoint was aborted due to exception of other subtasks sharing the ChannelState file.",
      CHECKPOINT_EXPIRED: "Checkpoint expired before completing.",
      CHECKPOINT_SUBSUMED: "Checkpoint has been subsumed.",
      CHECKPOINT_DECLINED: "Checkpoint was declined.",
      CHECKPOINT_DECLINED_TASK_NOT_READY: "Checkpoint was declined (tasks not ready)",
      CHECKPOINT_DECLINED_TASK_CLOSING: "Checkpoint was declined (task is closing)",
      CHECKPOINT_DECLINED_SUBSUMED:
        "Checkpoint was canceled because a barrier from newer checkpoint was received.",
      CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER:
        "Task received cancellation from one of its inputs",
      CHECKPOINT_DECLINED_INPUT_END_OF_STREAM:
        "Checkpoint was declined because one input stream is finished",
      CHECKPOINT_COORDINATOR_SHUTDOWN: "CheckpointCoordinator shutdown.",
      CHECKPOINT_COORDINATOR_SUSPEND: "Checkpoint Coordinator is suspending.",
      JOB_FAILOVER_REGION: "FailoverRegion is restarting.",
      TASK_FAILURE: "Task has failed.",
      TASK_CHECKPOINT_FAILURE: "Task local checkpoint failure.",
      UNKNOWN_TASK_CHECKPOINT_NOTIFICATION_FAILURE: "Unknown task for the checkpoint to notify.",
      FINALIZE_CHECKPOINT_FAILURE: "Failure to finalize checkpoint.",
      TRIGGER_CHECKPOINT_FAILURE: "Trigger checkpoint failure.",
    });
  });

  test("follows a detail as in Flink's exception", () => {
    const failure = {
      reason: "TASK_FAILURE",
      detail: "Task name with subtask : X (3/4)#0",
      causes: [],
    } as const;
    expect(failureText(failure)).toBe(
      "Task name with subtask : X (3/4)#0 Failure reason: Task has failed.",
    );
  });
});

describe("the failure counter", () => {
  const reasons = Object.keys(FAILURE_REASONS) as CheckpointFailureReason[];

  test("agrees with counting by hand", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 4 }),
        fc.array(
          fc.oneof(
            fc.record({ id: fc.integer({ min: 1, max: 8 }), reason: fc.constantFrom(...reasons) }),
            fc.record({ success: fc.integer({ min: 1, max: 8 }) }),
          ),
          { maxLength: 40 },
        ),
        (tolerable, events) => {
          let count = NO_FAILURES;
          let counted: number[] = [];
          let lastSuccess = 0;
          for (const event of events) {
            if ("success" in event) {
              count = countSuccess(count, event.success);
              if (event.success > lastSuccess) {
                lastSuccess = event.success;
                counted = [];
              }
              continue;
            }
            const failure = {
              checkpointId: event.id,
              reason: event.reason,
              kind: "CHECKPOINT",
              isFromTask: false,
            } as const;
            const result = decideOnFailure(count, failure, tolerable);
            ({ count } = result);
            const isNew = event.id > lastSuccess && !counted.includes(event.id);
            if (isNew && FAILURE_REASONS[event.reason].counted) counted.push(event.id);
            expect(result.decision.kind).toBe(counted.length > tolerable ? "fail-job" : "tolerate");
            if (counted.length > tolerable) counted = [];
          }
        },
      ),
    );
  });

  test("fails the task that declined, and the job for a stop-with-savepoint that a task declined", () => {
    const failure = { checkpointId: 3, reason: "CHECKPOINT_DECLINED", isFromTask: true } as const;
    expect(decideOnFailure(NO_FAILURES, { ...failure, kind: "CHECKPOINT" }, 0).decision.kind).toBe(
      "fail-task",
    );
    expect(decideOnFailure(NO_FAILURES, { ...failure, kind: "SAVEPOINT" }, 0).decision.kind).toBe(
      "fail-task",
    );
    const stopping = decideOnFailure(NO_FAILURES, { ...failure, kind: "STOP_WITH_SAVEPOINT" }, 100);
    expect(stopping.decision).toEqual({ kind: "fail-job", message: "Checkpoint was declined." });
  });

  test("never counts what the coordinator sees of a savepoint, nor anything if all is tolerated", () => {
    const failure = { checkpointId: 3, reason: "CHECKPOINT_EXPIRED", isFromTask: false } as const;
    expect(decideOnFailure(NO_FAILURES, { ...failure, kind: "SAVEPOINT" }, 0).decision.kind).toBe(
      "tolerate",
    );
    const unlimited = decideOnFailure(
      NO_FAILURES,
      { ...failure, kind: "CHECKPOINT" },
      UNLIMITED_TOLERABLE_FAILURES,
    );
    expect(unlimited).toEqual({ count: NO_FAILURES, decision: { kind: "tolerate" } });
  });
});

describe("requests", () => {
  const request: fc.Arbitrary<TriggerRequest> = fc.record({
    isSavepoint: fc.boolean(),
    isForced: fc.boolean(),
    isPeriodic: fc.boolean(),
    requestedAtMs: fc.nat({ max: 100 }),
  });
  const situation = fc.record({
    nowMs: fc.nat({ max: 1_000 }),
    isTriggering: fc.boolean(),
    pendingCount: fc.nat({ max: 3 }),
    cleaningCount: fc.nat({ max: 3 }),
    lastCompletedAtMs: fc.option(fc.nat({ max: 1_000 }), { nil: undefined }),
  });
  const limits = fc.record({
    maxConcurrent: fc.integer({ min: 1, max: 3 }),
    minPauseMs: fc.nat({ max: 500 }),
    maxQueued: fc.integer({ min: 1, max: 4 }),
  });

  test("none is lost: each is executed, queued or refused", () => {
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 12 }),
        situation,
        limits,
        (requests, now, limit) => {
          let queue: readonly TriggerRequest[] = [];
          const gone: TriggerRequest[] = [];
          for (const next of requests) {
            const decision = decideRequest(queue, next, now, limit);
            queue = decision.queue;
            gone.push(...decision.refused.map((refused) => refused.request));
            if (decision.outcome.kind === "execute") gone.push(decision.outcome.request);
            expect(queue.length).toBeLessThanOrEqual(limit.maxQueued);
          }
          expect(new Set([...gone, ...queue])).toEqual(new Set(requests));
          expect(gone.length + queue.length).toBe(requests.length);
        },
      ),
    );
  });

  test("a pause, once waited for, is over", () => {
    fc.assert(
      fc.property(situation, limits, (now, limit) => {
        const periodic = {
          isSavepoint: false,
          isForced: false,
          isPeriodic: true,
          requestedAtMs: 0,
        };
        const first = decideQueued([periodic], now, limit);
        fc.pre(first.outcome.kind === "reschedule");
        const { outcome } = first;
        const afterMs = outcome.kind === "reschedule" ? outcome.afterMs : 0;
        const second = decideQueued([periodic], { ...now, nowMs: now.nowMs + afterMs }, limit);
        expect(second.outcome.kind).toBe("execute");
      }),
    );
  });

  test("only a forced one runs beyond the limit of concurrency", () => {
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 5 }),
        situation,
        limits,
        (queue, now, limit) => {
          const { outcome } = decideQueued(queue, now, limit);
          fc.pre(outcome.kind === "execute");
          const isForced = outcome.kind === "execute" && outcome.request.isForced;
          expect(now.pendingCount < limit.maxConcurrent || isForced).toBe(true);
          expect(now.isTriggering).toBe(false);
        },
      ),
    );
  });
});

describe("the plan", () => {
  const statuses = fc.array(fc.constantFrom<PlanTaskStatus>("RUNNING", "FINISHED"), {
    minLength: 1,
    maxLength: 5,
  });

  test("triggers exactly the running tasks that nothing running feeds", () => {
    fc.assert(
      fc.property(statuses, statuses, fc.boolean(), (sources, targets, isPointwise) => {
        fc.pre([...sources, ...targets].includes("RUNNING"));
        const feeds = (target: number) =>
          isPointwise
            ? { first: target % sources.length, end: (target % sources.length) + 1 }
            : { first: 0, end: sources.length };
        const decision = calculateCheckpointPlan(
          [
            {
              vertexId: "s",
              name: "s",
              tasks: sources.map((status) => ({ status, attempt: 0 })),
              inputs: [],
            },
            {
              vertexId: "t",
              name: "t",
              tasks: targets.map((status) => ({ status, attempt: 0 })),
              inputs: [{ sourceVertexId: "s", producersOf: isPointwise ? feeds : undefined }],
            },
          ],
          { jobId: "j", checkpointsAfterTasksFinish: true },
        );
        if (decision.kind !== "plan") throw new Error("a job with a running task has a plan");
        const { tasksToTrigger, tasksToWaitFor, finishedTasks, fullyFinishedVertexIds } =
          decision.plan;
        const isTriggered = (vertexId: string, index: number) =>
          tasksToTrigger.some((task) => task.vertexId === vertexId && task.subtaskIndex === index);
        for (const [index, status] of targets.entries()) {
          const { first, end } = feeds(index);
          const isFed = sources.slice(first, end).includes("RUNNING");
          expect(isTriggered("t", index)).toBe(status === "RUNNING" && !isFed);
        }
        for (const [index, status] of sources.entries())
          expect(isTriggered("s", index)).toBe(status === "RUNNING");
        expect(tasksToWaitFor.length + finishedTasks.length).toBe(sources.length + targets.length);
        expect(fullyFinishedVertexIds.includes("s")).toBe(!sources.includes("RUNNING"));
      }),
    );
  });

  test.each([
    [
      "STARTING",
      true,
      "Checkpoint triggering task v (2/2) of job j is not being executed at the moment. Aborting checkpoint.",
    ],
    [
      "FINISHED",
      false,
      "Some tasks of the job have already finished and checkpointing with finished tasks is not enabled.",
    ],
  ] as const)(
    "is refused with a task that is %s",
    (status, checkpointsAfterTasksFinish, detail) => {
      const tasks = [{ status: "RUNNING", attempt: 0 } as const, { status, attempt: 0 }];
      const decision = calculateCheckpointPlan([{ vertexId: "v", name: "v", tasks, inputs: [] }], {
        jobId: "j",
        checkpointsAfterTasksFinish,
      });
      expect(decision).toEqual({
        kind: "refuse",
        reason: "NOT_ALL_REQUIRED_TASKS_RUNNING",
        detail,
      });
    },
  );
});

describe("subsumption", () => {
  const properties = fc.constantFrom(
    propertiesOfCheckpoint("CHECKPOINT", "NO_EXTERNALIZED_CHECKPOINTS"),
    propertiesOfSavepoint("CANONICAL", "NONE"),
  );

  test("keeps the newest, the newest checkpoint, and as few others as it may", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(properties, { minLength: 1, maxLength: 12 }),
        (max, kinds) => {
          let retained: readonly { checkpointId: number; properties: (typeof kinds)[number] }[] =
            [];
          for (const [index, kind] of kinds.entries()) {
            const before = [...retained, { checkpointId: index + 1, properties: kind }];
            const result = subsume(before, max);
            retained = result.retained;
            expect(
              [...retained, ...result.subsumed].toSorted((a, b) => a.checkpointId - b.checkpointId),
            ).toEqual(before);
            expect(retained.at(-1)?.checkpointId).toBe(index + 1);
            const isCheckpoint = (c: (typeof before)[number]) =>
              c.properties.type.kind === "checkpoint";
            expect(retained.findLast(isCheckpoint)).toEqual(before.findLast(isCheckpoint));
            expect(retained.length).toBeLessThanOrEqual(Math.max(max, 2));
          }
        },
      ),
    );
  });
});

describe("restarts", () => {
  const exponential: RestartStrategy = {
    type: "exponential-delay",
    initialBackoffMs: 100,
    maxBackoffMs: 1_000,
    backoffMultiplier: 2,
    resetBackoffThresholdMs: 5_000,
    jitterFactor: 0.5,
    attemptsBeforeReset: 2_147_483_647,
  };

  test("wait within the jitter around the back-off and never beyond the maximum", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
          minLength: 1,
          maxLength: 8,
        }),
        (chances) => {
          let history = NO_RESTARTS;
          let nowMs = 0;
          let plainMs = 100;
          for (const random of chances) {
            ({ history } = noteFailure(exponential, history, nowMs, random));
            const { kind, backoffMs } = decideRestart(exponential, history, nowMs);
            expect(kind).toBe("restart");
            expect(backoffMs).toBeGreaterThanOrEqual(plainMs * 0.5);
            expect(backoffMs).toBeLessThanOrEqual(Math.min(1_000, plainMs * 1.5));
            nowMs += backoffMs + 1;
            plainMs = Math.min(1_000, plainMs * 2);
          }
        },
      ),
    );
  });

  test("never happen without a strategy", () => {
    const { history } = noteFailure({ type: "none" }, NO_RESTARTS, 0, 0);
    expect(decideRestart({ type: "none" }, history, 0)).toEqual({ kind: "give-up", backoffMs: 0 });
  });

  test("may begin again once the failures of the interval have passed", () => {
    const strategy: RestartStrategy = {
      type: "failure-rate",
      maxFailuresPerInterval: 1,
      intervalMs: 100,
      delayMs: 5,
    };
    let { history } = noteFailure(strategy, NO_RESTARTS, 0, 0);
    ({ history } = noteFailure(strategy, history, 100, 0));
    expect(decideRestart(strategy, history, 100).kind).toBe("give-up");
    ({ history } = noteFailure(strategy, history, 201, 0));
    expect(decideRestart(strategy, history, 201)).toEqual({ kind: "restart", backoffMs: 5 });
  });
});

describe("options", () => {
  const from = (settings: Readonly<Record<string, string>>) =>
    new Configuration(
      Object.entries(settings).map(([key, value]) => ({ key, value, origin: "flag", place: "-D" })),
    );

  test("have Flink's initial values", () => {
    expect(resolveOptions(CHECKPOINTING_OPTIONS, from({})).values).toMatchObject({
      intervalMs: undefined,
      timeoutMs: 600_000,
      maxConcurrentCheckpoints: 1,
      tolerableFailedCheckpointCount: 0,
      retention: "NO_EXTERNALIZED_CHECKPOINTS",
      dataInlineThresholdBytes: 20_480,
      checkpointsAfterTasksFinish: true,
    });
    expect(resolveOptions(RECOVERY_OPTIONS, from({})).values.claimMode).toBe("NO_CLAIM");
  });

  test("are read under older keys, with the newer one named", () => {
    const resolved = resolveOptions(
      CHECKPOINTING_OPTIONS,
      from({ "state.checkpoints.dir": "/c", "state.backend.fs.memory-threshold": "1 kb" }),
    );
    expect(resolved.values).toMatchObject({ directory: "/c", dataInlineThresholdBytes: 1_024 });
    expect(resolved.deprecated.map(({ instead }) => instead)).toEqual([
      "execution.checkpointing.dir",
      "execution.checkpointing.data-inline-threshold",
    ]);
  });

  test("refuse a threshold above 1 MB", () => {
    expect(() =>
      resolveOptions(
        CHECKPOINTING_OPTIONS,
        from({ "execution.checkpointing.data-inline-threshold": "2 mb" }),
      ),
    ).toThrowError(
      expect.toSatisfy((error: unknown) => isStreamError(error, "OPTION_VALUE_INVALID")),
    );
  });

  test("choose the restart strategy as Flink does", () => {
    const { values } = resolveOptions(RESTART_STRATEGY_OPTIONS, from({}));
    expect(restartStrategyOf(values, { isEnabled: false })).toEqual({ type: "none" });
    expect(restartStrategyOf(values, { isEnabled: true })).toMatchObject({
      type: "exponential-delay",
      maxBackoffMs: 60_000,
      backoffMultiplier: 1.5,
    });
    const off = resolveOptions(
      RESTART_STRATEGY_OPTIONS,
      from({ "restart-strategy": "off" }),
    ).values;
    expect(restartStrategyOf(off, { isEnabled: true })).toEqual({ type: "none" });
    const fixed = resolveOptions(
      RESTART_STRATEGY_OPTIONS,
      from({
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": "3",
      }),
    ).values;
    expect(restartStrategyOf(fixed, { isEnabled: true })).toEqual({
      type: "fixed-delay",
      attempts: 3,
      delayMs: 1_000,
    });
  });

  test.each([
    [
      {
        "execution.checkpointing.unaligned.enabled": "true",
        "execution.checkpointing.max-concurrent-checkpoints": "2",
      },
      "maxConcurrentCheckpoints can't be > 1",
    ],
    [
      {
        "execution.checkpointing.unaligned.enabled": "true",
        "execution.checkpointing.mode": "at_least_once",
      },
      "EXACTLY_ONCE",
    ],
    [{ "execution.checkpointing.storage": "filesystem" }, "execution.checkpointing.dir is not set"],
    [
      {
        "execution.checkpointing.interval": "10 s",
        "execution.checkpointing.interval-during-backlog": "1 s",
      },
      "interval-during-backlog",
    ],
  ])("that contradict each other are refused: %o", (settings, text) => {
    expect(
      checkpointingProblem(resolveOptions(CHECKPOINTING_OPTIONS, from(settings)).values),
    ).toContain(text);
  });
});
