import { describe, expect, test } from "vitest";

import {
  Configuration,
  type LogLevel,
  nodePlatform,
  type Platform,
  resolveOptions,
  StreamError,
} from "../../base/index.ts";
import type { OperatorStateHandle } from "../../state/index.ts";
import type { CheckpointBarrier } from "../checkpoint-barrier.ts";
import type { CheckpointMetrics, SubtaskRef, TaskStateSnapshot } from "../checkpoint-gateway.ts";
import type { CheckpointPlan, PlanDecision } from "../checkpoint-plan.ts";
import type { CheckpointRecord } from "../checkpoint-record.ts";
import type { CheckpointFailure } from "../failure-reason.ts";
import { CheckpointStatistics } from "../history/checkpoint-statistics.ts";
import { decodeMetadata } from "../metadata/metadata-decoder.ts";
import { propertiesOfCheckpoint } from "../metadata/checkpoint-properties.ts";
import { EMPTY_SUBTASK_STATE } from "../operator-state.ts";
import { CHECKPOINTING_OPTIONS, type CheckpointingOptions } from "../options.ts";
import { metadataOf } from "../storage/checkpoint-storage-laws.ts";
import { MemoryCheckpointStorage } from "../storage/memory-checkpoint-storage.ts";
import { CheckpointCoordinator } from "./checkpoint-coordinator.ts";
import type { CheckpointObserver } from "./checkpoint-observer.ts";
import { restoredCheckpoint } from "./completed-checkpoint.ts";
import type { TriggerResult } from "./coordinator-context.ts";
import type { OperatorCoordinatorSnapshot } from "./operator-coordinator-snapshot.ts";

const START_MS = 1_700_000_000_000;
const JOB_ID = "0123456789abcdef0123456789abcdef";
const SOURCE_ID = "a".repeat(32);
const MAP_ID = "b".repeat(32);

const METRICS: CheckpointMetrics = {
  startDelayMs: 3,
  alignmentDurationMs: 5,
  alignmentProcessedBytes: 7,
  alignmentPersistedBytes: 0,
  syncDurationMs: 1,
  asyncDurationMs: 2,
  checkpointedSizeBytes: 100,
  stateSizeBytes: 200,
  isUnaligned: false,
};

/** Time passes only by `advance`. */
class ManualTime {
  nowMs = START_MS;
  readonly #timers = new Set<{ atMs: number; callback: () => void }>();

  readonly platform: Platform = {
    ...nodePlatform(),
    nowMs: () => this.nowMs,
    monotonicMs: () => this.nowMs - START_MS,
    random: () => 0.5,
    after: (delayMs, callback) => {
      const timer = { atMs: this.nowMs + delayMs, callback };
      this.#timers.add(timer);
      return () => this.#timers.delete(timer);
    },
  };

  async advance(byMs: number): Promise<void> {
    const untilMs = this.nowMs + byMs;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= untilMs);
      const next = due.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.nowMs = next.atMs;
      next.callback();
      await turns();
    }
    this.nowMs = untilMs;
    await turns();
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
}

/** Memory storage whose operations can be made to fail or to wait. */
class TroubledStorage extends MemoryCheckpointStorage {
  readonly discarded: string[] = [];
  initializeFails = false;
  finalizeFails = false;
  /** So many deletions fail from now on. */
  discardFailures = 0;
  finalizeWaitsFor: Promise<void> = Promise.resolve();
  initializeWaitsFor: Promise<void> = Promise.resolve();
  written: Uint8Array | undefined;

  override async initializeCheckpoint(checkpointId: number): Promise<string> {
    await this.initializeWaitsFor;
    if (this.initializeFails) throw diskFull("Creating directory");
    return super.initializeCheckpoint(checkpointId);
  }

  override async finalize(directory: string, metadata: Uint8Array): Promise<void> {
    await this.finalizeWaitsFor;
    if (this.finalizeFails) throw diskFull("Writing");
    this.written = metadata;
    await super.finalize(directory, metadata);
  }

  override async discard(directory: string): Promise<void> {
    if (this.discardFailures > 0) {
      this.discardFailures--;
      throw diskFull("Removing");
    }
    this.discarded.push(directory);
    await super.discard(directory);
  }
}

