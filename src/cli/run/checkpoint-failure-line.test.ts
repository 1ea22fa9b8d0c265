import { expect, test } from "vitest";

import type { CheckpointRecord, SubtaskRecord } from "../../checkpoint/index.ts";
import { checkpointFailureLine } from "./checkpoint-failure-line.ts";

const VERTEX = "a".repeat(32);

function subtask(subtaskIndex: number, more: Partial<SubtaskRecord> = {}): SubtaskRecord {
  return {
    subtaskIndex,
    attempt: 0,
    status: "ACKNOWLEDGED",
    isTriggeredByCoordinator: false,
    acknowledgedAtMs: 5,
    declinedAtMs: null,
    declineReason: null,
    declineCauses: [],
    startDelayMs: null,
    alignmentDurationMs: null,
    alignmentProcessedBytes: null,
    alignmentPersistedBytes: null,
    syncDurationMs: null,
    asyncDurationMs: null,
    checkpointedSizeBytes: null,
    stateSizeBytes: null,
    isUnaligned: null,
    ...more,
  };
}

function failed(
  failure: NonNullable<CheckpointRecord["failure"]>,
  subtasks: readonly SubtaskRecord[],
): CheckpointRecord {
  return {
    format: 1,
    jobId: "0".repeat(32),
    checkpointId: 7,
    kind: "CHECKPOINT",
    typeName: "Checkpoint",
    savepointFormat: null,
    isPeriodic: true,
    status: "FAILED",
    triggeredAtMs: 1,
    storageReadyAtMs: 1,
    coordinatorsAcknowledgedAtMs: 1,
    tasksTriggeredAtMs: 1,
    latestAcknowledgedAtMs: null,
    endedAtMs: 9,
    finalizationDurationMs: null,
    externalPath: null,
    failure,
    subtaskCount: subtasks.length,
    acknowledgedSubtaskCount: 0,
    vertices: [
      {
        vertexId: VERTEX,
        name: "counts -> out",
        parallelism: 2,
        maxParallelism: 128,
        operators: [],
        inputs: [],
        subtasks,
      },
    ],
  };
}

test.each([
  [
    "a declined snapshot",
    failed(
      {
        reason: "CHECKPOINT_DECLINED",
        message: "Checkpoint was declined.",
        causes: ["StreamError: it failed", "Error: disk full\nsecond line"],
        task: { vertexId: VERTEX, subtaskIndex: 1 },
      },
      [subtask(0), subtask(1, { status: "DECLINED", acknowledgedAtMs: null })],
    ),
    "Checkpoint 7 failed at counts -> out (2/2), in the synchronous phase: Error: disk full. More: explain it",
  ],
  [
    "a failed write",
    failed(
      {
        reason: "CHECKPOINT_ASYNC_EXCEPTION",
        message: "Asynchronous task checkpoint failed.",
        causes: ["Error: ENOSPC"],
        task: { vertexId: VERTEX, subtaskIndex: 0 },
      },
      [subtask(0, { status: "DECLINED", syncDurationMs: 3 }), subtask(1)],
    ),
    "Checkpoint 7 failed at counts -> out (1/2), in the asynchronous phase: Error: ENOSPC. More: explain it",
  ],
  [
    "one that expired",
    failed(
      {
        reason: "CHECKPOINT_EXPIRED",
        message: "Checkpoint expired before completing.",
        causes: [],
        task: null,
      },
      [subtask(0), subtask(1, { status: "PENDING", acknowledgedAtMs: null })],
    ),
    "Checkpoint 7 failed at counts -> out (2/2), which had not answered when it expired: Checkpoint expired before completing. More: explain it",
  ],
])("%s names the subtask, the phase and the innermost cause", (_, record, line) => {
  expect(checkpointFailureLine(record, "explain it")).toBe(line);
});

test("the end of a job is no failure to tell", () => {
  const record = failed(
    {
      reason: "CHECKPOINT_COORDINATOR_SHUTDOWN",
      message: "CheckpointCoordinator shutdown.",
      causes: [],
      task: null,
    },
    [subtask(0)],
  );
  expect(checkpointFailureLine(record, "explain it")).toBeUndefined();
});
