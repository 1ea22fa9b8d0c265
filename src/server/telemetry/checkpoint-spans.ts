import { errorText, type Logger } from "../../base/index.ts";
import {
  type CheckpointObserver,
  type CheckpointRecord,
  checkpointSizes,
  type SubtaskRecord,
  type VertexRecord,
} from "../../checkpoint/index.ts";

/** What is used of `@opentelemetry/api`, which is there only if the user's program brings it. */
export interface TelemetryApi {
  readonly ROOT_CONTEXT: unknown;
  readonly trace: {
    getTracer(name: string): TelemetryTracer;
    setSpan(context: unknown, span: TelemetrySpan): unknown;
  };
}

type Attributes = Readonly<Record<string, string | number | boolean>>;

interface TelemetryTracer {
  startSpan(
    name: string,
    options: { readonly startTime: HighResolutionTime; readonly attributes: Attributes },
    context: unknown,
  ): TelemetrySpan;
}

interface TelemetrySpan {
  setStatus(status: { readonly code: number; readonly message: string }): unknown;
  end(endTime: HighResolutionTime): void;
}

/** Seconds since the epoch, and nanoseconds beyond. A plain number an SDK may take for one of the performance clock. */
type HighResolutionTime = readonly [seconds: number, nanos: number];

/** Flink's name of where its spans come from. */
const SCOPE = "org.apache.flink.runtime.checkpoint.CheckpointStatsTracker";

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/** Where an SDK registers itself, whatever copy of the API it uses. */
const REGISTERED: unique symbol = Symbol.for("opentelemetry.js.api.1");

/** Whether an SDK that takes spans is registered in this process. */
export function isTelemetryPresent(): boolean {
  const registered = (globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } })[
    REGISTERED
  ];
  return registered?.trace !== undefined;
}

/**
 * Tells OpenTelemetry of each checkpoint that has ended, and of each subtask's part in it; undefined if no SDK is registered in this process.
 *
 * @param log - Told, once, that the SDK does not take what it is told.
 */
export async function telemetryObserver(log: Logger): Promise<CheckpointObserver | undefined> {
  if (!isTelemetryPresent()) return undefined;
  // The package is the user's, and need not be there.
  const name: string = "@opentelemetry/api";
  try {
    return checkpointSpans((await import(name)) as TelemetryApi, log);
  } catch (error) {
    log.log("WARN", `No spans: ${name} cannot be used: ${errorText(error)}`);
    return undefined;
  }
}

/**
 * A trace of its own for each checkpoint: below its span one for each vertex, below that one for each subtask, all with Flink's names and
 * attributes, and with what failed as their status.
 *
 * @remarks
 * An SDK that throws costs spans, never a checkpoint.
 *
 * Source: Flink `DefaultCheckpointStatsTracker` with `traces.checkpoint.span-detail-level: CHILDREN_SPANS_PER_SUBTASK`.
 */
export function checkpointSpans(api: TelemetryApi, log: Logger): CheckpointObserver {
  let hasComplained = false;
  return {
    onEnded(record) {
      try {
        new CheckpointTrace(api, record).write();
      } catch (error) {
        if (!hasComplained) {
          hasComplained = true;
          log.log("WARN", `The OpenTelemetry SDK takes no spans: ${errorText(error)}`, { error });
        }
      }
    },
  };
}

class CheckpointTrace {
  readonly #api: TelemetryApi;
  readonly #tracer: TelemetryTracer;
  readonly #record: CheckpointRecord;
  readonly #endMs: number;

  constructor(api: TelemetryApi, record: CheckpointRecord) {
    this.#api = api;
    this.#tracer = api.trace.getTracer(SCOPE);
    this.#record = record;
    this.#endMs = Math.max(record.endedAtMs ?? record.triggeredAtMs, record.triggeredAtMs);
  }

