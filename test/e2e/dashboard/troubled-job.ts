/**
 * A job with a skewed key, a slow sink and a storage that fails, as Flink's REST would describe it. The courses follow
 * those of real clusters in `test/golden/rest`.
 */

/** A subtask's course: start delay, alignment, sync, async and acknowledgement, in ms; undefined if it did not answer. */
type Course =
  | readonly [delay: number, alignment: number, sync: number, async: number, end: number]
  | undefined;

interface Vertex {
  readonly id: string;
  readonly name: string;
  readonly parallelism: number;
  readonly inputs: readonly (readonly [id: string, shipStrategy: string])[];
  readonly busyRatios: readonly number[];
  readonly backpressuredRatios: readonly number[];
  readonly records: readonly number[];
  readonly perSecond: readonly [recordsIn: number, recordsOut: number];
}

export const JOB_ID = "5f1d7a84c0b2e93d6a47f8c1029be356";
export const TOTALS = "8eeed16b661251f13cfc6a3c5e75c420";
const SINK = "a9386bd349da4c3dba55ae8715193eb3";
const SOURCE = "bc4197a480c92c793190a9f8c0afc54c";
const ENRICH = "4035c1d886fc204a1ddf41d10fd142d2";
const ALERTS = "71e5ae92c3926a779cb5e1d11b0a1f11";

export const VERTICES: readonly Vertex[] = [
  {
    id: SOURCE,
    name: "Source: orders",
    parallelism: 2,
    inputs: [],
    busyRatios: [0.11, 0.09],
    backpressuredRatios: [0.71, 0.68],
    records: [412_000, 398_000],
    perSecond: [0, 11_240],
  },
  {
    id: ENRICH,
    name: "enrich -> Filter",
    parallelism: 2,
    inputs: [[SOURCE, "FORWARD"]],
    busyRatios: [0.22, 0.2],
    backpressuredRatios: [0.63, 0.61],
    records: [411_800, 397_900],
    perSecond: [11_240, 10_870],
  },
  {
    id: TOTALS,
    name: "totals-per-customer",
    parallelism: 4,
    inputs: [[ENRICH, "HASH"]],
    busyRatios: [0.99, 0.03, 0.02, 0.04],
    backpressuredRatios: [0, 0, 0, 0],
    records: [741_200, 22_300, 21_900, 24_100],
    perSecond: [10_870, 640],
  },
  {
    id: SINK,
    name: "warehouse: Writer -> warehouse: Committer",
    parallelism: 2,
    inputs: [[TOTALS, "REBALANCE"]],
    busyRatios: [0.86, 0.21],
    backpressuredRatios: [0, 0],
    records: [18_100, 17_800],
    perSecond: [590, 0],
  },
  {
    id: ALERTS,
    name: "alerts: Writer",
    parallelism: 1,
    inputs: [[TOTALS, "REBALANCE"]],
    busyRatios: [0.01],
    backpressuredRatios: [0],
    records: [412],
    perSecond: [3, 0],
  },
];

interface ScriptedCheckpoint {
  readonly id: number;
  /** Seconds before the start of the server. */
  readonly before: number;
  readonly failed?: { readonly afterMs: number; readonly message: string };
  readonly type?: string;
  readonly isRunning?: boolean;
  readonly courses: Readonly<Record<string, readonly Course[]>>;
  readonly stateSize: number;
}

const quick = (scale: number): Readonly<Record<string, readonly Course[]>> => ({
  [SOURCE]: [
    [4, 0, 2, 9, 19],
    [5, 0, 2, 8, 18],
  ],
  [ENRICH]: [
    [12, 0, 1, 0, 15],
    [11, 0, 1, 0, 14],
  ],
  [TOTALS]: [
    [48, 12, 6, 60 * scale, 130 + 60 * scale],
    [22, 7, 5, 48 * scale, 86 + 48 * scale],
    [21, 8, 5, 51 * scale, 90 + 51 * scale],
    [24, 6, 5, 50 * scale, 88 + 50 * scale],
  ],
  [SINK]: [
    [70, 21, 3, 14, 116],
    [66, 19, 3, 12, 108],
  ],
  [ALERTS]: [[60, 20, 1, 3, 92]],
});