function diskFull(operation: string): StreamError {
  return new StreamError("CHECKPOINT_STORAGE_FAILED", {
    operation,
    path: "/full/chk-1",
    systemCode: "ENOSPC",
    problem: "ENOSPC: no space left on device",
  });
}

const SOURCE: SubtaskRef = { vertexId: SOURCE_ID, subtaskIndex: 0, attempt: 0 };
const MAPS: readonly SubtaskRef[] = [0, 1].map((subtaskIndex) => ({
  vertexId: MAP_ID,
  subtaskIndex,
  attempt: 0,
}));
const ALL = [SOURCE, ...MAPS];

function job(options: Partial<CheckpointingOptions> = {}, more: { restoredId?: number } = {}) {
  const time = new ManualTime();
  const storage = new TroubledStorage(time.platform);
  const log: { level: LogLevel; message: string }[] = [];
  const told: string[] = [];
  const failures: { task: SubtaskRef | undefined; error: StreamError }[] = [];
  const barriers: CheckpointBarrier[] = [];
  const refused: CheckpointFailure[] = [];
  const ended: CheckpointRecord[] = [];
  const late: CheckpointRecord[] = [];
  const statistics = new CheckpointStatistics(10);
  const plan: CheckpointPlan = {
    tasksToTrigger: [SOURCE],
    tasksToWaitFor: ALL,
    finishedTasks: [],
    fullyFinishedVertexIds: [],
  };
  const state: { plan: PlanDecision; coordinators: OperatorCoordinatorSnapshot[] } = {
    plan: { kind: "plan", plan },
    coordinators: [],
  };
  const { restoredId } = more;
  const observers: CheckpointObserver[] = [
    {
      onEnded: (record) => ended.push(record),
      onRefused: (failure) => refused.push(failure),
      onLateAcknowledgement: (record) => late.push(record),
    },
    statistics,
  ];
  const coordinator = new CheckpointCoordinator({
    jobId: JOB_ID,
    platform: time.platform,
    log: { log: (level, message) => void log.push({ level, message }) },
    options: { ...resolveOptions(CHECKPOINTING_OPTIONS, new Configuration()).values, ...options },
    storage,
    gateway: {
      triggerCheckpoint: (_task, barrier) => {
        barriers.push(barrier);
        told.push(`trigger ${barrier.checkpointId}`);
      },
      notifyCheckpointComplete: (task, id) => told.push(`complete ${id} ${taskText(task)}`),
      notifyCheckpointAborted: (task, id, latest) =>
        told.push(`aborted ${id} ${taskText(task)} after ${latest}`),
    },
    vertices: [
      {
        vertexId: SOURCE_ID,
        name: "Source: flights",
        parallelism: 1,
        maxParallelism: 128,
        operators: [{ operatorId: SOURCE_ID, uid: "flights", name: "Source: flights" }],
        inputs: [],
      },
      {
        vertexId: MAP_ID,
        name: "bursts",
        parallelism: 2,
        maxParallelism: 128,
        operators: [{ operatorId: MAP_ID, uid: undefined, name: "bursts" }],
        inputs: [{ vertexId: SOURCE_ID, shipStrategy: "HASH" }],
      },
    ],
    operatorCoordinators: state.coordinators,
    observers,
    plan: () => state.plan,
    failJob: (error) => failures.push({ task: undefined, error }),
    failTask: (task, error) => failures.push({ task, error }),
    restored:
      restoredId === undefined
        ? []
        : [
            restoredCheckpoint(
              {
                directory: "/old",
                metadataPath: "/old/_metadata",
                metadata: metadataOf(restoredId),
              },
              "NO_CLAIM",
              "RETAIN_ON_CANCELLATION",
            ),
          ],
    firstCheckpointId: (restoredId ?? 0) + 1,
  });
  const acknowledge = async (
    id: number,
    tasks: readonly SubtaskRef[] = ALL,
    snapshot?: TaskStateSnapshot,
  ): Promise<void> => {
    for (const task of tasks) coordinator.acknowledgeCheckpoint(task, id, METRICS, snapshot);
    await turns();
  };
  const lines = (level: LogLevel) =>
    log.filter((line) => line.level === level).map((l) => l.message);
  return {
    time,
    storage,
    log,
    lines,
    told,
    failures,
    barriers,
    refused,
    ended,
    late,
    statistics,
    state,
    observers,
    coordinator,
    acknowledge,
  };
}

