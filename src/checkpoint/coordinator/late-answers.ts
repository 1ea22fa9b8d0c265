import { causeChain } from "../../base/index.ts";
import type { CheckpointMetrics, SubtaskRef, TaskStateSnapshot } from "../checkpoint-gateway.ts";
import { type CheckpointFailure, failureText } from "../failure-reason.ts";
import { streamsOfSubtask } from "../metadata/stream-references.ts";
import type { BackgroundWork } from "./background-work.ts";
import type { CheckpointLog } from "./checkpoint-log.ts";
import { taskName } from "./checkpointed-vertex.ts";
import type { CoordinatorContext } from "./coordinator-context.ts";
import type { PendingCheckpoint } from "./pending-checkpoint.ts";

/** How many aborted checkpoints are remembered, to tell late answers from strange ones. Source: Flink. */
const REMEMBERED_COUNT = 16;

/** What becomes of answers to checkpoints that are over: they are noted, and their state is deleted. */
export class LateAnswers {
  readonly #context: CoordinatorContext;
  readonly #log: CheckpointLog;
  readonly #work: BackgroundWork;
  /** Oldest first. */
  readonly #aborted: PendingCheckpoint[] = [];

  constructor(context: CoordinatorContext, log: CheckpointLog, work: BackgroundWork) {
    this.#context = context;
    this.#log = log;
    this.#work = work;
  }

  remember(aborted: PendingCheckpoint): void {
    this.#aborted.push(aborted);
    if (this.#aborted.length > REMEMBERED_COUNT) this.#aborted.shift();
  }

  acknowledge(
    task: SubtaskRef,
    checkpointId: number,
    metrics: CheckpointMetrics,
    state: TaskStateSnapshot | undefined,
  ): void {
    const aborted = this.#find(checkpointId);
    this.#log.lateAcknowledge(checkpointId, this.#nameOf(task), aborted?.isExpired === true);
    if (aborted === undefined) return;
    if (aborted.waitsFor(task)) {
      aborted.acknowledge(task, metrics, undefined, this.#context.platform.nowMs());
      for (const observer of this.#context.observers) {
        observer.onLateAcknowledgement?.(aborted.toRecord());
      }
    }
    this.discardState(checkpointId, task, state, aborted.directory);
  }

  decline(task: SubtaskRef, checkpointId: number, failure: CheckpointFailure): void {
    const isExpired = this.#find(checkpointId)?.isExpired === true;
    this.#log.lateDecline(checkpointId, this.#nameOf(task), isExpired, failureText(failure));
  }

  /** Deletes in the background what a task has written for a checkpoint that will not hold it. */
  discardState(
    checkpointId: number,
    task: SubtaskRef,
    state: TaskStateSnapshot | undefined,
    directory: string | undefined,
  ): void {
    if (state === undefined || directory === undefined) return;
    const streams = [...state.values()].flatMap(streamsOfSubtask).map(({ stream }) => stream);
    this.#work.run(async () => {
      for (const stream of streams) {
        try {
          await this.#context.storage.discardState(stream, directory);
        } catch (error) {
          this.#log.stateDiscardFailed(checkpointId, this.#nameOf(task), causeChain(error));
        }
      }
    });
  }

  #find(checkpointId: number): PendingCheckpoint | undefined {
    return this.#aborted.find((pending) => pending.checkpointId === checkpointId);
  }

  #nameOf(task: SubtaskRef): string {
    return taskName(task, this.#context.vertices);
  }
}