const EXPIRED = "Checkpoint expired before completing.";

/** Checkpoint 7 was slow, 8 expired at a hot key, 9 before a slow sink, and in 10 the storage failed. */
const CHECKPOINTS: readonly ScriptedCheckpoint[] = [
  ...[1, 2, 3, 4, 5, 6].map((id) => ({
    id,
    before: 340 - id * 30,
    courses: quick(1 + id / 4),
    stateSize: 2_100_000 * id,
  })),
  {
    id: 7,
    before: 130,
    stateSize: 14_900_000,
    courses: {
      ...quick(2),
      [TOTALS]: [
        [6_820, 60, 9, 190, 7_110],
        [22, 7, 5, 90, 130],
        [21, 8, 5, 96, 140],
        [24, 6, 5, 92, 135],
      ],
      [SINK]: [
        [64, 6_860, 3, 14, 6_960],
        [62, 6_861, 3, 12, 6_955],
      ],
      [ALERTS]: [[60, 6_862, 1, 3, 6_940]],
    },
  },
  {
    id: 8,
    before: 100,
    stateSize: 90_000,
    failed: { afterMs: 10_012, message: EXPIRED },
    courses: {
      ...quick(2),
      [TOTALS]: [undefined, [22, 7, 5, 90, 130], [21, 8, 5, 96, 140], [24, 6, 5, 92, 135]],
      [SINK]: [undefined, undefined],
      [ALERTS]: [undefined],
    },
  },
  {
    id: 9,
    before: 70,
    stateSize: 15_300_000,
    failed: { afterMs: 10_008, message: EXPIRED },
    courses: {
      ...quick(2),
      [TOTALS]: [
        [2_100, 40, 9, 190, 2_390],
        [1_900, 50, 5, 90, 2_080],
        [1_950, 50, 5, 96, 2_150],
        [1_980, 60, 5, 92, 2_190],
      ],
      [SINK]: [undefined, [2_230, 110, 3, 12, 2_370]],
      [ALERTS]: [[2_200, 120, 1, 3, 2_360]],
    },
  },
  {
    id: 10,
    before: 40,
    stateSize: 60_000,
    failed: {
      afterMs: 431,
      message:
        "Asynchronous task checkpoint failed.\nCaused by: java.io.IOException: No space left on device",
    },
    courses: { ...quick(2), [TOTALS]: [undefined, undefined, undefined, undefined] },
  },
  { id: 11, before: 25, stateSize: 15_800_000, type: "SAVEPOINT", courses: quick(9) },
  {
    id: 12,
    before: 3,
    stateSize: 0,
    isRunning: true,
    courses: {
      ...quick(2),
      [TOTALS]: [undefined, [22, 7, 5, 90, 130], [21, 8, 5, 96, 140], [24, 6, 5, 92, 135]],
      [SINK]: [undefined, undefined],
      [ALERTS]: [undefined],
    },
  },
];

/** Answers of the job's paths below `jobs/<id>`; undefined if there is none. */
export class TroubledJob {
  readonly startedAtMs: number;
  state = "RUNNING";

  constructor(startedAtMs: number) {
    this.startedAtMs = startedAtMs;
  }

  overviewLine(): object {
    return {
      jid: JOB_ID,
      name: "orders",
      "start-time": this.startedAtMs - 360_000,
      "end-time": -1,
      duration: 360_000,
      state: this.state,
      "last-modification": this.startedAtMs,
      tasks: { running: 11, total: 11 },
    };
  }