function taskText({ vertexId, subtaskIndex }: SubtaskRef): string {
  return `${vertexId === SOURCE_ID ? "source" : "map"}${subtaskIndex}`;
}

describe("a checkpoint that completes", () => {
  test("is triggered at the sources, written and announced in Flink's words", async () => {
    const { coordinator, acknowledge, lines, told, time, barriers, storage } = job();
    const result = coordinator.triggerCheckpoint();
    await turns();
    await time.advance(40);
    await acknowledge(1);
    expect(await result).toMatchObject({ kind: "completed", checkpoint: { checkpointId: 1 } });
    expect(lines("INFO")).toEqual([
      `Triggering checkpoint 1 (type=CheckpointType{name='Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD}) @ ${START_MS} for job ${JOB_ID}.`,
      `Completed checkpoint 1 for job ${JOB_ID} (600 bytes, checkpointDuration=40 ms, finalizationTime=0 ms).`,
    ]);
    expect(told).toEqual(["trigger 1", "complete 1 source0", "complete 1 map0", "complete 1 map1"]);
    expect(barriers[0]?.options).toEqual({
      snapshot: { kind: "CHECKPOINT" },
      alignment: "ALIGNED",
      alignedTimeoutMs: undefined,
      targetDirectory: "memory/chk-1",
    });
    const metadata = decodeMetadata(storage.written ?? new Uint8Array(), { path: "written" });
    expect(metadata.checkpointId).toBe(1);
    expect(
      metadata.operatorStates.map((o) => [o.operatorName, o.operatorUid, o.parallelism]),
    ).toEqual([
      ["Source: flights", "flights", 1],
      ["bursts", undefined, 2],
    ]);
  });

  test("subsumes the one before and deletes its files", async () => {
    const { coordinator, acknowledge, storage, statistics } = job();
    for (const id of [1, 2]) {
      void coordinator.triggerCheckpoint();
      await turns();
      await acknowledge(id);
    }
    expect(storage.discarded).toEqual(["memory/chk-1"]);
    expect(statistics.isDiscarded(1)).toBe(true);
    expect(coordinator.latestCompleted?.checkpointId).toBe(2);
    expect(statistics.counts).toEqual({
      restored: 0,
      total: 2,
      inProgress: 0,
      completed: 2,
      failed: 0,
    });
  });

  test("holds what each subtask said, for dashboard and doctor", async () => {
    const { coordinator, acknowledge, ended } = job();
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1);
    expect(ended[0]).toMatchObject({
      format: 1,
      jobId: JOB_ID,
      status: "COMPLETED",
      kind: "CHECKPOINT",
      externalPath: "memory/chk-1",
      subtaskCount: 3,
      acknowledgedSubtaskCount: 3,
      failure: null,
    });
    expect(ended[0]?.vertices[0]?.subtasks[0]).toMatchObject({
      status: "ACKNOWLEDGED",
      isTriggeredByCoordinator: true,
      startDelayMs: 3,
      syncDurationMs: 1,
      stateSizeBytes: 200,
    });
    expect(ended[0]?.vertices[1]?.subtasks.map((s) => s.isTriggeredByCoordinator)).toEqual([
      false,
      false,
    ]);
  });

  test("stores finished subtasks as finished, and finished vertices without state", async () => {
    const { coordinator, acknowledge, state, storage } = job();
    const [first, second] = MAPS as [SubtaskRef, SubtaskRef];
    state.plan = {
      kind: "plan",
      plan: {
        tasksToTrigger: [second],
        tasksToWaitFor: [second],
        finishedTasks: [SOURCE, first],
        fullyFinishedVertexIds: [SOURCE_ID],
      },
    };
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1, [second], new Map([[MAP_ID, EMPTY_SUBTASK_STATE]]));
    const { operatorStates } = decodeMetadata(storage.written ?? new Uint8Array(), {
      path: "written",
    });
    expect(operatorStates.map((o) => o.isFullyFinished)).toEqual([true, false]);
    expect(operatorStates[1]?.subtaskStates.map((s) => [s.subtaskIndex, s.isFinished])).toEqual([
      [0, true],
      [1, false],
    ]);
  });

  test("is refused when union list state would lose a finished subtask's part", async () => {
    const { coordinator, acknowledge, state, ended, storage } = job();
    const [first, second] = MAPS as [SubtaskRef, SubtaskRef];
    state.plan = {
      kind: "plan",
      plan: {
        tasksToTrigger: [SOURCE],
        tasksToWaitFor: [SOURCE, second],
        finishedTasks: [first],
        fullyFinishedVertexIds: [],
      },
    };
    const union: OperatorStateHandle = {
      states: [{ name: "u", mode: "UNION", offsets: [0] }],
      stream: { kind: "bytes", name: "x", data: new Uint8Array(1) },
      merged: undefined,
    };
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1, [SOURCE]);
    await acknowledge(
      1,
      [second],
      new Map([[MAP_ID, { ...EMPTY_SUBTASK_STATE, managedOperator: union }]]),
    );
    expect(ended[0]?.failure?.reason).toBe("CHECKPOINT_DECLINED_TASK_CLOSING");
    expect(storage.discarded).toEqual(["memory/chk-1"]);
  });
});

