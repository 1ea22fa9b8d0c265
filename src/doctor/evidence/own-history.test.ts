import { expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
import type { CheckpointRecord, SubtaskRecord } from "../../checkpoint/index.ts";
import { diagnose } from "../diagnose.ts";

const SUBTASK: SubtaskRecord = {
  subtaskIndex: 0,
  attempt: 0,
  status: "ACKNOWLEDGED",
  isTriggeredByCoordinator: false,
  acknowledgedAtMs: 1100,
  declinedAtMs: null,
  declineReason: null,
  declineCauses: [],
  startDelayMs: 10,
  alignmentDurationMs: 1,
  alignmentProcessedBytes: 0,
  alignmentPersistedBytes: 0,
  syncDurationMs: 1,
  asyncDurationMs: 5,
  checkpointedSizeBytes: 100,
  stateSizeBytes: 100,
  isUnaligned: false,
};

function record(
  more: Partial<CheckpointRecord>,
  subtask: Partial<SubtaskRecord> = {},
): CheckpointRecord {
  return {
    format: 1,
    jobId: "ab".repeat(16),
    checkpointId: 4,
    kind: "CHECKPOINT",
    typeName: "Checkpoint",
    savepointFormat: null,
    isPeriodic: true,
    status: "FAILED",
    triggeredAtMs: 1000,
    storageReadyAtMs: 1001,
    coordinatorsAcknowledgedAtMs: 1002,
    tasksTriggeredAtMs: 1003,
    latestAcknowledgedAtMs: 1100,
    endedAtMs: 11_000,
    finalizationDurationMs: null,
    externalPath: null,
    failure: null,
    subtaskCount: 1,
    acknowledgedSubtaskCount: 0,
    vertices: [
      {
        vertexId: "cd".repeat(16),
        name: "totals",
        parallelism: 1,
        maxParallelism: 128,
        operators: [],
        inputs: [],
        subtasks: [{ ...SUBTASK, ...subtask }],
      },
    ],
    ...more,
  };
}

async function answer(...records: readonly CheckpointRecord[]): Promise<string | undefined> {
  const text = records.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const diagnosis = await diagnose(
    [{ kind: "bytes", name: "history.jsonl", bytes: new TextEncoder().encode(text) }],
    nodePlatform(),
  );
  return diagnosis.verdict === "cause" ? diagnosis.findings[0]?.code : diagnosis.verdict;
}

const task = { vertexId: "cd".repeat(16), subtaskIndex: 0 };
const asyncFailure = (cause: string): Partial<CheckpointRecord> => ({
  failure: {
    reason: "CHECKPOINT_ASYNC_EXCEPTION",
    message: "Asynchronous task checkpoint failed.",
    causes: [cause],
    task,
  },
});

test.each([
  ["Error: ENOSPC: no space left on device, write", "disk-full"],
  ["Error: EACCES: permission denied, mkdir '/ck/chk-4'", "storage-permission-denied"],
  ["Error: EROFS: read-only file system, mkdir '/ck/chk-4'", "storage-read-only"],
  ["Error: EMFILE: too many open files, open '/ck/chk-4/a'", "too-many-open-files"],
])("a history alone with the cause %s is diagnosed", async (cause, code) => {
  expect(await answer(record(asyncFailure(cause)))).toBe(code);
});

test("an expired checkpoint is explained by the times of its subtasks", async () => {
  const expired = {
    failure: {
      reason: "CHECKPOINT_EXPIRED" as const,
      message: "Checkpoint expired before completing.",
      causes: [],
      task: null,
    },
  };
  expect(await answer(record(expired, { startDelayMs: 9500, acknowledgedAtMs: 10_900 }))).toBe(
    "backpressure-slow-operator",
  );
  expect(await answer(record(expired, { syncDurationMs: 9500, acknowledgedAtMs: 10_900 }))).toBe(
    "snapshot-sync-slow-user-code",
  );
  expect(await answer(record(expired, { asyncDurationMs: 9500, acknowledgedAtMs: 10_900 }))).toBe(
    "checkpoint-timeout-slow-upload",
  );
});

test("a failed task is told by its own error", async () => {
  const failed = {
    failure: {
      reason: "TASK_FAILURE" as const,
      message: "Task has failed.",
      causes: [
        'StreamError: processElement of operator "totals", subtask 1/1, failed on record 7.',
        "TypeError: x is undefined",
      ],
      task,
    },
  };
  expect(await answer(record(failed))).toBe("user-exception");
});

test("completed checkpoints are healthy", async () => {
  expect(await answer(record({ status: "COMPLETED", acknowledgedSubtaskCount: 1 }))).toBe(
    "healthy",
  );
});
