import type { FileSystem, Logger, Platform } from "../../base/index.ts";
import type { OperatorContext, OperatorMeters, Output, OutputTag } from "../../operators/index.ts";
import type {
  KeyedStateStore,
  OperatorStateStore,
  ProcessingTimeService,
} from "../../state/index.ts";

/** What a task knows that all of its operators may know. */
export interface TaskFacts {
  readonly jobName: string;
  readonly jobId: string;
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly maxParallelism: number;
  readonly attempt: number;
  readonly restoredCheckpointId: number | undefined;
  readonly isCheckpointed: boolean;
  readonly isPortable: boolean;
  readonly autoWatermarkIntervalMs: number;
  readonly platform: Platform;
  readonly log: Logger;
  readonly processingTime: ProcessingTimeService;
}

/** What is one operator's own. */
export interface OperatorParts {
  readonly operatorName: string;
  readonly operatorId: string;
  readonly metrics: OperatorMeters;
  readonly keyed: KeyedStateStore | undefined;
  readonly operatorState: OperatorStateStore;
  readonly sideOutput: (tag: OutputTag<unknown>) => Output<unknown>;
  readonly execute: (action: () => void) => void;
  readonly fail: (error: unknown) => void;
}

/** An operator's view of its task. */
export class TaskOperatorContext implements OperatorContext {
  readonly jobName: string;
  readonly jobId: string;
  readonly operatorName: string;
  readonly operatorId: string;
  readonly subtaskIndex: number;
  readonly parallelism: number;
  readonly maxParallelism: number;
  readonly attempt: number;
  readonly log: Logger;
  readonly metrics: OperatorMeters;
  readonly processingTime: ProcessingTimeService;
  readonly platform: Platform;
  readonly files: FileSystem;
  readonly keyed: KeyedStateStore | undefined;
  readonly operatorState: OperatorStateStore;
  readonly isRestored: boolean;
  readonly restoredCheckpointId: number | undefined;
  readonly isCheckpointed: boolean;
  readonly autoWatermarkIntervalMs: number;
  readonly #parts: OperatorParts;

  constructor(task: TaskFacts, parts: OperatorParts) {
    this.jobName = task.jobName;
    this.jobId = task.jobId;
    this.operatorName = parts.operatorName;
    this.operatorId = parts.operatorId;
    this.subtaskIndex = task.subtaskIndex;
    this.parallelism = task.parallelism;
    this.maxParallelism = task.maxParallelism;
    this.attempt = task.attempt;
    this.log = task.log;
    this.metrics = parts.metrics;
    this.processingTime = task.processingTime;
    this.platform = task.platform;
    this.files = task.platform.files;
    this.keyed = parts.keyed;
    this.operatorState = parts.operatorState;
    this.isRestored = task.restoredCheckpointId !== undefined;
    this.restoredCheckpointId = task.restoredCheckpointId;
    this.isCheckpointed = task.isCheckpointed;
    this.autoWatermarkIntervalMs = task.autoWatermarkIntervalMs;
    this.#parts = parts;
  }

  sideOutput<T>(tag: OutputTag<T>): Output<T> {
    return this.#parts.sideOutput(tag as OutputTag<unknown>);
  }

  execute(action: () => void): void {
    this.#parts.execute(action);
  }

  fail(error: unknown): void {
    this.#parts.fail(error);
  }
}