describe("operator coordinators", () => {
  test("take their state before the tasks are triggered, and are held until the trigger is out", async () => {
    const { coordinator, state, told, acknowledge, storage } = job();
    state.coordinators.push({
      operatorId: SOURCE_ID,
      checkpointCoordinator: (id) => {
        told.push(`close ${id}`);
        return Uint8Array.of(9);
      },
      openValve: (id) => void told.push(`open ${id}`),
      notifyCheckpointComplete: (id) => void told.push(`coordinator complete ${id}`),
      notifyCheckpointAborted: () => {},
    });
    void coordinator.triggerCheckpoint();
    await turns();
    expect(told).toEqual(["close 1", "trigger 1", "open 1"]);
    await acknowledge(1);
    expect(told.at(-1)).toBe("coordinator complete 1");
    const metadata = decodeMetadata(storage.written ?? new Uint8Array(), { path: "written" });
    expect(metadata.operatorStates[0]?.coordinatorState).toMatchObject({ data: Uint8Array.of(9) });
  });

  test("that never answer let the checkpoint expire, the valve open and the next one run", async () => {
    const { coordinator, state, told, time, ended } = job({
      timeoutMs: 100,
      tolerableFailedCheckpointCount: 5,
    });
    let isStuck = true;
    state.coordinators.push({
      operatorId: SOURCE_ID,
      checkpointCoordinator: () => (isStuck ? new Promise<Uint8Array>(() => {}) : Uint8Array.of(1)),
      openValve: (id) => void told.push(`open ${id}`),
      notifyCheckpointComplete: () => {},
      notifyCheckpointAborted: () => {},
    });
    void coordinator.triggerCheckpoint();
    await turns();
    expect(told).toEqual([]);
    await time.advance(100);
    expect(ended[0]?.failure?.reason).toBe("CHECKPOINT_EXPIRED");
    expect(told).toContain("open 1");
    isStuck = false;
    void coordinator.triggerCheckpoint();
    await turns();
    expect(told).toContain("trigger 2");
  });

  test("that fail abort the checkpoint with TRIGGER_CHECKPOINT_FAILURE and its cause", async () => {
    const { coordinator, state, told } = job();
    state.coordinators.push({
      operatorId: SOURCE_ID,
      checkpointCoordinator: () => Promise.reject(new Error("enumerator is confused")),
      openValve: (id) => void told.push(`open ${id}`),
      notifyCheckpointComplete: () => {},
      notifyCheckpointAborted: (id) => void told.push(`coordinator aborted ${id}`),
    });
    expect(await coordinator.triggerCheckpoint()).toMatchObject({
      kind: "failed",
      failure: { reason: "TRIGGER_CHECKPOINT_FAILURE", causes: ["Error: enumerator is confused"] },
    });
    await turns();
    expect(told.filter((line) => line.includes("open"))).toEqual(["open 1"]);
    expect(told).toContain("coordinator aborted 1");
  });
});

