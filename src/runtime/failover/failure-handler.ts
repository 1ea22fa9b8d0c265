import { errorText } from "../../base/index.ts";
import {
  decideRestart,
  NO_RESTARTS,
  noteFailure,
  type RestartHistory,
  type SubtaskRef,
  taskName,
} from "../../checkpoint/index.ts";
import { checkpointedVertices } from "../job/job-checkpoints.ts";
import type { JobMasterParameters } from "../job/job-parameters.ts";
import type { JobRecord } from "../job/job-record.ts";
import { isLastingFailure } from "../job/lasting-failure.ts";

/** One failure, of a task or of the job. */
export interface Failure {
  readonly error: unknown;
  /** The task that it is laid to; undefined if it is none's. */
  readonly task: SubtaskRef | undefined;
  /** What is to start again, if it is only a part of the job. */
  readonly part: readonly SubtaskRef[] | undefined;
}

export type FailureDecision =
  | { readonly kind: "restart"; readonly backoffMs: number }
  /** `where` is the task's name, as it stands in logs. */
  | { readonly kind: "give-up"; readonly where: string | undefined };

/**
 * Asks the restart strategy what follows from a failure, and tells of both.
 *
 * Source: Flink `ExecutionFailureHandler`.
 */
export class FailureHandler {
  readonly #job: JobMasterParameters;
  readonly #record: JobRecord;
  #restarts: RestartHistory = NO_RESTARTS;

  constructor(job: JobMasterParameters, record: JobRecord) {
    this.#job = job;
    this.#record = record;
  }

  handle({ error, task, part }: Failure): FailureDecision {
    const { platform, log, options, graph } = this.#job;
    const noted = noteFailure(options.restart, this.#restarts, platform.nowMs(), platform.random());
    this.#restarts = noted.history;
    // What would fail in the same way again is not tried again, whatever the strategy.
    const decision = isLastingFailure(error)
      ? ({ kind: "give-up" } as const)
      : decideRestart(options.restart, this.#restarts, platform.nowMs());
    const where = task === undefined ? undefined : taskName(task, checkpointedVertices(graph));
    const restartedTasks = decision.kind === "restart" ? part : undefined;
    this.#record.failed({ error, task, taskName: where, restartedTasks });
    log.log("WARN", `${where ?? `Job ${graph.name}`} failed: ${errorText(error)}`, { error });
    if (decision.kind === "give-up") return { kind: "give-up", where };
    log.log("WARN", this.#restartText(decision.backoffMs, part));
    return decision;
  }

  #restartText(backoffMs: number, part: readonly SubtaskRef[] | undefined): string {
    const { graph, options } = this.#job;
    const seconds = (backoffMs / 1000).toFixed(1);
    const by = `restart-strategy.type: ${options.restart.type}`;
    if (part === undefined) return `Job ${graph.name} starts again in ${seconds} s (${by}).`;
    const taskCount = graph.vertices.reduce((sum, { parallelism }) => sum + parallelism, 0);
    const tasks = `${part.length} of ${taskCount} tasks of job ${graph.name}`;
    return `${tasks} start again in ${seconds} s (${by}); the others go on.`;
  }
}
