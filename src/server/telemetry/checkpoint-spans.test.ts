import { SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, test } from "vitest";

import { type Logger, present, silentLogger } from "../../base/index.ts";
import type { CheckpointRecord, SubtaskRecord } from "../../checkpoint/index.ts";
import { checkpointSpans, telemetryObserver, type TelemetryApi } from "./checkpoint-spans.ts";

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
  alignmentProcessedBytes: 5,
  alignmentPersistedBytes: 0,
  syncDurationMs: 2,
  asyncDurationMs: 30,
  checkpointedSizeBytes: 7,
  stateSizeBytes: 8,
  isUnaligned: false,
};

const silent: SubtaskRecord = {
  ...subtask,
  subtaskIndex: 2,
  status: "PENDING",
  acknowledgedAtMs: null,
  startDelayMs: null,
  alignmentDurationMs: null,
  alignmentProcessedBytes: null,
  alignmentPersistedBytes: null,
  syncDurationMs: null,
  asyncDurationMs: null,
  checkpointedSizeBytes: null,
  stateSizeBytes: null,
  isUnaligned: null,
};

const completed: CheckpointRecord = {
  format: 1,
  jobId: "0".repeat(32),
  checkpointId: 3,
  kind: "CHECKPOINT",
  typeName: "Checkpoint",
  savepointFormat: null,
  isPeriodic: true,
  status: "COMPLETED",
  triggeredAtMs: 1_000,
  storageReadyAtMs: null,
  coordinatorsAcknowledgedAtMs: null,
  tasksTriggeredAtMs: null,
  latestAcknowledgedAtMs: 1_050,
  endedAtMs: 1_060,
  finalizationDurationMs: null,
  externalPath: "/checkpoints/chk-3",
  failure: null,
  subtaskCount: 2,
  acknowledgedSubtaskCount: 2,
  vertices: [
    {
      vertexId: "a".repeat(32),
      name: "counts",
      parallelism: 2,
      maxParallelism: 128,
      operators: [],
      inputs: [],
      subtasks: [
        subtask,
        { ...subtask, subtaskIndex: 1, status: "FINISHED_BEFORE", acknowledgedAtMs: null },
      ],
    },
  ],
};

const failed: CheckpointRecord = {
  ...completed,
  checkpointId: 4,
  status: "FAILED",
  externalPath: null,
  failure: { reason: "CHECKPOINT_DECLINED", message: "declined", causes: [], task: null },
  vertices: completed.vertices.map((vertex) => ({
    ...vertex,
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
      silent,
    ],
  })),
};

describe("with a real SDK", () => {
  const exporter = new InMemorySpanExporter();

  afterEach(() => {
    trace.disable();
    exporter.reset();
  });

  async function spansOf(record: CheckpointRecord): Promise<readonly ReadableSpan[]> {
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    );
    const observer = present(await telemetryObserver(silentLogger), "an SDK is registered");
    observer.onEnded?.(record);
    return exporter.getFinishedSpans();
  }

  test("a completed checkpoint is a trace: checkpoint, task, subtask", async () => {
    const spans = await spansOf(completed);
    expect(spans.map(({ name }) => name)).toEqual([
      "Checkpoint_Subtask",
      "Checkpoint_Task",
      "Checkpoint",
    ]);
    const [ofSubtask, ofTask, ofCheckpoint] = spans;
    expect(ofCheckpoint?.parentSpanContext).toBeUndefined();
    expect(ofTask?.parentSpanContext?.spanId).toBe(ofCheckpoint?.spanContext().spanId);
    expect(ofSubtask?.parentSpanContext?.spanId).toBe(ofTask?.spanContext().spanId);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(spans.map(timesOf)).toEqual([
      [1_010, 1_050],
      [1_000, 1_050],
      [1_000, 1_060],
    ]);
    expect(spans.map(({ status }) => status.code)).toEqual([0, 0, 0]);
    expect(ofCheckpoint?.instrumentationScope.name).toContain("CheckpointStatsTracker");
    expect(ofCheckpoint?.attributes).toEqual({
      jobId: "0".repeat(32),
      checkpointId: 3,
      checkpointStatus: "COMPLETED",
      checkpointType: "Checkpoint",
      checkpointedSize: 7,
      fullSize: 8,
      isUnaligned: false,
      externalPath: "/checkpoints/chk-3",
    });
    expect(ofSubtask?.attributes).toEqual({
      checkpointId: 3,
      jobVertexId: "a".repeat(32),
      taskName: "counts",
      subtaskId: 0,
      attempt: 0,
      subtaskStatus: "ACKNOWLEDGED",
      StateSizeBytes: 8,
      CheckpointedSizeBytes: 7,
      CheckpointStartDelayMs: 10,
      AlignmentDurationMs: 0,
      SyncCheckpointDurationMs: 2,
      AsyncCheckpointDurationMs: 30,
      ProcessedDataBytes: 5,
      PersistedDataBytes: 0,
    });
  });

  test("what failed has its cause as status, and who has not answered lasts to the end", async () => {
    const spans = await spansOf(failed);
    const about = spans.map(({ name, status, attributes, ...span }) => [
      name,
      attributes["subtaskId"],
      timesOf(span as ReadableSpan)[1],
      status.code === SpanStatusCode.ERROR ? status.message : undefined,
    ]);
    expect(about).toEqual([
      ["Checkpoint_Subtask", 0, 1_050, undefined],
      ["Checkpoint_Subtask", 1, 1_055, "Error: disk full"],
      ["Checkpoint_Subtask", 2, 1_060, "did not acknowledge"],
      ["Checkpoint_Task", undefined, 1_060, "Error: disk full"],
      ["Checkpoint", undefined, 1_060, "declined"],
    ]);
    expect(spans.at(-1)?.attributes["failureReason"]).toBe("CHECKPOINT_DECLINED");
  });
});

test("without an SDK nobody is told", async () => {
  expect(await telemetryObserver(silentLogger)).toBeUndefined();
});

test.each(["getTracer", "startSpan", "setSpan", "end"])(
  "an SDK that throws in %s costs no checkpoint, and is complained of once",
  (where) => {
    const lines: string[] = [];
    const log: Logger = { log: (_level, message) => void lines.push(message) };
    const breakIn = (name: string): void => {
      if (name === where) throw new Error(`${name} is broken`);
    };
    const span = { setStatus: () => undefined, end: () => breakIn("end") };
    const api: TelemetryApi = {
      ROOT_CONTEXT: {},
      trace: {
        getTracer: () => {
          breakIn("getTracer");
          return {
            startSpan: () => {
              breakIn("startSpan");
              return span;
            },
          };
        },
        setSpan: () => breakIn("setSpan"),
      },
    };
    const observer = checkpointSpans(api, log);
    observer.onEnded?.(failed);
    observer.onEnded?.(completed);
    expect(lines).toEqual([`The OpenTelemetry SDK takes no spans: ${where} is broken`]);
  },
);

function timesOf({ startTime, endTime }: Pick<ReadableSpan, "startTime" | "endTime">): number[] {
  return [startTime, endTime].map(([seconds, nanos]) => seconds * 1_000 + nanos / 1e6);
}
