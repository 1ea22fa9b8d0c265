import {
  type CheckpointObserver,
  type CheckpointRecord,
  checkpointSizes,
  type SubtaskRecord,
  type VertexRecord,
} from "../../checkpoint/index.ts";

/** What is used of `@opentelemetry/api`, which is there only if the user's program brings it. */
export interface TelemetryApi {
  readonly context: { active(): unknown };
  readonly trace: {
    getTracer(name: string): TelemetryTracer;
    setSpan(context: unknown, span: TelemetrySpan): unknown;
  };
}

interface TelemetryTracer {
  startSpan(
    name: string,
    options: {
      readonly startTime: number;
      readonly attributes: Readonly<Record<string, string | number | boolean>>;
    },
    context?: unknown,
  ): TelemetrySpan;
}

interface TelemetrySpan {
  setStatus(status: { readonly code: number; readonly message: string }): unknown;
  end(endTime: number): void;
}

/** Flink's name of where its spans come from. */
const SCOPE = "org.apache.flink.runtime.checkpoint.CheckpointStatsTracker";

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/** Where an SDK registers itself, whatever copy of the API it uses. */
const REGISTERED: symbol = Symbol.for("opentelemetry.js.api.1");

/**
 * Tells OpenTelemetry of each checkpoint that has ended, and of each subtask's part in it; undefined if no SDK is registered in this process.
 */
export async function telemetryObserver(): Promise<CheckpointObserver | undefined> {
  if (!(REGISTERED in globalThis)) return undefined;
  // The package is the user's, and need not be there.
  const name: string = "@opentelemetry/api";
  try {
    return checkpointSpans((await import(name)) as TelemetryApi);
  } catch {
    return undefined;
  }
}

/** A span for each checkpoint with Flink's attributes, and one below it for each subtask that took part. */
export function checkpointSpans(api: TelemetryApi): CheckpointObserver {
  const tracer = api.trace.getTracer(SCOPE);
  return {
    onEnded(record) {
      const span = tracer.startSpan("Checkpoint", {
        startTime: record.triggeredAtMs,
        attributes: attributesOf(record),
      });
      const { failure } = record;
      if (failure !== null) span.setStatus({ code: ERROR, message: failure.message });
      const below = api.trace.setSpan(api.context.active(), span);
      for (const vertex of record.vertices) {
        for (const subtask of vertex.subtasks) {
          subtaskSpan(tracer, below, { record, vertex, subtask });
        }
      }
      span.end(record.endedAtMs ?? record.triggeredAtMs);
    },
  };
}

function attributesOf(record: CheckpointRecord): Record<string, string | number | boolean> {
  const sizes = checkpointSizes(record);
  const subtasks = record.vertices.flatMap((vertex) => vertex.subtasks);
  return {
    jobId: record.jobId,
    checkpointId: record.checkpointId,
    checkpointStatus: record.status,
    checkpointType: record.typeName,
    checkpointedSize: sizes.checkpointedSizeBytes,
    fullSize: sizes.stateSizeBytes,
    isUnaligned: subtasks.some(({ isUnaligned }) => isUnaligned === true),
  };
}

interface Part {
  readonly record: CheckpointRecord;
  readonly vertex: VertexRecord;
  readonly subtask: SubtaskRecord;
}

function subtaskSpan(
  tracer: TelemetryTracer,
  below: unknown,
  { record, vertex, subtask }: Part,
): void {
  const endMs = subtask.acknowledgedAtMs ?? subtask.declinedAtMs;
  // It said nothing: there is nothing to show of it.
  if (endMs === null) return;
  const startMs = record.triggeredAtMs + (subtask.startDelayMs ?? 0);
  const span = tracer.startSpan(
    `${vertex.name} (${subtask.subtaskIndex + 1}/${vertex.parallelism})`,
    {
      startTime: Math.min(startMs, endMs),
      attributes: {
        status: subtask.status,
        attempt: subtask.attempt,
        alignmentDurationMs: subtask.alignmentDurationMs ?? 0,
        syncDurationMs: subtask.syncDurationMs ?? 0,
        asyncDurationMs: subtask.asyncDurationMs ?? 0,
        checkpointedSize: subtask.checkpointedSizeBytes ?? 0,
        stateSize: subtask.stateSizeBytes ?? 0,
      },
    },
    below,
  );
  if (subtask.status === "DECLINED") {
    span.setStatus({ code: ERROR, message: subtask.declineCauses.at(-1) ?? "declined" });
  }
  span.end(endMs);
}