  write(): void {
    const { triggeredAtMs, failure, vertices } = this.#record;
    const span = this.#tracer.startSpan(
      "Checkpoint",
      { startTime: timeOf(triggeredAtMs), attributes: checkpointAttributes(this.#record) },
      this.#api.ROOT_CONTEXT,
    );
    if (failure !== null) span.setStatus({ code: ERROR, message: failure.message });
    const below = this.#api.trace.setSpan(this.#api.ROOT_CONTEXT, span);
    for (const vertex of vertices) this.#vertex(vertex, below);
    span.end(timeOf(this.#endMs));
  }

  #vertex(vertex: VertexRecord, context: unknown): void {
    const { checkpointId, triggeredAtMs } = this.#record;
    const parts = vertex.subtasks
      .map((subtask) => this.#part(subtask))
      .filter((part) => part !== undefined);
    if (parts.length === 0) return;
    const span = this.#tracer.startSpan(
      "Checkpoint_Task",
      {
        startTime: timeOf(triggeredAtMs),
        attributes: {
          checkpointId,
          jobVertexId: vertex.vertexId,
          taskName: vertex.name,
          parallelism: vertex.parallelism,
        },
      },
      context,
    );
    const problem = parts.find((part) => part.problem !== undefined)?.problem;
    if (problem !== undefined) span.setStatus({ code: ERROR, message: problem });
    const below = this.#api.trace.setSpan(context, span);
    for (const part of parts) this.#subtask(vertex, part, below);
    span.end(timeOf(Math.max(...parts.map(({ endMs }) => endMs))));
  }

  #subtask(vertex: VertexRecord, { subtask, startMs, endMs, problem }: Part, below: unknown): void {
    const span = this.#tracer.startSpan(
      "Checkpoint_Subtask",
      {
        startTime: timeOf(startMs),
        attributes: {
          checkpointId: this.#record.checkpointId,
          jobVertexId: vertex.vertexId,
          taskName: vertex.name,
          subtaskId: subtask.subtaskIndex,
          attempt: subtask.attempt,
          subtaskStatus: subtask.status,
          ...measures(subtask),
        },
      },
      below,
    );
    if (problem !== undefined) span.setStatus({ code: ERROR, message: problem });
    span.end(timeOf(endMs));
  }

  /** When the subtask was at it; undefined if it had no part. One that has not answered was at it until the end. */
  #part(subtask: SubtaskRecord): Part | undefined {
    const { triggeredAtMs, failure } = this.#record;
    const startMs = triggeredAtMs + (subtask.startDelayMs ?? 0);
    const part = (endMs: number, problem: string | undefined): Part => ({
      subtask,
      startMs: Math.min(startMs, endMs),
      endMs,
      problem,
    });
    if (subtask.acknowledgedAtMs !== null) return part(subtask.acknowledgedAtMs, undefined);
    if (subtask.declinedAtMs !== null) {
      const problem = subtask.declineCauses.at(-1) ?? subtask.declineReason ?? "declined";
      return part(subtask.declinedAtMs, problem);
    }
    if (subtask.status !== "PENDING" || failure === null) return undefined;
    return part(this.#endMs, "did not acknowledge");
  }
}

interface Part {
  readonly subtask: SubtaskRecord;
  readonly startMs: number;
  readonly endMs: number;
  /** Why its part failed. */
  readonly problem: string | undefined;
}

function checkpointAttributes(record: CheckpointRecord): Attributes {
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
    ...(record.failure === null ? {} : { failureReason: record.failure.reason }),
    ...(record.externalPath === null ? {} : { externalPath: record.externalPath }),
  };
}

/** Under Flink's names; what is not known is left out. */
function measures(subtask: SubtaskRecord): Attributes {
  const all = {
    StateSizeBytes: subtask.stateSizeBytes,
    CheckpointedSizeBytes: subtask.checkpointedSizeBytes,
    CheckpointStartDelayMs: subtask.startDelayMs,
    AlignmentDurationMs: subtask.alignmentDurationMs,
    SyncCheckpointDurationMs: subtask.syncDurationMs,
    AsyncCheckpointDurationMs: subtask.asyncDurationMs,
    ProcessedDataBytes: subtask.alignmentProcessedBytes,
    PersistedDataBytes: subtask.alignmentPersistedBytes,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, number] => entry[1] !== null),
  );
}

function timeOf(epochMs: number): HighResolutionTime {
  const seconds = Math.floor(epochMs / 1_000);
  return [seconds, Math.round((epochMs - seconds * 1_000) * 1e6)];
}
