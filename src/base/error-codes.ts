/** Who has to act: the job's author, an outside system, or this project. */
export type ErrorDomain = "user" | "external" | "internal";

/** What each code carries: plain values only, so that an error can be written to JSON. */
export interface ErrorDetails {
  /** `task` is the one in whose turn it happened, if it was in one. */
  readonly SLOT_LOST: {
    readonly slot: number;
    readonly task: string | undefined;
    readonly exitCode: number | undefined;
  };
  readonly SLOT_NOT_STARTED: { readonly slot: number };
  readonly SLOT_OUT_OF_MEMORY: { readonly slot: number; readonly task: string | undefined };
  readonly SLOT_HEARTBEAT_TIMEOUT: {
    readonly slot: number;
    readonly timeoutMs: number;
    readonly task: string | undefined;
    readonly blockedMs: number | undefined;
  };
  /** `job` is set if it cannot be told which of its tasks it is. */
  readonly UNHANDLED_REJECTION: {
    readonly where: string | undefined;
    readonly job: string | undefined;
  };
  readonly UNCAUGHT_EXCEPTION: {
    readonly where: string | undefined;
    readonly job: string | undefined;
  };
  readonly JOB_DIFFERS_IN_SLOT: { readonly job: string; readonly slot: number };
  readonly RESULT_CHECK_FAILED: { readonly path: string };
  readonly FILES_NOT_FOUND: { readonly path: string };
  readonly RECORD_MALFORMED: {
    readonly file: string;
    readonly line: number;
    readonly column: number | undefined;
    readonly problem: string;
    readonly excerpt: string;
  };
  readonly SOURCE_FILE_CHANGED: {
    readonly file: string;
    readonly line: number;
    readonly positionBytes: number;
    readonly problem: string;
  };
  readonly SOURCE_UNREADABLE: { readonly path: string };
  readonly SINK_FOLDER_NOT_EMPTY: { readonly folder: string; readonly file: string };
  readonly SINK_FILE_UNWRITABLE: { readonly file: string; readonly action: string };
  readonly COMMITTABLE_LOST: { readonly pending: string; readonly finished: string };
  readonly OPTION_UNKNOWN: {
    readonly key: string;
    readonly place: string;
    readonly nearest: string | undefined;
  };
  readonly OPTION_VALUE_INVALID: {
    readonly key: string;
    readonly value: string;
    readonly place: string;
    readonly expected: string;
  };
  readonly USER_FUNCTION_FAILED: {
    readonly operator: string;
    readonly subtask: string;
    readonly method: string;
    readonly record: string | undefined;
    readonly key: string | undefined;
  };
  /** `what` names the method or option that was given the value. */
  readonly SPLITS_NOT_ALIGNABLE: { readonly operator: string };
  readonly PARAMETER_INVALID: { readonly what: string; readonly problem: string };
  readonly TIMESTAMP_MISSING: { readonly operator: string };
  readonly WINDOW_MERGED_INTO_THE_PAST: {
    readonly operator: string;
    readonly window: string;
    readonly watermark: number;
  };
  readonly KEYED_STREAM_REQUIRED: { readonly operator: string; readonly what: string };
  /** `where` names the state or edge, filled in by whoever knows it; `path` is empty if the whole value does not fit. */
  readonly VALUE_NOT_SERIALIZABLE: {
    readonly where: string | undefined;
    readonly path: string;
    readonly problem: string;
  };
  readonly KEY_NOT_USABLE: { readonly path: string; readonly problem: string };
  readonly TYPE_DECLARATION_INVALID: { readonly type: string; readonly problem: string };
  readonly SERIALIZER_SNAPSHOT_UNKNOWN: { readonly className: string };
  /** `state` is undefined if it is the key that does not fit. */
  readonly STATE_INCOMPATIBLE: {
    readonly owner: string;
    readonly state: string | undefined;
    readonly reasons: readonly string[];
  };
  readonly STATE_BYTES_CORRUPT: {
    readonly owner: string;
    readonly state: string | undefined;
    readonly positionBytes: number;
    readonly problem: string;
  };
  /** In portable mode. `path` is that of the part that was to be changed; empty for the value itself. */
  readonly STATE_VALUE_CHANGED_IN_PLACE: {
    readonly owner: string;
    readonly state: string;
    readonly path: string;
  };
  /** In portable mode. `edge` names the operator that emitted the record and who gets it. */
  readonly EMITTED_RECORD_CHANGED: { readonly edge: string; readonly path: string };
  readonly STATE_DECLARED_DIFFERENTLY: {
    readonly owner: string;
    readonly state: string;
    readonly problem: string;
  };
  readonly STATE_HANDLE_UNREADABLE: {
    readonly path: string;
    readonly checkpointId: number;
    readonly problem: string;
  };
  readonly METADATA_MALFORMED: {
    readonly path: string;
    readonly positionBytes: number;
    readonly problem: string;
  };
  readonly METADATA_VERSION_UNSUPPORTED: { readonly path: string; readonly version: number };
  readonly METADATA_TEXT_TOO_LONG: {
    readonly start: string;
    readonly sizeBytes: number;
    readonly limitBytes: number;
  };
  /** `systemCode` is the operating system's, such as `ENOSPC`. */
  readonly CHECKPOINT_STORAGE_FAILED: {
    readonly operation: string;
    readonly path: string;
    readonly systemCode: string | undefined;
    readonly problem: string;
  };
  /** `text` is Flink's; the causes are those of the checkpoint that was one too many. */
  readonly CHECKPOINTS_FAILED: {
    readonly text: string;
    readonly checkpointId: number | undefined;
    readonly reason: string;
  };
  readonly SNAPSHOT_INCONSISTENT: { readonly problem: string };
  readonly NOT_A_SAVEPOINT: { readonly directory: string };
  readonly STATE_NOT_MATCHED: { readonly operators: readonly string[] };
  readonly MAX_PARALLELISM_CHANGED: {
    readonly operator: string;
    readonly snapshotMaxParallelism: number;
    readonly jobMaxParallelism: number;
  };
  readonly PARALLELISM_ABOVE_MAXIMUM: {
    readonly vertex: string;
    readonly parallelism: number;
    readonly maxParallelism: number;
  };
  readonly FINISHED_OPERATOR_MOVED: { readonly vertex: string; readonly problem: string };
  readonly IN_FLIGHT_DATA_NOT_RESCALABLE: {
    readonly upstream: string;
    readonly downstream: string;
    readonly partitioner: string;
  };
  readonly IN_FLIGHT_DATA_NOT_RESTORABLE: { readonly vertex: string; readonly problem: string };
  readonly CHECKPOINT_STORAGE_UNSUPPORTED: { readonly path: string };
  readonly SAVEPOINT_DIRECTORY_MISSING: { readonly checkpointId: number };
  readonly CHECKPOINT_POINTER_INVALID: { readonly pointer: string; readonly problem: string };
  readonly DUPLICATE_UID: { readonly uid: string; readonly operators: readonly [string, string] };
  readonly FORWARD_CHANGES_PARALLELISM: {
    readonly upstream: string;
    readonly upstreamParallelism: number;
    readonly downstream: string;
    readonly downstreamParallelism: number;
  };
  readonly PARALLELISM_INVALID: { readonly operator: string; readonly problem: string };
  readonly OUTPUT_TAG_CONFLICT: {
    readonly operator: string;
    readonly tag: string;
    readonly types: readonly [string, string];
  };
  readonly JOB_WITHOUT_OPERATORS: { readonly job: string };
  readonly JOB_NOT_REPEATABLE: { readonly job: string };
  readonly JOB_FAILED: {
    readonly job: string;
    readonly restarts: number;
    readonly task: string | undefined;
  };
  readonly JOB_FAILED_WHILE_STOPPING: { readonly savepoint: string };
  readonly JOB_NOT_RUNNING: { readonly job: string; readonly status: string };
  readonly JOB_NOT_RESCALABLE: { readonly job: string; readonly problem: string };
  readonly JOB_NOT_FOUND: { readonly jobId: string };
  readonly JOB_NOT_CHOSEN: {
    readonly named: string | undefined;
    readonly jobs: readonly string[];
  };
  readonly HISTORY_UNREADABLE: { readonly path: string };
  readonly SERVER_NOT_STARTED: { readonly address: string; readonly problem: string };
  readonly SERVER_UNPROTECTED: { readonly address: string };
  readonly SERVER_REFUSED: {
    readonly request: string;
    readonly status: number;
    readonly answer: string;
  };
  readonly OPERATION_FAILED: { readonly operation: string; readonly cause: string };
  readonly SERVER_UNREACHABLE: { readonly address: string; readonly problem: string };
  readonly OPTIONS_CONTRADICT: { readonly problem: string };
  readonly SNAPSHOT_FAILED: { readonly what: string; readonly reason: string };
  readonly FUNCTION_OBJECT_SHARED: { readonly job: string; readonly function: string };
  readonly JOB_FILE_NOT_FOUND: { readonly path: string; readonly problem: string };
  readonly JOB_FILE_NOT_LOADED: { readonly path: string };
  readonly JOB_FILE_WITHOUT_JOB: { readonly path: string; readonly problem: string };
  readonly JOB_DIRECTORY_IN_USE: { readonly directory: string; readonly holder: string };
  readonly JOB_DIRECTORY_LOST: { readonly directory: string; readonly holder: string };
  readonly JOB_DIRECTORY_UNUSABLE: { readonly directory: string; readonly problem: string };
  readonly CHECKPOINT_MISSING: {
    readonly directory: string;
    readonly checkpointId: number;
    readonly newestId: number | undefined;
  };
  readonly JOB_STATE_MALFORMED: { readonly path: string; readonly problem: string };
  readonly CONFIGURATION_UNREADABLE: { readonly path: string; readonly problem: string };
}