describe("a checkpoint that fails", () => {
  test("by a decline names operator, subtask and causes, and fails that task beyond the tolerance", async () => {
    const { coordinator, failures, lines, ended, told } = job();
    void coordinator.triggerCheckpoint();
    await turns();
    const task = MAPS[1] as SubtaskRef;
    const causes = [
      "StreamError: Writing state file /full/chk-1/x failed: ENOSPC.",
      "Error: ENOSPC",
    ];
    coordinator.declineCheckpoint(task, 1, "CHECKPOINT_ASYNC_EXCEPTION", causes, {
      syncDurationMs: 4,
    });
    await turns();
    expect(failures).toHaveLength(1);
    expect(failures[0]?.task).toEqual(task);
    expect(failures[0]?.error.message).toBe(
      "Exceeded checkpoint tolerable failure threshold. The latest checkpoint failed due to " +
        "Asynchronous task checkpoint failed., view the Checkpoint History tab or the Job Manager log " +
        "to find out why continuous checkpoints failed.",
    );
    expect(failures[0]?.error.code).toBe("CHECKPOINTS_FAILED");
    expect(failures[0]?.error.cause).toMatchObject({ name: "StreamError" });
    expect(lines("WARN")).toEqual([
      `Failed to trigger or complete checkpoint 1 for job ${JOB_ID}. (0 consecutive failed attempts so far)`,
    ]);
    expect(lines("INFO")).toContain(
      `Decline checkpoint 1 by task bursts (2/2)#0 of job ${JOB_ID} at localhost.`,
    );
    expect(ended[0]?.failure).toEqual({
      reason: "CHECKPOINT_ASYNC_EXCEPTION",
      message:
        "Task name with subtask : bursts (2/2)#0 Failure reason: Asynchronous task checkpoint failed.",
      causes,
      task: { vertexId: MAP_ID, subtaskIndex: 1 },
    });
    expect(ended[0]?.vertices[1]?.subtasks[1]).toMatchObject({
      status: "DECLINED",
      declineReason: "CHECKPOINT_ASYNC_EXCEPTION",
      syncDurationMs: 4,
    });
    expect(told.filter((line) => line.startsWith("aborted"))).toHaveLength(3);
  });

  test("by a full disk is IO_EXCEPTION with path and cause; the next one succeeds when the disk does", async () => {
    const { coordinator, storage, failures, acknowledge } = job({
      tolerableFailedCheckpointCount: 1,
    });
    storage.initializeFails = true;
    expect(await coordinator.triggerCheckpoint()).toMatchObject({
      kind: "failed",
      checkpointId: 1,
      failure: {
        reason: "IO_EXCEPTION",
        causes: [expect.stringContaining("/full/chk-1 failed: ENOSPC")],
      },
    });
    expect(failures).toEqual([]);
    storage.initializeFails = false;
    const next = coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(2);
    expect(await next).toMatchObject({ kind: "completed" });
  });

  test("while _metadata is written is FINALIZE_CHECKPOINT_FAILURE, and its files are deleted", async () => {
    const { coordinator, storage, acknowledge, told } = job({ tolerableFailedCheckpointCount: 1 });
    storage.finalizeFails = true;
    const result = coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1);
    expect(await result).toMatchObject({
      kind: "failed",
      failure: { reason: "FINALIZE_CHECKPOINT_FAILURE" },
    });
    expect(storage.discarded).toEqual(["memory/chk-1"]);
    expect(told.some((line) => line.startsWith("complete"))).toBe(false);
  });

  test("by its time limit tells the tasks, and a late acknowledgement is logged and noted", async () => {
    const { coordinator, time, lines, acknowledge, late, ended } = job({
      timeoutMs: 1_000,
      tolerableFailedCheckpointCount: 1,
    });
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1, [SOURCE]);
    await time.advance(1_000);
    expect(lines("INFO")).toContain(`Checkpoint 1 of job ${JOB_ID} expired before completing.`);
    expect(ended[0]).toMatchObject({ status: "FAILED", acknowledgedSubtaskCount: 1 });
    await time.advance(500);
    await acknowledge(1, MAPS.slice(0, 1));
    expect(lines("WARN").at(-1)).toBe(
      `Received late message for now expired checkpoint attempt 1 from task bursts (1/2)#0 of job ${JOB_ID} at localhost.`,
    );
    expect(late[0]).toMatchObject({ acknowledgedSubtaskCount: 1, status: "FAILED" });
    expect(late[0]?.vertices[1]?.subtasks[0]).toMatchObject({
      status: "ACKNOWLEDGED",
      acknowledgedAtMs: START_MS + 1_500,
    });
  });

  test("of an unknown attempt's acknowledgement does not complete", async () => {
    const { coordinator, acknowledge, lines, ended } = job();
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1, [{ ...SOURCE, attempt: 7 }, ...MAPS]);
    expect(ended).toEqual([]);
    expect(lines("WARN")[0]).toContain("because the task's execution attempt id was unknown");
  });

  test("when a task fails or finishes before it has acknowledged", async () => {
    const { coordinator, ended, acknowledge } = job({ tolerableFailedCheckpointCount: 5 });
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1, [SOURCE]);
    coordinator.reportFailed(SOURCE, ["Error: too late to matter"]);
    coordinator.reportFinished(SOURCE);
    expect(ended).toEqual([]);
    coordinator.reportFailed(MAPS[0] as SubtaskRef, ["Error: boom"]);
    expect(ended[0]?.failure).toMatchObject({ reason: "TASK_FAILURE", causes: ["Error: boom"] });
    await turns();
    void coordinator.triggerCheckpoint();
    await turns();
    coordinator.reportFinished(SOURCE);
    expect(ended[1]?.failure?.reason).toBe("CHECKPOINT_DECLINED_TASK_CLOSING");
  });

  test("before it has an id is told to the statistics and logged at INFO", async () => {
    const { coordinator, state, lines, refused, statistics } = job();
    state.plan = {
      kind: "refuse",
      reason: "NOT_ALL_REQUIRED_TASKS_RUNNING",
      detail: "Task x starts.",
    };
    expect(await coordinator.triggerCheckpoint()).toMatchObject({
      kind: "failed",
      checkpointId: undefined,
    });
    expect(refused).toHaveLength(1);
    expect(statistics.counts).toMatchObject({ total: 1, failed: 1 });
    expect(statistics.latestFailed).toBeUndefined();
    expect(lines("INFO")).toEqual([
      `Failed to trigger checkpoint for job ${JOB_ID} since Task x starts. Failure reason: Not all required tasks are currently running..`,
    ]);
  });

  test("an answer of the storage that comes after the end leaves nothing behind", async () => {
    const { coordinator, storage, time } = job({
      timeoutMs: 100,
      tolerableFailedCheckpointCount: 1,
    });
    let answer = (): void => {};
    storage.initializeWaitsFor = new Promise((resolve) => {
      answer = resolve;
    });
    void coordinator.triggerCheckpoint();
    await time.advance(100);
    expect(storage.discarded).toEqual([]);
    answer();
    await turns();
    expect(storage.discarded).toEqual(["memory/chk-1"]);
  });
});

