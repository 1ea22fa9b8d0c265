import { assert } from "../../base/index.ts";
import type { CheckpointMetrics, SubtaskRef, TaskStateSnapshot } from "../checkpoint-gateway.ts";
import type { CheckpointPlan } from "../checkpoint-plan.ts";
import { checkpointSizes, endToEndDurationMs } from "../checkpoint-record.ts";
import type { CompletedCheckpointStore } from "../completed-checkpoint-store.ts";
import {
  type CheckpointFailure,
  type CheckpointFailureReason,
  failureOf,
} from "../failure-reason.ts";
import { isDiscardedOn, isSynchronous } from "../retention.ts";
import type { BackgroundWork } from "./background-work.ts";
import {
  type CheckpointAttempt,
  type CoordinatorRequest,
  createAttempt,
} from "./checkpoint-attempt.ts";
import type { CheckpointCleaner } from "./checkpoint-cleaner.ts";
import type { CheckpointLog } from "./checkpoint-log.ts";
import { taskName } from "./checkpointed-vertex.ts";
import type { CompletedCheckpoint } from "./completed-checkpoint.ts";
import type { CoordinatorContext } from "./coordinator-context.ts";
import type { FailurePolicy } from "./failure-policy.ts";
import { type Finalization, finalizeAttempt } from "./finalize-attempt.ts";
import type { LateAnswers } from "./late-answers.ts";
import type { PendingCheckpoint } from "./pending-checkpoint.ts";
import { triggerAttempt } from "./trigger-attempt.ts";

/** What the attempts of a coordinator share with it. */
export interface AttemptParts {
  readonly log: CheckpointLog;
  readonly policy: FailurePolicy;
  readonly store: CompletedCheckpointStore<CompletedCheckpoint>;
  readonly cleaner: CheckpointCleaner;
  readonly late: LateAnswers;
  readonly work: BackgroundWork;
  /** A trigger or a checkpoint has ended: another may begin. */
  readonly onChange: () => void;
}

/** About 12 s in all. */
const ORPHAN_RETRIES = 8;
const FIRST_ORPHAN_RETRY_MS = 50;

/** The checkpoints under way, from their id to their end. */
export class CheckpointAttempts {
  readonly #context: CoordinatorContext;
  readonly #parts: AttemptParts;
  /** By ascending id. */
  readonly #attempts = new Map<number, CheckpointAttempt>();
  #nextCheckpointId: number;
  #isTriggering = false;
  #lastCompletedAtMs: number | undefined;

  constructor(context: CoordinatorContext, parts: AttemptParts) {
    this.#context = context;
    this.#parts = parts;
    this.#nextCheckpointId = context.firstCheckpointId;
  }

  /** Ascending. */
  get ids(): readonly number[] {
    return this.#underWay().map(({ pending }) => pending.checkpointId);
  }

  /** A trigger has begun and not yet reached the tasks. */
  get isTriggering(): boolean {
    return this.#isTriggering;
  }

  /** On the monotonic clock. */
  get lastCompletedAtMs(): number | undefined {
    return this.#lastCompletedAtMs;
  }

  begin(request: CoordinatorRequest, plan: CheckpointPlan): void {
    const attempt = this.#create(request, plan);
    this.#isTriggering = true;
    this.#parts.work.run(() => this.#trigger(attempt));
  }