/** Names one foreseen condition. A code, once released, keeps its meaning. */
export type ErrorCode = keyof ErrorDetails;

interface ErrorDefinition<D> {
  readonly domain: ErrorDomain;
  readonly retryable: boolean;
  /** Facts with values and units, ending with a period. */
  readonly message: (details: D) => string;
  /** What to do about it, in the imperative. */
  readonly remedy: string | ((details: D) => string);
}

/** What to do about a failing checkpoint storage, by the operating system's code. */
const STORAGE_REMEDIES: Readonly<Record<string, string>> = {
  EACCES:
    "Give the user who runs the job the right to write there, or set execution.checkpointing.dir to another directory.",
  EPERM:
    "Give the user who runs the job the right to write there, or set execution.checkpointing.dir to another directory.",
  EROFS:
    "Mount the file system for writing, or set execution.checkpointing.dir to another directory.",
  ENOSPC: "Free space on the device, or set execution.checkpointing.dir to a larger one.",
  EDQUOT: "Raise the quota, free space, or set execution.checkpointing.dir to another device.",
  EEXIST:
    "Move away the file that is in the way, or set execution.checkpointing.dir to another directory.",
  ENOTDIR:
    "Move away the file that is in the way, or set execution.checkpointing.dir to another directory.",
};

/** The one place where codes are defined. A code without an entry does not compile. */
export const ERRORS: { readonly [C in ErrorCode]: ErrorDefinition<ErrorDetails[C]> } = {
  SLOT_LOST: {
    domain: "user",
    retryable: true,
    message: ({ slot, task, exitCode }) =>
      `Slot ${slot} was lost${task === undefined ? "" : ` in a turn of ${task}`}: its thread ${
        exitCode === undefined ? "met an error that nothing caught" : `ended with code ${exitCode}`
      }.`,
    remedy:
      "See the cause, if there is one; user code that calls process.exit must throw instead, and the job restarts by its strategy.",
  },
  SLOT_NOT_STARTED: {
    domain: "user",
    retryable: false,
    message: ({ slot }) => `The thread of slot ${slot} could not load the job.`,
    remedy:
      "See the cause: the job file must load in a worker thread as it does in the main thread; with cutwater.slots 1 it runs without one.",
  },
  SLOT_OUT_OF_MEMORY: {
    domain: "user",
    retryable: true,
    message: ({ slot, task }) =>
      `Slot ${slot} filled its heap${task === undefined ? "" : ` in a turn of ${task}`}, and its thread ended.`,
    remedy:
      "Hold less in user code and state, give state a time to live, or raise cutwater.slot.heap-size.",
  },
  SLOT_HEARTBEAT_TIMEOUT: {
    domain: "user",
    retryable: true,
    message: ({ slot, timeoutMs, task, blockedMs }) =>
      `Slot ${slot} showed no sign of life for ${timeoutMs} ms${
        task === undefined || blockedMs === undefined
          ? ""
          : `: it has been in one turn of ${task} for ${Math.round(blockedMs)} ms`
      }.`,
    remedy:
      "Let no user function run that long: do slow work asynchronously, or raise heartbeat.timeout.",
  },
  UNHANDLED_REJECTION: {
    domain: "user",
    retryable: true,
    message: (origin) => `A promise that nobody looked at was rejected${originText(origin)}.`,
    remedy: "Await or catch every promise that a user function makes; see the cause.",
  },
  UNCAUGHT_EXCEPTION: {
    domain: "user",
    retryable: true,
    message: (origin) => `An error that nothing caught was thrown${originText(origin)}.`,
    remedy: "Catch what a timer or callback of a user function can throw; see the cause.",
  },
  JOB_DIFFERS_IN_SLOT: {
    domain: "user",
    retryable: false,
    message: ({ job, slot }) =>
      `The plan of job "${job}" is another one in the thread of slot ${slot} than in the main thread.`,
    remedy:
      "Let the job's function follow from its environment and arguments alone: no clock, no chance, no variable that changes, no isMainThread.",
  },
  RESULT_CHECK_FAILED: {
    domain: "user",
    retryable: false,
    message: (d) => `The job finished, but the check that ${d.path} exports does not hold.`,
    remedy:
      "Compare the output with what the check expects; the cause below says where they differ.",
  },
  FILES_NOT_FOUND: {
    domain: "user",
    retryable: false,
    message: (d) => `No file matches ${d.path}.`,
    remedy:
      "Correct the path or pattern (a relative one counts from the working directory), or let the source watch for new files.",
  },
  RECORD_MALFORMED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `${d.file}:${d.line}${d.column === undefined ? "" : `:${d.column}`}: ${d.problem}; the record begins ${d.excerpt}.`,
    remedy: 'Mend the file, or give the source onBadRecord: "skip" or a side output.',
  },
  SOURCE_FILE_CHANGED: {
    domain: "external",
    retryable: false,
    message: (d) => `${d.file}:${d.line} (byte ${d.positionBytes}): ${d.problem}.`,
    remedy:
      'Bring the file back as it was, or give the source onBadRecord: "skip" or a side output to drop its rest.',
  },
  SOURCE_UNREADABLE: {
    domain: "external",
    retryable: true,
    message: (d) => `The source cannot read ${d.path}.`,
    remedy:
      "Look at the cause (permission, a device or network file system that is away) and mend it; the job goes on from its last checkpoint.",
  },
  SINK_FOLDER_NOT_EMPTY: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The folder ${d.folder} already holds the finished output ${d.file} of another run.`,
    remedy: 'Choose another folder, or give the sink existing: "overwrite" or existing: "append".',
  },
  SINK_FILE_UNWRITABLE: {
    domain: "external",
    retryable: true,
    message: (d) => `The sink could not ${d.action} ${d.file}.`,
    remedy:
      "Look at the cause (permission, space, a file in the way) and mend it; the job goes on from its last checkpoint.",
  },
  COMMITTABLE_LOST: {
    domain: "external",
    retryable: false,
    message: (d) => `The pending file ${d.pending} is gone, and there is no ${d.finished}.`,
    remedy:
      "Bring the pending file back, or restore from an older checkpoint; something outside the job removed it.",
  },
  OPTION_UNKNOWN: {
    domain: "user",
    retryable: false,
    message: (d) => `There is no option "${d.key}" (${d.place}).`,
    remedy: (d) =>
      d.nearest === undefined
        ? "Look the key up in docs/reference/options.md, or leave it out."
        : `Write "${d.nearest}", or leave it out.`,
  },
  OPTION_VALUE_INVALID: {
    domain: "user",
    retryable: false,
    message: (d) => `Option ${d.key} has the value "${d.value}" (${d.place}).`,
    remedy: (d) => `Give ${d.expected}.`,
  },
  USER_FUNCTION_FAILED: {
    domain: "user",
    retryable: true,
    message: (d) =>
      `${d.method} of operator "${d.operator}", subtask ${d.subtask}, failed` +
      `${d.key === undefined ? "" : ` for key ${d.key}`}${d.record === undefined ? "" : ` on record ${d.record}`}.`,
    remedy: "Mend the function, or let it handle this record; the cause below is its own error.",
  },
  SPLITS_NOT_ALIGNABLE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `A split of "${d.operator}" is ahead of its watermark alignment group, and the source's reader cannot hold back one split alone.`,
    remedy:
      "Give its reader the method pauseOrResumeSplits, or set pipeline.watermark-alignment.allow-unaligned-source-splits to true: then only the reader as a whole is held back.",
  },
  PARAMETER_INVALID: {
    domain: "user",
    retryable: false,
    message: (d) => `${d.what} was given what it cannot use: ${d.problem}.`,
    remedy: "Correct the value.",
  },
  TIMESTAMP_MISSING: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `A record without a timestamp reached "${d.operator}", which works in event time.`,
    remedy:
      "Give the stream timestamps with assignTimestampsAndWatermarks, or use a window in processing time.",
  },
  WINDOW_MERGED_INTO_THE_PAST: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `Merging gave "${d.operator}" the window ${d.window}, which ends before the current time ${d.watermark}.`,
    remedy: "Let the window assigner's merged windows cover all of their parts.",
  },
  KEYED_STREAM_REQUIRED: {
    domain: "user",
    retryable: false,
    message: (d) => `${d.what} of "${d.operator}" needs a key, and there is none here.`,
    remedy:
      "Call keyBy before this operator, and use keyed state and timers only while a keyed record is processed.",
  },
  VALUE_NOT_SERIALIZABLE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `${d.path === "" ? "The value" : `\`${d.path}\` of the value`}${d.where === undefined ? "" : ` of ${d.where}`}` +
      ` cannot be serialized: ${d.problem}.`,
    remedy:
      "Store plain data of the declared type; rebuild functions and class instances from it where they are used.",
  },
  KEY_NOT_USABLE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `${d.path === "" ? "The key" : `\`${d.path}\` of the key`} cannot be used: ${d.problem}.`,
    remedy:
      "Return a string, number, boolean, bigint or plain data from the key selector, and declare its type.",
  },
  TYPE_DECLARATION_INVALID: {
    domain: "user",
    retryable: false,
    message: (d) => `The declaration of ${d.type} is not valid: ${d.problem}.`,
    remedy: "Correct the declaration.",
  },
  SERIALIZER_SNAPSHOT_UNKNOWN: {
    domain: "external",
    retryable: false,
    message: (d) =>
      `The serializer snapshot class ${d.className} is not known, so what follows it cannot be read.`,
    remedy: "Read this state with the job that wrote it.",
  },
  STATE_INCOMPATIBLE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `${d.state === undefined ? "The keyed state" : `State "${d.state}"`} of ${d.owner} cannot be restored as it is declared now: ` +
      `${d.reasons.join("; ")}.`,
    remedy: "Declare the state as it was, or under a new name.",
  },
  STATE_BYTES_CORRUPT: {
    domain: "external",
    retryable: false,
    message: (d) =>
      `${d.state === undefined ? "State" : `State "${d.state}"`} of ${d.owner} is damaged at byte ${d.positionBytes}: ${d.problem}.`,
    remedy: "Restore from an older retained checkpoint with --fromSavepoint.",
  },
  STATE_VALUE_CHANGED_IN_PLACE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `A value of state "${d.state}" of ${d.owner} was changed in place${d.path === "" ? "" : `, at ${d.path}`}.`,
    remedy:
      "Make a copy, change that, and give it to the state (update, put, add): where state lies in another process a change in place is lost.",
  },
  EMITTED_RECORD_CHANGED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `A record was changed after it was emitted from ${d.edge}${d.path === "" ? "" : `, at ${d.path}`}.`,
    remedy:
      "Emit a copy, or make a new object for each record: whether a later change is seen downstream depends on where the tasks run.",
  },
  STATE_DECLARED_DIFFERENTLY: {
    domain: "user",
    retryable: false,
    message: (d) => `State "${d.state}" of ${d.owner} is declared twice: ${d.problem}.`,
    remedy: "Give each state of an operator a name of its own.",
  },
  STATE_HANDLE_UNREADABLE: {
    domain: "external",
    retryable: false,
    message: (d) =>
      `Checkpoint ${d.checkpointId} refers to ${d.path}, which cannot be read: ${d.problem}.`,
    remedy: "Restore from an older retained checkpoint with --fromSavepoint.",
  },
  METADATA_MALFORMED: {
    domain: "external",
    retryable: false,
    message: (d) =>
      `${d.path} is not a valid _metadata file: at byte ${d.positionBytes}, ${d.problem}.`,
    remedy:
      "Restore from an older retained checkpoint with --fromSavepoint; this file is damaged or cut.",
  },
  METADATA_VERSION_UNSUPPORTED: {
    domain: "external",
    retryable: false,
    message: (d) =>
      `${d.path} has format version ${d.version}; versions 2 to 7 are read.` +
      (d.version === 1
        ? " Flink 1.2 wrote version 1, and Flink itself reads it only up to 1.10."
        : ""),
    remedy: (d) =>
      d.version === 1
        ? "Restore it with Flink 1.3 to 1.10 and take a savepoint there."
        : "Use a newer version of this package, or a checkpoint of an older Flink.",
  },
  METADATA_TEXT_TOO_LONG: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `A name or path in the checkpoint takes ${d.sizeBytes} bytes, and the format holds ${d.limitBytes}: "${d.start}...".`,
    remedy: "Shorten the name of the state or operator, or the checkpoint directory.",
  },
  CHECKPOINT_STORAGE_FAILED: {
    domain: "external",
    retryable: true,
    message: (d) => `${d.operation} ${d.path} failed: ${d.problem}.`,
    remedy: (d) =>
      STORAGE_REMEDIES[d.systemCode ?? ""] ??
      "Mend the storage, or set execution.checkpointing.dir to another directory.",
  },
  CHECKPOINTS_FAILED: {
    domain: "external",
    retryable: true,
    message: (d) => d.text,
    remedy:
      "Remove the cause below, or raise execution.checkpointing.tolerable-failed-checkpoints to bear passing trouble.",
  },
  SNAPSHOT_INCONSISTENT: {
    domain: "external",
    retryable: false,
    message: (d) => `The snapshot contradicts itself: ${d.problem}.`,
    remedy: "Restore from an older retained checkpoint with --fromSavepoint.",
  },
  NOT_A_SAVEPOINT: {
    domain: "user",
    retryable: false,
    message: ({ directory }) => `${directory} is no savepoint: it is a job's own checkpoint.`,
    remedy:
      "Leave checkpoints to their job, which deletes them by its retention; remove the directory by hand if the job is gone for good.",
  },
  STATE_NOT_MATCHED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The snapshot has state of operators that the job does not have: ${d.operators.join("; ")}.`,
    remedy:
      "Give the operators the uid that they had, or drop their state with --allowNonRestoredState.",
  },
  MAX_PARALLELISM_CHANGED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The maximum parallelism of operator ${d.operator} is ${d.snapshotMaxParallelism} in the snapshot and ${d.jobMaxParallelism} in the job.`,
    remedy: (d) =>
      `Set the maximum parallelism to ${d.snapshotMaxParallelism}, or leave it unset; the snapshot fixes it.`,
  },
  PARALLELISM_ABOVE_MAXIMUM: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The state for task ${d.vertex} can not be restored at parallelism ${d.parallelism}: its maximum parallelism is ${d.maxParallelism}.`,
    remedy: (d) => `Reduce its parallelism to ${d.maxParallelism} or less.`,
  },
  FINISHED_OPERATOR_MOVED: {
    domain: "user",
    retryable: false,
    message: (d) => `Vertex ${d.vertex} cannot be restored: ${d.problem}.`,
    remedy:
      "Start from this snapshot with the operators and chains that the job had, or from an older one.",
  },
  IN_FLIGHT_DATA_NOT_RESCALABLE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The snapshot holds records in flight from ${d.upstream} to ${d.downstream}, which a ${d.partitioner} partitioner cannot deal to another parallelism.`,
    remedy:
      "Restore at the old parallelism and take a savepoint, which holds none; rescale from that. Or put a rebalance() or shuffle() there.",
  },
  IN_FLIGHT_DATA_NOT_RESTORABLE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The snapshot holds records in flight to ${d.vertex}, which cannot be restored: ${d.problem}.`,
    remedy:
      "Start the job as it was, take a savepoint, which holds no records in flight, and start the changed job from that.",
  },
  CHECKPOINT_STORAGE_UNSUPPORTED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `Checkpoints cannot be kept at ${d.path}: only paths and file: addresses of this machine are supported.`,
    remedy:
      "Set execution.checkpointing.dir to a directory of this machine, such as a mounted volume.",
  },
  SAVEPOINT_DIRECTORY_MISSING: {
    domain: "user",
    retryable: false,
    message: () => "No savepoint location given and no default location configured.",
    remedy: "Name a target directory, or set execution.checkpointing.savepoint-dir.",
  },
  CHECKPOINT_POINTER_INVALID: {
    domain: "user",
    retryable: false,
    message: (d) => `${d.pointer} does not point to a completed checkpoint: ${d.problem}.`,
    remedy: "Give the directory of a completed checkpoint or savepoint, or its _metadata file.",
  },
  DUPLICATE_UID: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The operators "${d.operators[0]}" and "${d.operators[1]}" have the same uid "${d.uid}".`,
    remedy: "Give each operator a uid of its own: it is the name of the operator's state.",
  },
  FORWARD_CHANGES_PARALLELISM: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `forward() joins "${d.upstream}" of parallelism ${d.upstreamParallelism} to "${d.downstream}" of parallelism ` +
      `${d.downstreamParallelism}, but it does not allow a change of parallelism.`,
    remedy: "Use rebalance() or rescale(), or set the same parallelism on both.",
  },
  PARALLELISM_INVALID: {
    domain: "user",
    retryable: false,
    message: (d) => `Operator "${d.operator}" cannot be made: ${d.problem}.`,
    remedy:
      "Set a parallelism from 1 to the max parallelism, and a max parallelism of at most 32768.",
  },
  OUTPUT_TAG_CONFLICT: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The side output "${d.tag}" of operator "${d.operator}" is read as ${d.types[0]} and as ${d.types[1]}.`,
    remedy:
      "Make one tag with outputTag(id, type) and use it everywhere, or give the tags different ids.",
  },
  JOB_WITHOUT_OPERATORS: {
    domain: "user",
    retryable: false,
    message: (d) => `The job "${d.job}" has no operators.`,
    remedy: "Let the job's function end its streams in sinks, for example with print().",
  },
  JOB_FAILED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `Job "${d.job}" failed${d.task === undefined ? "" : ` in ${d.task}`} after ${d.restarts} restarts.`,
    remedy: "See the cause; running the job again goes on from its newest retained checkpoint.",
  },
  JOB_FAILED_WHILE_STOPPING: {
    domain: "external",
    retryable: false,
    message: (d) =>
      `The job failed while it was stopping; the savepoint ${d.savepoint} is complete, but what it covers may not all be committed.`,
    remedy: "Start the job from the savepoint: that commits the rest, and nothing twice.",
  },
  JOB_NOT_RUNNING: {
    domain: "user",
    retryable: false,
    message: (d) => `Job "${d.job}" is ${d.status}, not RUNNING.`,
    remedy: "Ask again when the job runs.",
  },
  JOB_NOT_RESCALABLE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The parallelism of job "${d.job}" cannot be changed while it runs: ${d.problem}.`,
    remedy: "Stop the job and start it again with another parallelism.",
  },
  JOB_NOT_FOUND: {
    domain: "user",
    retryable: false,
    message: (d) => `There is no job ${d.jobId}.`,
    remedy: "Look for its id with `cutwater list`.",
  },
  JOB_NOT_CHOSEN: {
    domain: "user",
    retryable: false,
    message: (d) =>
      (d.named === undefined
        ? "It is not clear which job is meant."
        : `No one job is ${d.named}.`) +
      (d.jobs.length === 0 ? " The server has none." : ` The server has: ${d.jobs.join("; ")}.`),
    remedy: "Give the id of one of these jobs.",
  },
  HISTORY_UNREADABLE: {
    domain: "user",
    retryable: false,
    message: (d) => `There is no checkpoint history at ${d.path}.`,
    remedy:
      "Give the directory of a job, such as .cutwater/<job name>/<job id>, or a history.jsonl.",
  },
  SERVER_NOT_STARTED: {
    domain: "external",
    retryable: true,
    message: (d) => `The server cannot listen at ${d.address}: ${d.problem}.`,
    remedy: "Choose another rest.port or rest.bind-address.",
  },
  SERVER_UNPROTECTED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The server would listen at ${d.address}, where others can reach it, without asking for a token.`,
    remedy: "Set cutwater.rest.token, or bind to 127.0.0.1.",
  },
  SERVER_REFUSED: {
    domain: "user",
    retryable: false,
    message: (d) => `${d.request} was answered with ${d.status}: ${d.answer}`,
    remedy: "Do what the answer says.",
  },
  OPERATION_FAILED: {
    domain: "external",
    retryable: true,
    message: (d) => `The ${d.operation} failed: ${d.cause}`,
    remedy: "Mend the cause and ask again; `cutwater list --all` shows what became of the job.",
  },
  SERVER_UNREACHABLE: {
    domain: "external",
    retryable: true,
    message: (d) => `No server answers at ${d.address}: ${d.problem}.`,
    remedy:
      "Give the address that `cutwater run` has shown with --address, or start the job again.",
  },
  OPTIONS_CONTRADICT: {
    domain: "user",
    retryable: false,
    message: (d) => `The configuration contradicts itself: ${d.problem}.`,
    remedy: "Change one of the options named.",
  },
  SNAPSHOT_FAILED: {
    domain: "external",
    retryable: true,
    message: (d) => `The ${d.what} failed: ${d.reason}`,
    remedy:
      "See the checkpoint's record for the phase and the subtask that failed, then ask again.",
  },
  JOB_NOT_REPEATABLE: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The function of job "${d.job}" was called twice with the same configuration and made two different jobs.`,
    remedy:
      "Let the job depend on its configuration and arguments alone, not on the clock, chance or the call before.",
  },
  FUNCTION_OBJECT_SHARED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `The ${d.function} of job "${d.job}" was made outside the job's function, so all subtasks would share its fields.`,
    remedy:
      "Make it inside the job's function, or pass a function that makes it: process(() => new MyFunction()).",
  },
  JOB_FILE_NOT_FOUND: {
    domain: "user",
    retryable: false,
    message: (d) => `The job file ${d.path} cannot be read: ${d.problem}.`,
    remedy:
      "Give the path of a .ts or .js file that exports a job, relative to the working directory.",
  },
  JOB_FILE_NOT_LOADED: {
    domain: "user",
    retryable: false,
    message: (d) => `The job file ${d.path} could not be loaded.`,
    remedy: "Mend what the cause names; nothing was started.",
  },
  JOB_FILE_WITHOUT_JOB: {
    domain: "user",
    retryable: false,
    message: (d) => `The job file ${d.path} gives no job: ${d.problem}.`,
    remedy: 'End the file with `export default defineJob("name", (env) => { ... })`.',
  },
  JOB_DIRECTORY_IN_USE: {
    domain: "user",
    retryable: true,
    message: (d) => `The job directory ${d.directory} is in use by ${d.holder}.`,
    remedy:
      "Stop that process first, or give this job another name or another execution.checkpointing.dir.",
  },
  JOB_DIRECTORY_LOST: {
    domain: "external",
    retryable: false,
    message: (d) =>
      `The job directory ${d.directory} was taken over by ${d.holder} while this process did not run.`,
    remedy: "Let that process run on; this one must not write there any more.",
  },
  JOB_DIRECTORY_UNUSABLE: {
    domain: "external",
    retryable: false,
    message: (d) => `The job directory ${d.directory} cannot be used: ${d.problem}.`,
    remedy: "Make the directory writable, or set execution.checkpointing.dir to another one.",
  },
  CHECKPOINT_MISSING: {
    domain: "external",
    retryable: false,
    message: (d) =>
      `The history in ${d.directory} says that checkpoint ${d.checkpointId} was completed, and chk-${d.checkpointId} is not there, or not whole: ${
        d.newestId === undefined ? "there is no other" : `the newest is chk-${d.newestId}`
      }.`,
    remedy:
      "Bring it back, or name an older one with --fromSavepoint, or start from nothing with --fresh; what the sinks published since will come again.",
  },
  JOB_STATE_MALFORMED: {
    domain: "external",
    retryable: false,
    message: (d) => `${d.path} is not what this package writes: ${d.problem}.`,
    remedy: "Start with --fresh, or go on from a checkpoint that you name with --fromSavepoint.",
  },
  CONFIGURATION_UNREADABLE: {
    domain: "user",
    retryable: false,
    message: (d) => `The configuration ${d.path} cannot be read: ${d.problem}.`,
    remedy: "Mend the file, or give another one with --config.",
  },
};

/** Where an error that nobody caught came from, as far as it can be told. */
function originText({ where, job }: ErrorDetails["UNCAUGHT_EXCEPTION"]): string {
  if (where !== undefined) return ` in ${where}`;
  return job === undefined ? "" : ` in job "${job}"; which of its tasks made it cannot be told`;
}
