import { expect, test } from "vitest";

import type { CheckpointRecord, SubtaskRecord } from "../../checkpoint/index.ts";
import { checkpointSpans, telemetryObserver, type TelemetryApi } from "./checkpoint-spans.ts";

interface Told {
  readonly name: string;
  readonly parent: unknown;
  readonly startTime: number;
  status: string | undefined;
  endTime: number | undefined;
}

function recordingApi(): { readonly api: TelemetryApi; readonly spans: readonly Told[] } {
  const spans: Told[] = [];
  const api: TelemetryApi = {
    context: { active: () => "root" },
    trace: {
      getTracer: () => ({
        startSpan(name, { startTime }, parent) {
          const told: Told = { name, parent, startTime, status: undefined, endTime: undefined };
          spans.push(told);
          return {
            setStatus: ({ message }) => void (told.status = message),
            end: (endTime) => void (told.endTime = endTime),
          };
        },
      }),
      setSpan: (context) => `below ${String(context)}`,
    },
  };
  return { api, spans };
}

const subtask: SubtaskRecord = {
  subtaskIndex: 0,
  attempt: 0,
  status: "ACKNOWLEDGED",
  isTriggeredByCoordinator: true,
  acknowledgedAtMs: 1_050,
  declinedAtMs: null,
  declineReason: null,
  declineCauses: [],
  startDelayMs: 10,
  alignmentDurationMs: 0,
  alignmentProcessedBytes: 0,
  alignmentPersistedBytes: 0,
  syncDurationMs: 2,
  asyncDurationMs: 30,
  checkpointedSizeBytes: 7,
  stateSizeBytes: 7,
  isUnaligned: false,
};

const record: CheckpointRecord = {
  format: 1,
  jobId: "0".repeat(32),
  checkpointId: 3,
  kind: "CHECKPOINT",
  typeName: "Checkpoint",
  savepointFormat: null,
  isPeriodic: true,
  status: "FAILED",
  triggeredAtMs: 1_000,
  storageReadyAtMs: null,
  coordinatorsAcknowledgedAtMs: null,
  tasksTriggeredAtMs: null,
  latestAcknowledgedAtMs: 1_050,
  endedAtMs: 1_060,
  finalizationDurationMs: null,
  externalPath: null,
  failure: { reason: "CHECKPOINT_DECLINED", message: "declined", causes: [], task: null },
  subtaskCount: 3,
  acknowledgedSubtaskCount: 1,
  vertices: [
    {
      vertexId: "a".repeat(32),
      name: "counts",
      parallelism: 3,
      maxParallelism: 128,
      operators: [],
      inputs: [],
      subtasks: [
        subtask,
        {
          ...subtask,
          subtaskIndex: 1,
          status: "DECLINED",
          acknowledgedAtMs: null,
          declinedAtMs: 1_055,
          declineCauses: ["Error: disk full"],
        },
        { ...subtask, subtaskIndex: 2, status: "PENDING", acknowledgedAtMs: null },
      ],
    },
  ],
};

test("a checkpoint is a span, and below it each subtask that said anything is one", () => {
  const { api, spans } = recordingApi();
  checkpointSpans(api).onEnded?.(record);
  expect(spans).toEqual([
    { name: "Checkpoint", parent: undefined, startTime: 1_000, status: "declined", endTime: 1_060 },
    {
      name: "counts (1/3)",
      parent: "below root",
      startTime: 1_010,
      status: undefined,
      endTime: 1_050,
    },
    {
      name: "counts (2/3)",
      parent: "below root",
      startTime: 1_010,
      status: "Error: disk full",
      endTime: 1_055,
    },
  ]);
});

test("without an SDK nobody is told", async () => {
  expect(await telemetryObserver()).toBeUndefined();
});