  acknowledge(
    task: SubtaskRef,
    checkpointId: number,
    metrics: CheckpointMetrics,
    state: TaskStateSnapshot | undefined,
  ): void {
    const name = this.#nameOf(task);
    const attempt = this.#attempts.get(checkpointId);
    if (attempt === undefined) {
      this.#parts.late.acknowledge(task, checkpointId, metrics, state);
      return;
    }
    const { pending } = attempt;
    const result = pending.acknowledge(task, metrics, state, this.#nowMs());
    switch (result) {
      case "SUCCESS":
        this.#parts.log.acknowledged(checkpointId, name);
        if (pending.isFullyAcknowledged) this.#parts.work.run(() => this.#complete(attempt));
        return;
      case "DUPLICATE":
        this.#parts.log.duplicateAcknowledge(checkpointId, name);
        return;
      case "UNKNOWN":
        this.#parts.log.unknownTaskAcknowledge(checkpointId, name);
        this.#parts.late.discardState(checkpointId, task, state, pending.directory);
        return;
      case "DISCARDED":
        assert(false, "a checkpoint under way is not over");
    }
  }

  decline(
    task: SubtaskRef,
    checkpointId: number,
    declined: {
      readonly reason: CheckpointFailureReason;
      readonly causes: readonly string[];
      readonly metrics: Partial<CheckpointMetrics>;
    },
  ): void {
    const { reason, causes, metrics } = declined;
    const name = this.#nameOf(task);
    const attempt = this.#attempts.get(checkpointId);
    const detail = `Task name with subtask : ${name}`;
    if (attempt === undefined) {
      this.#parts.late.decline(task, checkpointId, { reason, detail, causes });
      return;
    }
    this.#parts.log.declined(checkpointId, name, causes);
    attempt.pending.decline(task, reason, causes, metrics, this.#nowMs());
    this.#abort(attempt, { reason, detail, causes }, task);
  }

  taskFinished(task: SubtaskRef): void {
    for (const attempt of this.#underWay()) {
      // It ended without having seen the barrier: this checkpoint cannot complete any more.
      if (attempt.pending.waitsFor(task)) {
        const detail = `Task name with subtask : ${this.#nameOf(task)}`;
        const reason = "CHECKPOINT_DECLINED_TASK_CLOSING";
        attempt.pending.decline(task, reason, [], {}, this.#nowMs());
        this.#abort(attempt, { reason, detail, causes: [] }, task);
      }
    }
  }

  /** A task has failed: checkpoints that still wait for it cannot complete. */
  taskFailed(task: SubtaskRef, causes: readonly string[]): void {
    const detail = `Task name with subtask : ${this.#nameOf(task)}`;
    for (const attempt of this.#underWay()) {
      if (!attempt.pending.waitsFor(task)) continue;
      this.#abort(attempt, { reason: "TASK_FAILURE", detail, causes }, undefined);
    }
  }

  abortAll(failure: CheckpointFailure): void {
    for (const attempt of this.#underWay()) this.#abort(attempt, failure, undefined);
  }

  /** Deletes a checkpoint that was complete. */
  discardCompleted({ checkpointId, directory }: CompletedCheckpoint): void {
    this.#parts.cleaner.discardInBackground(checkpointId, directory, () => {
      for (const observer of this.#context.observers) observer.onDiscarded?.(checkpointId);
    });
  }

  #create(request: CoordinatorRequest, plan: CheckpointPlan): CheckpointAttempt {
    const { platform, jobId, vertices, options, observers } = this.#context;
    const checkpointId = this.#nextCheckpointId++;
    const { properties, isPeriodic } = request;
    const triggeredAtMs = this.#nowMs();
    const facts = { jobId, checkpointId, triggeredAtMs, isPeriodic, properties, plan, vertices };
    const attempt = createAttempt(request, facts);
    this.#attempts.set(checkpointId, attempt);
    attempt.cancelTimeout = platform.after(options.timeoutMs, () => this.#expire(attempt));
    this.#parts.log.triggering(checkpointId, properties, triggeredAtMs);
    const record = () => attempt.pending.toRecord();
    for (const observer of observers) observer.onTriggered?.(checkpointId, record);
    return attempt;
  }

  async #trigger(attempt: CheckpointAttempt): Promise<void> {
    const { checkpointId } = attempt.pending;
    try {
      const failure = await triggerAttempt(attempt, this.#context, (directory) =>
        this.#parts.cleaner.discardInBackground(checkpointId, directory),
      );
      if (failure !== undefined) this.#abort(attempt, failure, undefined);
    } finally {
      this.#isTriggering = false;
    }
    this.#parts.onChange();
  }

  async #complete(attempt: CheckpointAttempt): Promise<void> {
    const finalization = await finalizeAttempt(attempt, this.#context);
    switch (finalization.kind) {
      case "written":
        this.#completed(attempt, finalization);
        return;
      case "failed":
        this.#abort(attempt, finalization.failure, undefined);
        return;
      case "orphaned":
        await this.#discardOrphan(attempt.pending.checkpointId, finalization.directory);
    }
  }

  /**
   * Deletes a checkpoint that was aborted while its `_metadata` was being written. The job goes on only after it, since a process that
   * starts later would take it for complete; so it is tried again for a while if the storage fails.
   */
  async #discardOrphan(checkpointId: number, directory: string): Promise<void> {
    for (let retry = 0; retry < ORPHAN_RETRIES; retry++) {
      if ((await this.#parts.cleaner.discard(checkpointId, directory)) === "discarded") return;
      await new Promise<void>((resolve) =>
        this.#context.platform.after(FIRST_ORPHAN_RETRY_MS * 2 ** retry, resolve),
      );
    }
  }

  #completed(
    attempt: CheckpointAttempt,
    { metadata, directory, durationMs: finalizationMs }: Extract<Finalization, { kind: "written" }>,
  ): void {
    const { pending, request } = attempt;
    const { checkpointId, facts } = pending;
    attempt.cancelTimeout();
    pending.complete(this.#nowMs(), finalizationMs);
    this.#attempts.delete(checkpointId);
    const record = pending.toRecord();
    const checkpoint: CompletedCheckpoint = {
      checkpointId,
      properties: facts.properties,
      metadata,
      directory,
      triggeredAtMs: facts.triggeredAtMs,
      completedAtMs: record.endedAtMs ?? undefined,
    };
    this.#parts.policy.succeeded(checkpointId);
    this.#lastCompletedAtMs = this.#context.platform.monotonicMs();
    this.#parts.log.completed(checkpointId, {
      stateSizeBytes: checkpointSizes(record).stateSizeBytes,
      durationMs: endToEndDurationMs(record),
      finalizationMs,
    });
    for (const observer of this.#context.observers) observer.onEnded?.(record);
    if (!request.isSavepoint) {
      for (const subsumed of this.#parts.store.add(checkpoint)) {
        if (isDiscardedOn(subsumed.properties, "SUBSUMED")) this.discardCompleted(subsumed);
      }
    }
    if (!request.isSavepoint || isSynchronous(facts.properties)) {
      this.#subsumePending(checkpointId);
      this.#notifyComplete(pending);
    }
    attempt.notifyOver();
    request.settle({ kind: "completed", checkpoint });
    this.#parts.onChange();
  }

  #subsumePending(checkpointId: number): void {
    for (const attempt of this.#underWay()) {
      const isOlder = attempt.pending.checkpointId < checkpointId;
      if (isOlder && !attempt.request.isSavepoint) {
        this.#abort(attempt, failureOf("CHECKPOINT_SUBSUMED"), undefined);
      }
    }
  }

  #notifyComplete({ facts, checkpointId }: PendingCheckpoint): void {
    for (const task of facts.plan.tasksToWaitFor) {
      this.#context.gateway.notifyCheckpointComplete(task, checkpointId);
    }
    for (const coordinator of this.#context.operatorCoordinators) {
      coordinator.notifyCheckpointComplete(checkpointId);
    }
  }