describe("periodic checkpoints", () => {
  test("come at a fixed rate from trigger to trigger, the first after a time drawn by chance", async () => {
    const { coordinator, time, barriers, acknowledge } = job({ intervalMs: 1_000 });
    coordinator.startScheduler();
    await time.advance(499);
    expect(barriers).toHaveLength(0);
    await time.advance(1);
    expect(barriers).toHaveLength(1);
    await time.advance(300);
    await acknowledge(1);
    await time.advance(699);
    expect(barriers).toHaveLength(1);
    await time.advance(1);
    expect(barriers[1]?.triggeredAtMs).toBe(START_MS + 1_500);
  });

  test("wait for the minimum pause after a completion, silently", async () => {
    const { coordinator, time, barriers, acknowledge, log } = job({
      intervalMs: 1_000,
      minPauseMs: 600,
    });
    coordinator.startScheduler();
    await time.advance(800);
    expect(barriers).toHaveLength(1);
    await time.advance(900);
    await acknowledge(1);
    const lineCount = log.length;
    await time.advance(100);
    expect(barriers).toHaveLength(1);
    expect(log).toHaveLength(lineCount);
    await time.advance(500);
    expect(barriers.map((barrier) => barrier.triggeredAtMs - START_MS)).toEqual([800, 2_300]);
  });

  test("do not run beside a pending one beyond the limit; the one that waited follows at once", async () => {
    const { coordinator, time, barriers, acknowledge } = job({ intervalMs: 1_000 });
    coordinator.startScheduler();
    await time.advance(3_000);
    expect(barriers).toHaveLength(1);
    await acknowledge(1);
    expect(barriers).toHaveLength(2);
  });

  test("stop with the scheduler: what is pending or queued is suspended", async () => {
    const { coordinator, time, ended, barriers } = job({ intervalMs: 1_000 });
    coordinator.startScheduler();
    await time.advance(500);
    const queued = coordinator.triggerCheckpoint();
    await coordinator.stopScheduler();
    expect(ended[0]?.failure?.reason).toBe("CHECKPOINT_COORDINATOR_SUSPEND");
    expect(await queued).toMatchObject({
      kind: "failed",
      failure: { reason: "CHECKPOINT_COORDINATOR_SUSPEND" },
    });
    await time.advance(10_000);
    expect(barriers).toHaveLength(1);
  });

  test("slow down while a source works off a backlog and come at once when it ends", async () => {
    const { coordinator, time, barriers, acknowledge } = job({
      intervalMs: 1_000,
      intervalDuringBacklogMs: 60_000,
    });
    coordinator.startScheduler();
    coordinator.setProcessingBacklog(true);
    await time.advance(30_000);
    expect(barriers).toHaveLength(0);
    coordinator.setProcessingBacklog(false);
    await time.advance(1_000);
    expect(barriers).toHaveLength(1);
    await acknowledge(1);
  });
});

