import { type OptionTable, OptionTypes } from "../base/index.ts";

/** How tasks run. */
export interface RuntimeOptions {
  /** Milliseconds between periodic watermarks; 0: none. */
  readonly autoWatermarkIntervalMs: number;
  /** Whether a source may read on all splits where it cannot hold back one alone. */
  readonly allowsUnalignedSplits: boolean;
  /** Whether each operator gets a copy of its code for itself. */
  readonly operatorIsolation: "own" | "shared";
  /** Whether everything crosses from task to task, and into state, as it would between processes. */
  readonly portable: boolean;
  /** Threads that run tasks; undefined: as many as the job and the machine can make use of. */
  readonly slots: number | undefined;
  /** Bytes that a channel between two slots holds at most, and less where an output has many channels. */
  readonly ringBytes: number;
  /** Heap of one slot's thread; undefined: what Node gives it. */
  readonly slotHeapBytes: number | undefined;
  /** What starts again when a task fails: the part of the job that is connected with it, or all. */
  readonly failoverStrategy: "region" | "full";
  readonly heartbeatIntervalMs: number;
  /** A slot that was not heard of for so long is given up, and its tasks with it. */
  readonly heartbeatTimeoutMs: number;
}

export const RUNTIME_OPTIONS: OptionTable<RuntimeOptions> = {
  autoWatermarkIntervalMs: {
    key: "pipeline.auto-watermark-interval",
    deprecatedKeys: [],
    type: OptionTypes.duration(),
    initial: 200,
    description: "Time between periodic watermarks; 0 ms: no periodic watermarks.",
  },
  allowsUnalignedSplits: {
    key: "pipeline.watermark-alignment.allow-unaligned-source-splits",
    deprecatedKeys: [],
    type: OptionTypes.boolean(),
    initial: false,
    description:
      "Whether a source that cannot hold back one split alone may still align its watermarks, as a whole; else the job fails once that is needed.",
  },
  operatorIsolation: {
    key: "cutwater.operator-isolation",
    deprecatedKeys: [],
    type: OptionTypes.oneOf(["own", "shared"]),
    initial: "own",
    description:
      "own: each operator has a copy of its code, which keeps it fast when several jobs run in a process; shared: starts quicker.",
  },
  portable: {
    key: "cutwater.portable",
    deprecatedKeys: [],
    type: OptionTypes.boolean(),
    initial: false,
    description:
      "A mode for tests, slower: each record goes through its codec at every exchange, also within a slot, and what was emitted or lies in state cannot be changed in place. A job that passes so gives the same where its tasks run in other processes.",
  },
  slots: {
    key: "cutwater.slots",
    deprecatedKeys: [],
    type: OptionTypes.optional(OptionTypes.integer({ min: 1, max: 1024 })),
    initial: undefined,
    description:
      "Threads that run the job's tasks; unset: as many as the process has cores, and no more than subtasks. With 1 the job runs in the main thread.",
  },
  ringBytes: {
    key: "cutwater.slot.ring-size",
    deprecatedKeys: [],
    type: OptionTypes.memorySize({ maxBytes: 1 << 26 }),
    initial: 1 << 17,
    description:
      "Memory of a channel between two slots, rounded down to a power of two; less where an output has many channels.",
  },
  slotHeapBytes: {
    key: "cutwater.slot.heap-size",
    deprecatedKeys: [],
    type: OptionTypes.optional(OptionTypes.memorySize()),
    initial: undefined,
    description:
      "Heap that a slot's thread may fill before it is given up; unset: Node's own limit.",
  },
  failoverStrategy: {
    key: "jobmanager.execution.failover-strategy",
    deprecatedKeys: [],
    type: OptionTypes.oneOf(["region", "full"]),
    initial: "region",
    description:
      "region: when a task fails, only the tasks that channels connect with it start again, and parts of the job without a channel between them go on; full: all tasks start again.",
  },
  heartbeatIntervalMs: {
    key: "heartbeat.interval",
    deprecatedKeys: [],
    type: OptionTypes.duration({ minMs: 1 }),
    initial: 10_000,
    description: "How often a slot's thread shows that it gets on.",
  },
  heartbeatTimeoutMs: {
    key: "heartbeat.timeout",
    deprecatedKeys: [],
    type: OptionTypes.duration({ minMs: 1 }),
    initial: 50_000,
    description:
      "How long a slot's thread may show nothing, as when a user function blocks it, before its tasks are failed and it is replaced.",
  },
};