  answer(path: string): unknown {
    const parts = path.split("/").filter((part) => part !== "");
    const [first, second, third, fourth, fifth] = parts;
    if (first === undefined) return this.#job();
    if (first === "vertices") return this.#vertex(second ?? "", parts.slice(2).join("/"));
    if (first === "exceptions")
      return { exceptionHistory: { entries: [EXCEPTION], truncated: false } };
    if (first === "config") {
      const user = {
        "execution.checkpointing.interval": "30 s",
        "execution.checkpointing.timeout": "10 s",
      };
      return {
        jid: JOB_ID,
        name: "orders",
        "execution-config": { "job-parallelism": 2, "user-config": user },
      };
    }
    if (first !== "checkpoints") return undefined;
    if (second === undefined) return this.#history();
    if (second === "config") return CONFIG;
    const checkpoint = CHECKPOINTS.find(({ id }) => String(id) === third);
    if (second !== "details" || checkpoint === undefined) return undefined;
    if (fourth === undefined) return this.#checkpoint(checkpoint, true);
    return fourth === "subtasks" ? this.#subtasks(checkpoint, fifth ?? "") : undefined;
  }

  #job(): object {
    return {
      jid: JOB_ID,
      name: "orders",
      isStoppable: false,
      state: this.state,
      "start-time": this.startedAtMs - 360_000,
      "end-time": -1,
      duration: 360_000,
      now: this.startedAtMs,
      vertices: VERTICES.map(({ id, name, parallelism }) => ({
        id,
        name,
        parallelism,
        status: "RUNNING",
      })),
      plan: {
        jid: JOB_ID,
        name: "orders",
        type: "STREAMING",
        nodes: VERTICES.map(({ id, parallelism, inputs }) => ({
          id,
          parallelism,
          inputs: inputs.map(([from, ship], num) => ({
            num,
            id: from,
            ship_strategy: ship,
            exchange: "pipelined_bounded",
          })),
        })),
      },
    };
  }

  #vertex(id: string, rest: string): unknown {
    const vertex = VERTICES.find((candidate) => candidate.id === id);
    if (vertex === undefined) return undefined;
    const indexes = Array.from({ length: vertex.parallelism }, (_, index) => index);
    if (rest === "watermarks") {
      const value = String(Date.now() - 4_200);
      return vertex.inputs.length === 0
        ? []
        : indexes.map((index) => ({ id: `${index}.currentInputWatermark`, value }));
    }
    if (rest === "subtasks/metrics") {
      const [recordsIn, recordsOut] = vertex.perSecond;
      return [
        { id: "numRecordsInPerSecond", sum: recordsIn },
        { id: "numRecordsOutPerSecond", sum: recordsOut },
      ];
    }
    if (rest === "backpressure") {
      return {
        status: "ok",
        subtasks: indexes.map((subtask) => ({
          subtask,
          ratio: vertex.backpressuredRatios[subtask],
          busyRatio: vertex.busyRatios[subtask],
          idleRatio:
            1 - (vertex.busyRatios[subtask] ?? 0) - (vertex.backpressuredRatios[subtask] ?? 0),
        })),
      };
    }
    if (rest !== "") return undefined;
    return {
      id,
      name: vertex.name,
      parallelism: vertex.parallelism,
      subtasks: indexes.map((subtask) => ({
        subtask,
        status: "RUNNING",
        attempt: 0,
        endpoint: "localhost:35381",
        metrics: {
          "read-records": vertex.inputs.length === 0 ? 0 : vertex.records[subtask],
          "write-records": vertex.inputs.length === 0 ? vertex.records[subtask] : 0,
        },
      })),
    };
  }

  #history(): object {
    const newestFirst = CHECKPOINTS.toReversed();
    const completed = newestFirst.find(
      ({ failed, isRunning }) => failed === undefined && isRunning !== true,
    );
    return {
      counts: { restored: 0, total: 12, in_progress: 1, completed: 8, failed: 3 },
      latest: {
        completed: completed === undefined ? null : this.#checkpoint(completed, false),
        restored: null,
      },
      history: newestFirst.map((checkpoint) => this.#checkpoint(checkpoint, false)),
    };
  }

  #checkpoint(checkpoint: ScriptedCheckpoint, hasTasks: boolean): object {
    const { id, failed, isRunning = false, type = "CHECKPOINT", courses, stateSize } = checkpoint;
    const triggeredAtMs = this.startedAtMs - checkpoint.before * 1_000;
    const ends = Object.values(courses).flatMap((own) => own.map((course) => course?.[4]));
    const answered = ends.filter((end) => end !== undefined);
    const lastMs = Math.max(...answered);
    const isCompleted = failed === undefined && !isRunning;
    const className = isCompleted ? "completed" : "failed";
    return {
      className: isRunning ? "in_progress" : className,
      id,
      status: isRunning ? "IN_PROGRESS" : className.toUpperCase(),
      is_savepoint: type === "SAVEPOINT",
      trigger_timestamp: triggeredAtMs,
      latest_ack_timestamp: triggeredAtMs + lastMs,
      checkpointed_size: stateSize,
      state_size: stateSize,
      end_to_end_duration: failed?.afterMs ?? lastMs,
      alignment_buffered: 0,
      processed_data: 18_400,
      persisted_data: 0,
      num_subtasks: ends.length,
      num_acknowledged_subtasks: answered.length,
      checkpoint_type: type,
      tasks: hasTasks ? this.#tasks(checkpoint) : {},
      ...(failed === undefined
        ? {}
        : { failure_timestamp: triggeredAtMs + failed.afterMs, failure_message: failed.message }),
      ...(isCompleted
        ? { external_path: `file:/data/checkpoints/${JOB_ID}/chk-${id}`, discarded: false }
        : {}),
    };
  }

  #tasks({ stateSize }: ScriptedCheckpoint): object {
    const share = { [SOURCE]: 0.001, [ENRICH]: 0, [TOTALS]: 0.78, [SINK]: 0.2, [ALERTS]: 0.019 };
    return Object.fromEntries(
      Object.entries(share).map(([id, ratio]) => [
        id,
        { state_size: Math.round(stateSize * ratio) },
      ]),
    );
  }

  #subtasks(checkpoint: ScriptedCheckpoint, vertexId: string): unknown {
    const courses = checkpoint.courses[vertexId];
    if (courses === undefined) return undefined;
    const triggeredAtMs = this.startedAtMs - checkpoint.before * 1_000;
    return {
      id: checkpoint.id,
      subtasks: courses.map((course, index) => {
        if (course === undefined)
          return { className: "pending", index, status: "pending_or_failed" };
        const [startDelay, duration, sync, async, end] = course;
        return {
          className: "completed",
          index,
          status: "completed",
          ack_timestamp: triggeredAtMs + end,
          end_to_end_duration: end,
          checkpointed_size: 240_000,
          state_size: 240_000,
          checkpoint: { sync, async },
          alignment: { buffered: 0, processed: 4_600, persisted: 0, duration },
          start_delay: startDelay,
          unaligned_checkpoint: false,
          aborted: false,
        };
      }),
    };
  }
}

const CONFIG = {
  mode: "exactly_once",
  interval: 30_000,
  timeout: 10_000,
  min_pause: 0,
  max_concurrent: 1,
  unaligned_checkpoints: false,
};

const EXCEPTION = {
  exceptionName: "java.io.IOException",
  stacktrace:
    "java.io.IOException: Could not flush to file and close the file system output stream\n\tat org.example.Stream.close(Stream.java:42)\nCaused by: java.io.IOException: No space left on device\n",
  timestamp: 1_796_060_450_916,
  taskName: "totals-per-customer (2/4)",
  endpoint: "localhost:35381",
  concurrentExceptions: [],
};