describe("stopping", () => {
  test("waits for _metadata that is being written and deletes it, so that a restart knows where it stands", async () => {
    const { coordinator, storage, acknowledge, told } = job();
    let answer = (): void => {};
    storage.finalizeWaitsFor = new Promise((resolve) => {
      answer = resolve;
    });
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1);
    let hasStopped = false;
    const stopped = coordinator.stopScheduler().then(() => {
      hasStopped = true;
    });
    await turns();
    expect(hasStopped).toBe(false);
    answer();
    await stopped;
    expect(coordinator.latestCompleted).toBeUndefined();
    expect(storage.discarded).toEqual(["memory/chk-1"]);
    expect(told.some((line) => line.startsWith("complete"))).toBe(false);
  });

  test("goes on only when a complete checkpoint that was aborted is gone, since the next process would take it for good", async () => {
    const { coordinator, storage, acknowledge, time } = job();
    let answer = (): void => {};
    storage.finalizeWaitsFor = new Promise((resolve) => {
      answer = resolve;
    });
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1);
    let hasStopped = false;
    void coordinator.stopScheduler().then(() => {
      hasStopped = true;
    });
    // Each deletion is tried twice; the pauses between them are 50, 100 and 200 ms.
    storage.discardFailures = 6;
    answer();
    await turns();
    await time.advance(349);
    expect(hasStopped).toBe(false);
    expect(storage.discarded).toEqual([]);
    await time.advance(1);
    expect(storage.discarded).toEqual(["memory/chk-1"]);
    expect(hasStopped).toBe(true);
  });

  test.each([
    ["NO_EXTERNALIZED_CHECKPOINTS", "CANCELLED", true],
    ["DELETE_ON_CANCELLATION", "CANCELLED", true],
    ["DELETE_ON_CANCELLATION", "FAILED", false],
    ["RETAIN_ON_CANCELLATION", "CANCELLED", false],
    ["RETAIN_ON_CANCELLATION", "FINISHED", true],
  ] as const)("with %s, %s: deleted is %s", async (retention, occasion, isDeleted) => {
    const { coordinator, acknowledge, storage, lines } = job({ retention });
    void coordinator.triggerCheckpoint();
    await turns();
    await acknowledge(1);
    await coordinator.shutdown(occasion);
    expect(storage.discarded).toEqual(isDeleted ? ["memory/chk-1"] : []);
    const kept = `Checkpoint with ID 1 at 'memory/chk-1' not discarded.`;
    expect(lines("INFO").includes(kept)).toBe(!isDeleted);
    expect(await coordinator.triggerCheckpoint()).toMatchObject({
      failure: { reason: "CHECKPOINT_COORDINATOR_SHUTDOWN" },
    });
  });

  test("waits for what observers still have to keep", async () => {
    const { coordinator, observers } = job();
    let answer = (): void => {};
    const kept = new Promise<void>((resolve) => {
      answer = resolve;
    });
    observers.push({ settle: () => kept });
    let isDown = false;
    const down = coordinator.shutdown("CANCELLED").then(() => {
      isDown = true;
    });
    await turns();
    expect(isDown).toBe(false);
    answer();
    await down;
  });

  test("with a savepoint aborts what is pending and, if it fails, goes on with periodic ones", async () => {
    const { coordinator, time, barriers, ended } = job({
      intervalMs: 1_000,
      timeoutMs: 5_000,
      savepointDirectory: "savepoints",
    });
    coordinator.startScheduler();
    await time.advance(500);
    let result: TriggerResult | undefined;
    void coordinator
      .stopWithSavepoint({
        targetDirectory: "savepoints",
        format: "CANONICAL",
        postAction: "SUSPEND",
      })
      .then((settled) => {
        result = settled;
      });
    await turns();
    expect(ended[0]?.failure?.reason).toBe("CHECKPOINT_COORDINATOR_SUSPEND");
    expect(barriers[1]?.options.snapshot).toEqual({
      kind: "SAVEPOINT",
      format: "CANONICAL",
      postAction: "SUSPEND",
    });
    await time.advance(5_000);
    expect(result).toMatchObject({ kind: "failed", failure: { reason: "CHECKPOINT_EXPIRED" } });
    await time.advance(1_000);
    expect(barriers.length).toBeGreaterThan(2);
  });
});

