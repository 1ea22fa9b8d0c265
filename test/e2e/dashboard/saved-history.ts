import type { HistoryRecord } from "../../../dashboard/src/model/from-history.ts";
import {
  type CheckpointRecord,
  NO_METRICS,
  type SubtaskRecord,
} from "../../../src/checkpoint/checkpoint-record.ts";

const TRIGGERED_AT_MS = 1_796_060_000_000;

function subtask(subtaskIndex: number, changes: Partial<SubtaskRecord> = {}): SubtaskRecord {
  return {
    ...NO_METRICS,
    subtaskIndex,
    attempt: 0,
    status: "ACKNOWLEDGED",
    isTriggeredByCoordinator: false,
    acknowledgedAtMs: TRIGGERED_AT_MS + 120,
    declinedAtMs: null,
    declineReason: null,
    declineCauses: [],
    startDelayMs: 20,
    alignmentDurationMs: 5,
    syncDurationMs: 3,
    asyncDurationMs: 80,
    stateSizeBytes: 40_000,
    checkpointedSizeBytes: 40_000,
    ...changes,
  };
}

function record(
  checkpointId: number,
  totals: readonly SubtaskRecord[],
  changes: Partial<CheckpointRecord>,
): CheckpointRecord {
  const source = subtask(0, {
    isTriggeredByCoordinator: true,
    startDelayMs: 2,
    acknowledgedAtMs: TRIGGERED_AT_MS + 60,
    asyncDurationMs: 50,
  });
  return {
    format: 1,
    jobId: "5f1d7a84c0b2e93d6a47f8c1029be356",
    checkpointId,
    kind: "CHECKPOINT",
    typeName: "Checkpoint",
    savepointFormat: null,
    isPeriodic: true,
    status: "COMPLETED",
    triggeredAtMs: TRIGGERED_AT_MS,
    storageReadyAtMs: TRIGGERED_AT_MS,
    coordinatorsAcknowledgedAtMs: TRIGGERED_AT_MS,
    tasksTriggeredAtMs: TRIGGERED_AT_MS,
    latestAcknowledgedAtMs: TRIGGERED_AT_MS + 120,
    endedAtMs: TRIGGERED_AT_MS + 120,
    finalizationDurationMs: 4,
    externalPath: "file:/data/checkpoints/chk-1",
    failure: null,
    subtaskCount: 3,
    acknowledgedSubtaskCount: 3,
    vertices: [
      {
        vertexId: "a".repeat(32),
        name: "Source: orders",
        parallelism: 1,
        maxParallelism: 128,
        operators: [],
        inputs: [],
        subtasks: [source],
      },
      {
        vertexId: "b".repeat(32),
        name: "totals",
        parallelism: 2,
        maxParallelism: 128,
        operators: [],
        inputs: [{ vertexId: "a".repeat(32), shipStrategy: "HASH" }],
        subtasks: totals,
      },
    ],
    ...changes,
  };
}

const DISK_FULL = "IOException: No space left on device";

/** What the engine writes of two checkpoints, the second of which was declined, and a line that a crash cut off. */
export function historyText(): string {
  // The type is the page's: this compiles only while it reads what the engine writes.
  const records: readonly HistoryRecord[] = [
    record(1, [subtask(0), subtask(1)], {}),
    record(
      2,
      [
        subtask(0),
        subtask(1, {
          ...NO_METRICS,
          status: "DECLINED",
          startDelayMs: 20,
          acknowledgedAtMs: null,
          declinedAtMs: TRIGGERED_AT_MS + 30_400,
          declineReason: "CHECKPOINT_ASYNC_EXCEPTION",
          declineCauses: [DISK_FULL],
        }),
      ],
      {
        status: "FAILED",
        triggeredAtMs: TRIGGERED_AT_MS + 30_000,
        endedAtMs: TRIGGERED_AT_MS + 30_400,
        externalPath: null,
        failure: {
          reason: "CHECKPOINT_ASYNC_EXCEPTION",
          message: "Asynchronous task checkpoint failed.",
          causes: [DISK_FULL],
          task: null,
        },
      },
    ),
  ];
  return [...records.map((each) => JSON.stringify(each)), '{"format":1,"jobId":"5f1d'].join("\n");
}