  #expire(attempt: CheckpointAttempt): void {
    this.#parts.log.expired(attempt.pending.checkpointId);
    const turns = this.#context.longTurns?.() ?? [];
    const causes = turns.map(
      ({ task, forMs }) =>
        `${task} has been in one turn for ${Math.round(forMs)} ms, and nothing else in its thread gets on.`,
    );
    this.#abort(attempt, { ...failureOf("CHECKPOINT_EXPIRED"), causes }, undefined);
  }

  /** @param task - The one that reported it, if one did. */
  #abort(
    attempt: CheckpointAttempt,
    failure: CheckpointFailure,
    task: SubtaskRef | undefined,
  ): void {
    const { pending, request } = attempt;
    const { checkpointId } = pending;
    if (pending.isOver) return;
    pending.abort(failure, task, this.#nowMs());
    attempt.cancelTimeout();
    this.#attempts.delete(checkpointId);
    this.#parts.late.remember(pending);
    const failed = { checkpointId, failure, properties: request.properties, task };
    const decision = this.#parts.policy.failed(failed);
    for (const observer of this.#context.observers) observer.onEnded?.(pending.toRecord());
    this.#notifyAborted(pending);
    if (pending.directory !== undefined && !attempt.isBeingWritten) {
      this.#parts.cleaner.discardInBackground(checkpointId, pending.directory);
    }
    attempt.notifyOver();
    request.settle({ kind: "failed", checkpointId, failure });
    this.#parts.policy.obey(decision, failed);
    this.#parts.onChange();
  }

  #notifyAborted({ facts, checkpointId }: PendingCheckpoint): void {
    const latestCompletedId = this.#parts.store.latest?.checkpointId ?? 0;
    for (const task of facts.plan.tasksToWaitFor) {
      this.#context.gateway.notifyCheckpointAborted(task, checkpointId, latestCompletedId);
    }
    for (const coordinator of this.#context.operatorCoordinators) {
      coordinator.notifyCheckpointAborted(checkpointId);
    }
  }

  /** A copy by ascending id: what is done to one may begin or end others. */
  #underWay(): readonly CheckpointAttempt[] {
    return Array.from(this.#attempts.values());
  }

  #nameOf(task: SubtaskRef): string {
    return taskName(task, this.#context.vertices);
  }

  #nowMs(): number {
    return this.#context.platform.nowMs();
  }
}