describe("after a restore", () => {
  test("ids go on, the unclaimed snapshot stays, and the first checkpoint is a full one", async () => {
    const { coordinator, acknowledge, barriers, storage, lines, statistics } = job(
      {},
      { restoredId: 41 },
    );
    coordinator.noteRestored();
    expect(lines("INFO")[0]).toBe(
      `Restoring job ${JOB_ID} from Checkpoint 41 @ 0 for job ${JOB_ID} located at /old.`,
    );
    expect(statistics.latestRestored).toMatchObject({ checkpointId: 41, externalPath: "/old" });
    for (const id of [42, 43]) {
      void coordinator.triggerCheckpoint();
      await turns();
      await acknowledge(id);
    }
    expect(barriers.map(({ options }) => options.snapshot.kind)).toEqual([
      "FULL_CHECKPOINT",
      "CHECKPOINT",
    ]);
    expect(storage.discarded).toEqual(["memory/chk-42"]);
  });

  test("a claimed checkpoint is deleted once it is subsumed", () => {
    const snapshot = { directory: "/old", metadataPath: "/old/_metadata", metadata: metadataOf(3) };
    const retention = "DELETE_ON_CANCELLATION";
    expect(restoredCheckpoint(snapshot, "CLAIM", retention).properties).toEqual(
      propertiesOfCheckpoint("CHECKPOINT", "DELETE_ON_CANCELLATION"),
    );
    const { properties } = restoredCheckpoint(snapshot, "NO_CLAIM", retention);
    expect(properties).toMatchObject({ discardSubsumed: false, isUnclaimed: true });
    expect(restoredCheckpoint(snapshot, "LEGACY", retention).properties).toEqual({
      ...properties,
      isUnclaimed: false,
    });
  });
});

describe("barriers", () => {
  test.each([
    [{ mode: "AT_LEAST_ONCE" }, "AT_LEAST_ONCE", undefined],
    [{ unalignedEnabled: true }, "UNALIGNED", undefined],
    [{ unalignedEnabled: true, alignedTimeoutMs: 500 }, "ALIGNED", 500],
    [{ alignedTimeoutMs: 500 }, "ALIGNED", undefined],
  ] as const)("carry the alignment of %o", async (options, alignment, alignedTimeoutMs) => {
    const { coordinator, barriers } = job(options);
    void coordinator.triggerCheckpoint();
    await turns();
    expect(barriers[0]?.options).toMatchObject({ alignment, alignedTimeoutMs });
  });
});
