/**
 * Everything the doctor knows, in one shape, whatever form it was handed over in.
 *
 * Invariants:
 *
 * - E1. Every fact knows the file and line it was read from.
 * - E2. Text is clean: no terminal escapes, no control characters but line breaks and tabs.
 * - E3. What could not be read is a {@link SourceFile} with a problem; it never hides the other inputs.
 */
export interface Evidence {
  readonly sources: readonly SourceFile[];
  readonly events: readonly LogEvent[];
  readonly settings: readonly Setting[];
  readonly rest: RestFacts;
  readonly listing: readonly ListedFile[];
  readonly stacks: readonly ThreadStack[];
  readonly gcPauses: readonly GcPause[];
  readonly metadata: readonly MetadataFact[];
}

/** Where something was read. `line` counts from 1; 0 means the file as a whole. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** One input, or one member of an archive or directory. */
export interface SourceFile {
  readonly path: string;
  readonly kind: SourceKind;
  readonly sizeBytes: number;
  /** Why it could not be used, or undefined. */
  readonly problem: string | undefined;
}

export type SourceKind =
  | "text"
  | "json"
  | "settings"
  | "metadata"
  | "archive"
  | "binary"
  | "empty"
  | "missing";

/** One line of a stack trace. */
export interface StackFrame {
  /** Class and method, without module and loader prefix. */
  readonly method: string;
  /** The jar that the class came from, as log4j prints it, or undefined. */
  readonly jar: string | undefined;
  /** Version of Flink, if the jar is one of Flink's own. */
  readonly jarVersion: string | undefined;
  readonly place: Place;
}

/** One exception of a chain. */
export interface ThrownError {
  readonly className: string;
  readonly message: string;
  readonly frames: readonly StackFrame[];
  readonly role: "top" | "cause" | "suppressed";
  readonly place: Place;
}

/** One record of a log, or a run of lines that belong to none. */
export interface LogEvent {
  readonly place: Place;
  /** Milliseconds in the writer's own wall-clock time, read as UTC, or undefined. Only differences mean anything. */
  readonly atMs: number | undefined;
  readonly level: string | undefined;
  readonly logger: string | undefined;
  readonly thread: string | undefined;
  /** Name of the process as a prefix or file name gives it. */
  readonly process: string | undefined;
  readonly message: string;
  /** Outermost first. */
  readonly thrown: readonly ThrownError[];
  /** How often the same record came in a row or in the file, this one included. */
  readonly repeats: number;
  /** The last time it came, if it came more than once. */
  readonly lastAtMs: number | undefined;
}

/** A configuration value. */
export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly place: Place;
  readonly origin: "file" | "log" | "rest" | "command";
}

/** A file or directory that a listing names. */
export interface ListedFile {
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly sizeBytes: number | undefined;
  readonly owner: string | undefined;
  readonly mode: string | undefined;
  readonly place: Place;
}

/** What one thread was doing. */
export interface ThreadStack {
  readonly thread: string;
  readonly state: string;
  readonly frames: readonly StackFrame[];
  readonly locked: readonly string[];
  readonly waitingFor: string | undefined;
  readonly source: "dump" | "stuck-report";
  readonly place: Place;
}

/** A stop of the world. */
export interface GcPause {
  readonly atMs: number | undefined;
  readonly durationMs: number;
  readonly full: boolean;
  readonly place: Place;
}

/** What the head of a `_metadata` file says. */
export interface MetadataFact {
  readonly path: string;
  readonly sizeBytes: number;
  readonly version: number | undefined;
  readonly checkpointId: number | undefined;
  readonly problem: string | undefined;
  /** Operators with state; name and uid are stored since Flink 2.0. */
  readonly operators: readonly {
    readonly id: string;
    readonly name: string | undefined;
    readonly uid: string | undefined;
  }[];
}

/** What answers of Flink's REST interface say. Each member keeps the place of its answer. */
export interface RestFacts {
  readonly flinkVersion: string | undefined;
  readonly jobs: readonly RestJob[];
  readonly checkpoints: readonly RestCheckpoint[];
  readonly checkpointCounts: readonly RestCheckpointCounts[];
  readonly subtasks: readonly RestSubtaskAnswer[];
  readonly checkpointConfig: readonly RestCheckpointConfig[];
  readonly vertices: readonly RestVertex[];
  readonly backpressure: readonly RestBackpressure[];
  readonly savepoints: readonly RestSavepoint[];
  readonly metrics: readonly RestMetric[];
  readonly taskManagers: number | undefined;
}

export interface RestJob {
  readonly id: string;
  readonly name: string | undefined;
  readonly state: string;
  readonly place: Place;
}

export interface RestCheckpointCounts {
  readonly completed: number;
  readonly failed: number;
  readonly inProgress: number;
  readonly restored: number;
  readonly place: Place;
}

export interface RestCheckpoint {
  readonly id: number;
  readonly status: string;
  readonly isSavepoint: boolean;
  readonly triggeredAtMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly stateBytes: number | undefined;
  readonly checkpointedBytes: number | undefined;
  readonly persistedBytes: number | undefined;
  readonly subtasks: number | undefined;
  readonly acknowledged: number | undefined;
  readonly failure: string | undefined;
  readonly externalPath: string | undefined;
  readonly tasks: readonly RestCheckpointTask[];
  readonly place: Place;
}

export interface RestCheckpointTask {
  readonly vertexId: string;
  readonly subtasks: number;
  readonly acknowledged: number;
  readonly durationMs: number | undefined;
  readonly stateBytes: number | undefined;
}

export interface RestSubtaskAnswer {
  readonly checkpointId: number;
  readonly status: string;
  readonly vertexId: string | undefined;
  readonly vertexName: string | undefined;
  readonly subtasks: readonly RestSubtask[];
  readonly place: Place;
}

export interface RestSubtask {
  readonly index: number;
  readonly completed: boolean;
  readonly durationMs: number | undefined;
  readonly stateBytes: number | undefined;
  readonly syncMs: number | undefined;
  readonly asyncMs: number | undefined;
  readonly alignmentMs: number | undefined;
  readonly persistedBytes: number | undefined;
  readonly startDelayMs: number | undefined;
  readonly unaligned: boolean | undefined;
}

export interface RestCheckpointConfig {
  readonly intervalMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly minPauseMs: number | undefined;
  readonly unaligned: boolean | undefined;
  readonly tolerable: number | undefined;
  readonly backend: string | undefined;
  readonly storage: string | undefined;
  readonly retained: boolean | undefined;
  readonly deleteOnCancellation: boolean | undefined;
  readonly place: Place;
}

export interface RestVertex {
  readonly id: string;
  readonly name: string;
  readonly parallelism: number;
  readonly maxParallelism: number | undefined;
  readonly status: string;
  /** Position among the job's vertices, sources first. */
  readonly position: number;
  /** Where its barriers come from; undefined if the evidence does not say. */
  readonly inputs: readonly RestVertexInput[] | undefined;
  readonly busyMs: number | undefined;
  readonly backpressuredMs: number | undefined;
  readonly place: Place;
}

export interface RestVertexInput {
  readonly vertexId: string;
  /** As the plan names it, such as `HASH`. */
  readonly shipStrategy: string;
}

export interface RestBackpressure {
  readonly vertexId: string | undefined;
  readonly level: string;
  readonly subtasks: readonly {
    readonly index: number;
    readonly backpressured: number | undefined;
    readonly busy: number | undefined;
    readonly idle: number | undefined;
  }[];
  readonly place: Place;
}

export interface RestSavepoint {
  readonly status: string;
  readonly location: string | undefined;
  readonly failure: string | undefined;
  readonly place: Place;
}

export interface RestMetric {
  readonly id: string;
  readonly value: string;
  readonly place: Place;
}
