import { assert, causeChain } from "../../base/index.ts";
import type {
  CheckpointMetrics,
  CheckpointResponder,
  SubtaskRef,
  TaskStateSnapshot,
} from "../checkpoint-gateway.ts";
import type { CheckpointPlan } from "../checkpoint-plan.ts";
import { checkpointSizes, endToEndDurationMs } from "../checkpoint-record.ts";
import { CompletedCheckpointStore } from "../completed-checkpoint-store.ts";
import type { CheckpointFailure, CheckpointFailureReason } from "../failure-reason.ts";
import {
  type CheckpointProperties,
  propertiesOfCheckpoint,
  propertiesOfSavepoint,
} from "../metadata/checkpoint-properties.ts";
import {
  decideQueued,
  decideRequest,
  MAX_QUEUED_REQUESTS,
  type RequestDecision,
  type TriggerLimits,
  type TriggerSituation,
} from "../request-decider.ts";
import { type DiscardOccasion, isDiscardedOn, isSynchronous } from "../retention.ts";
import { BackgroundWork } from "./background-work.ts";
import {
  type CheckpointAttempt,
  type CoordinatorRequest,
  createAttempt,
} from "./checkpoint-attempt.ts";
import { CheckpointCleaner } from "./checkpoint-cleaner.ts";
import { CheckpointLog } from "./checkpoint-log.ts";
import { taskName } from "./checkpointed-vertex.ts";
import { type CompletedCheckpoint, describeCheckpoint } from "./completed-checkpoint.ts";
import type { CoordinatorContext, SavepointRequest, TriggerResult } from "./coordinator-context.ts";
import { FailurePolicy } from "./failure-policy.ts";
import { type Finalization, finalizeAttempt } from "./finalize-attempt.ts";
import { LateAnswers } from "./late-answers.ts";
import type { PendingCheckpoint } from "./pending-checkpoint.ts";
import { PeriodicTrigger } from "./periodic-trigger.ts";
import { triggerAttempt } from "./trigger-attempt.ts";
import { jobFailure } from "./trigger-failure.ts";

/**
 * Takes checkpoints of one job, over all its restarts: triggers, collects, completes, aborts.
 *
 * @remarks
 * A thin shell: what to do is decided by the pure functions beside it; time, files and tasks are its context's. All methods
 * run in the JobManager's thread, none waits for a task.
 *
 * Invariants:
 * 1. Ids ascend by one per attempt and are never used again.
 * 2. Tasks are told complete of an id only after its `_metadata` is durable, and never told aborted of it afterwards.
 * 3. A checkpoint that was aborted while its `_metadata` was being written is deleted again; {@link stopScheduler} waits for that, so that
 *    a restart never races with it.
 * 4. Every aborted or subsumed checkpoint is deleted in the background.
 *
 * Source: Flink `CheckpointCoordinator`; reference of the checkpoint protocol.
 */
export class CheckpointCoordinator implements CheckpointResponder {
  readonly #context: CoordinatorContext;
  readonly #limits: TriggerLimits;
  readonly #log: CheckpointLog;
  /** Triggers and `_metadata`. */
  readonly #work: BackgroundWork;
  readonly #deletions: BackgroundWork;
  readonly #cleaner: CheckpointCleaner;
  readonly #policy: FailurePolicy;
  readonly #late: LateAnswers;
  readonly #periodic: PeriodicTrigger | undefined;
  readonly #store: CompletedCheckpointStore<CompletedCheckpoint>;
  readonly #attempts = new Map<number, CheckpointAttempt>();
  #queue: readonly CoordinatorRequest[] = [];
  #nextCheckpointId: number;
  #isTriggering = false;
  #isShutDown = false;
  /** On the monotonic clock. */
  #lastCompletedAtMs: number | undefined;
  /** A checkpoint that others may not build on was restored: the next one must stand by itself. */
  #needsFullCheckpoint: boolean;

  constructor(context: CoordinatorContext) {
    const { options } = context;
    this.#context = context;
    this.#limits = {
      maxConcurrent: options.maxConcurrentCheckpoints,
      minPauseMs: options.minPauseMs,
      maxQueued: MAX_QUEUED_REQUESTS,
    };
    this.#log = new CheckpointLog(context.log, context.jobId);
    this.#work = new BackgroundWork((error) => this.#unexpected(error));
    this.#deletions = new BackgroundWork((error) => this.#unexpected(error));
    this.#cleaner = new CheckpointCleaner(context.storage, this.#deletions, this.#log, () =>
      this.#next(),
    );
    this.#policy = new FailurePolicy(context, this.#log);
    this.#late = new LateAnswers(context, this.#log, this.#deletions);
    const { intervalMs } = options;
    this.#periodic =
      intervalMs === undefined
        ? undefined
        : new PeriodicTrigger(context.platform, { ...options, intervalMs }, () => {
            void this.#request(propertiesOfCheckpoint(this.#checkpointKind(), options.retention), {
              isPeriodic: true,
              targetDirectory: undefined,
            });
          });
    this.#store = new CompletedCheckpointStore(options.retainedCount, context.restored);
    this.#nextCheckpointId = context.firstCheckpointId;
    this.#needsFullCheckpoint = context.restored.at(-1)?.properties.isUnclaimed === true;
  }

  /** The newest completed checkpoint, from which the job is restored. */
  get latestCompleted(): CompletedCheckpoint | undefined {
    return this.#store.latest;
  }

  /** The completed checkpoints that are retained, oldest first. */
  get retained(): readonly CompletedCheckpoint[] {
    return this.#store.all;
  }

  /** Ids of the checkpoints under way, ascending. */
  get pendingIds(): readonly number[] {
    return this.#underWay().map(({ pending }) => pending.checkpointId);
  }

  /** All tasks run: begin with periodic checkpoints. */
  startScheduler(): void {
    if (!this.#isShutDown) this.#periodic?.start();
  }

  /**
   * The job leaves RUNNING: aborts what is pending or queued. Resolves when no `_metadata` is being written any more; only then
   * is {@link latestCompleted} final.
   */
  async stopScheduler(
    reason: CheckpointFailureReason = "CHECKPOINT_COORDINATOR_SUSPEND",
  ): Promise<void> {
    this.#periodic?.stop();
    this.abortPending(reason);
    await this.#work.settle();
  }

  /** Aborts all checkpoints that are pending or queued. */
  abortPending(reason: CheckpointFailureReason): void {
    const failure = failureOf(reason);
    const queue = this.#queue;
    this.#queue = [];
    for (const request of queue)
      request.settle({ kind: "failed", checkpointId: undefined, failure });
    for (const attempt of this.#underWay()) this.#abort(attempt, failure, undefined);
  }

  /** A source has begun or ended to work off a backlog. */
  setProcessingBacklog(isBacklog: boolean): void {
    this.#periodic?.setBacklog(isBacklog);
  }

  /** Asks for a checkpoint now; it waits for its turn, but for no pause. */
  triggerCheckpoint(): Promise<TriggerResult> {
    const properties = propertiesOfCheckpoint(
      this.#checkpointKind(),
      this.#context.options.retention,
    );
    return this.#request(properties, { isPeriodic: false, targetDirectory: undefined });
  }

  /** Asks for a savepoint. With a post-action other than NONE prefer {@link stopWithSavepoint}. */
  triggerSavepoint(request: SavepointRequest): Promise<TriggerResult> {
    const isForced = !this.#context.options.unalignedEnabled;
    const properties = propertiesOfSavepoint(request.format, request.postAction, isForced);
    return this.#request(properties, {
      isPeriodic: false,
      targetDirectory: request.targetDirectory,
    });
  }

  /**
   * Stops periodic checkpoints and takes the last savepoint. If that fails periodic checkpoints go on.
   *
   * @remarks
   * Ending the tasks once it is complete is the caller's work.
   */
  async stopWithSavepoint(
    request: SavepointRequest & { readonly postAction: "SUSPEND" | "TERMINATE" },
  ): Promise<TriggerResult> {
    const wasRunning = this.#periodic?.isRunning === true;
    await this.stopScheduler();
    const result = await this.triggerSavepoint(request);
    if (result.kind === "failed" && wasRunning) this.startScheduler();
    return result;
  }

  acknowledgeCheckpoint(
    task: SubtaskRef,
    checkpointId: number,
    metrics: CheckpointMetrics,
    state: TaskStateSnapshot | undefined,
  ): void {
    const name = this.#nameOf(task);
    const attempt = this.#attempts.get(checkpointId);
    if (attempt === undefined) {
      this.#late.acknowledge(task, checkpointId, metrics, state);
      return;
    }
    const { pending } = attempt;
    const result = pending.acknowledge(task, metrics, state, this.#nowMs());
    switch (result) {
      case "SUCCESS":
        this.#log.acknowledged(checkpointId, name);
        if (pending.isFullyAcknowledged) this.#work.run(() => this.#complete(attempt));
        return;
      case "DUPLICATE":
        this.#log.duplicateAcknowledge(checkpointId, name);
        return;
      case "UNKNOWN":
        this.#log.unknownTaskAcknowledge(checkpointId, name);
        this.#late.discardState(checkpointId, task, state, pending.directory);
        return;
      case "DISCARDED":
        assert(false, "a checkpoint under way is not over");
    }
  }

  declineCheckpoint(
    task: SubtaskRef,
    checkpointId: number,
    reason: CheckpointFailureReason,
    causes: readonly string[],
    metrics: Partial<CheckpointMetrics>,
  ): void {
    const name = this.#nameOf(task);
    const attempt = this.#attempts.get(checkpointId);
    const detail = `Task name with subtask : ${name}`;
    if (attempt === undefined) {
      this.#late.decline(task, checkpointId, { reason, detail, causes });
      return;
    }
    this.#log.declined(checkpointId, name, causes);
    attempt.pending.decline(task, reason, causes, metrics, this.#nowMs());
    this.#abort(attempt, { reason, detail, causes }, task);
  }

  reportFinished(task: SubtaskRef): void {
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
  reportFailed(task: SubtaskRef, causes: readonly string[]): void {
    const detail = `Task name with subtask : ${this.#nameOf(task)}`;
    for (const attempt of this.#underWay()) {
      if (!attempt.pending.waitsFor(task)) continue;
      this.#abort(attempt, { reason: "TASK_FAILURE", detail, causes }, undefined);
    }
  }

  /** Takes note that the job goes on from its newest checkpoint, or from nothing. */
  noteRestored(): CompletedCheckpoint | undefined {
    const latest = this.#store.latest;
    this.#log.restoring(
      latest === undefined ? undefined : describeCheckpoint(latest, this.#context.jobId),
    );
    if (latest !== undefined) {
      for (const observer of this.#context.observers) {
        observer.onRestored?.({
          checkpointId: latest.checkpointId,
          restoredAtMs: this.#nowMs(),
          isSavepoint: latest.properties.type.kind === "savepoint",
          externalPath: latest.directory,
        });
      }
    }
    return latest;
  }

  /** The job has ended: keeps or deletes its checkpoints as their properties say. Resolves when all is done. */
  async shutdown(occasion: Exclude<DiscardOccasion, "SUBSUMED">): Promise<void> {
    if (!this.#isShutDown) {
      this.#isShutDown = true;
      this.#log.stopping();
      await this.stopScheduler("CHECKPOINT_COORDINATOR_SHUTDOWN");
      for (const checkpoint of this.#store.clear()) {
        if (isDiscardedOn(checkpoint.properties, occasion)) this.#discardCompleted(checkpoint);
        else this.#log.notDiscarded(checkpoint.checkpointId, checkpoint.directory);
      }
    }
    await this.#work.settle();
    await this.#deletions.settle();
  }

  // Requests

  #request(
    properties: CheckpointProperties,
    options: { readonly isPeriodic: boolean; readonly targetDirectory: string | undefined },
  ): Promise<TriggerResult> {
    return new Promise((settle) => {
      const request: CoordinatorRequest = {
        isSavepoint: properties.type.kind === "savepoint",
        isForced: properties.isForced,
        requestedAtMs: this.#nowMs(),
        properties,
        ...options,
        settle,
      };
      if (this.#isShutDown) this.#refuse(request, failureOf("CHECKPOINT_COORDINATOR_SHUTDOWN"));
      else this.#follow(decideRequest(this.#queue, request, this.#situation(), this.#limits));
    });
  }

  /** Something ended: perhaps a queued request may run now. */
  #next(): void {
    this.#follow(decideQueued(this.#queue, this.#situation(), this.#limits));
  }

  #situation(): TriggerSituation {
    return {
      nowMs: this.#context.platform.monotonicMs(),
      isTriggering: this.#isTriggering,
      pendingCount: this.#attempts.size,
      cleaningCount: this.#cleaner.cleaningCount,
      lastCompletedAtMs: this.#lastCompletedAtMs,
    };
  }

  #follow({ outcome, queue, refused }: RequestDecision<CoordinatorRequest>): void {
    this.#queue = queue;
    for (const { request, reason } of refused) {
      // Both are nothing to report: the next trigger comes by itself.
      request.settle({ kind: "failed", checkpointId: undefined, failure: failureOf(reason) });
    }
    if (outcome.kind === "reschedule") this.#periodic?.rescheduleAfter(outcome.afterMs);
    if (outcome.kind === "execute") this.#begin(outcome.request);
  }

  #refuse(request: CoordinatorRequest, failure: CheckpointFailure): void {
    const { properties } = request;
    const failed = { checkpointId: undefined, failure, properties, task: undefined };
    const decision = this.#policy.failed(failed);
    for (const observer of this.#context.observers) observer.onRefused?.(failure);
    request.settle({ kind: "failed", checkpointId: undefined, failure });
    this.#policy.obey(decision, failed);
  }

  // Triggering

  #begin(request: CoordinatorRequest): void {
    this.#log.queued(this.#nowMs() - request.requestedAtMs);
    if (request.isPeriodic && this.#periodic?.isRunning !== true) {
      this.#refuse(request, failureOf("PERIODIC_SCHEDULER_SHUTDOWN"));
      return;
    }
    const decision = this.#context.plan();
    if (decision.kind === "refuse") {
      this.#refuse(request, { reason: decision.reason, detail: decision.detail, causes: [] });
      return;
    }
    const attempt = this.#createAttempt(request, decision.plan);
    this.#isTriggering = true;
    this.#work.run(() => this.#trigger(attempt));
  }

  #createAttempt(request: CoordinatorRequest, plan: CheckpointPlan): CheckpointAttempt {
    const { platform, jobId, vertices, options, observers } = this.#context;
    const checkpointId = this.#nextCheckpointId++;
    const { properties, isPeriodic } = request;
    const triggeredAtMs = this.#nowMs();
    const facts = { jobId, checkpointId, triggeredAtMs, isPeriodic, properties, plan, vertices };
    const attempt = createAttempt(request, facts);
    this.#attempts.set(checkpointId, attempt);
    attempt.cancelTimeout = platform.after(options.timeoutMs, () => this.#expire(attempt));
    this.#log.triggering(checkpointId, properties, triggeredAtMs);
    const record = () => attempt.pending.toRecord();
    for (const observer of observers) observer.onTriggered?.(checkpointId, record);
    return attempt;
  }

  async #trigger(attempt: CheckpointAttempt): Promise<void> {
    const { checkpointId } = attempt.pending;
    try {
      const failure = await triggerAttempt(attempt, this.#context, (directory) =>
        this.#cleaner.discardInBackground(checkpointId, directory),
      );
      if (failure !== undefined) this.#abort(attempt, failure, undefined);
    } finally {
      this.#isTriggering = false;
    }
    this.#next();
  }

  // Completing

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
        await this.#cleaner.discard(attempt.pending.checkpointId, finalization.directory);
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
    this.#policy.succeeded(checkpointId);
    this.#lastCompletedAtMs = this.#context.platform.monotonicMs();
    this.#log.completed(checkpointId, {
      stateSizeBytes: checkpointSizes(record).stateSizeBytes,
      durationMs: endToEndDurationMs(record),
      finalizationMs,
    });
    for (const observer of this.#context.observers) observer.onEnded?.(record);
    if (!request.isSavepoint) {
      this.#needsFullCheckpoint = false;
      for (const subsumed of this.#store.add(checkpoint)) {
        if (isDiscardedOn(subsumed.properties, "SUBSUMED")) this.#discardCompleted(subsumed);
      }
    }
    if (!request.isSavepoint || isSynchronous(facts.properties)) {
      this.#subsumePending(checkpointId);
      this.#notifyComplete(pending);
    }
    attempt.notifyOver();
    request.settle({ kind: "completed", checkpoint });
    this.#next();
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

  // Failing

  #expire(attempt: CheckpointAttempt): void {
    this.#log.expired(attempt.pending.checkpointId);
    this.#abort(attempt, failureOf("CHECKPOINT_EXPIRED"), undefined);
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
    this.#late.remember(pending);
    const failed = { checkpointId, failure, properties: request.properties, task };
    const decision = this.#policy.failed(failed);
    for (const observer of this.#context.observers) observer.onEnded?.(pending.toRecord());
    this.#notifyAborted(pending);
    if (pending.directory !== undefined && !attempt.isBeingWritten) {
      this.#cleaner.discardInBackground(checkpointId, pending.directory);
    }
    attempt.notifyOver();
    request.settle({ kind: "failed", checkpointId, failure });
    this.#policy.obey(decision, failed);
    this.#next();
  }

  #notifyAborted({ facts, checkpointId }: PendingCheckpoint): void {
    const latestCompletedId = this.#store.latest?.checkpointId ?? 0;
    for (const task of facts.plan.tasksToWaitFor) {
      this.#context.gateway.notifyCheckpointAborted(task, checkpointId, latestCompletedId);
    }
    for (const coordinator of this.#context.operatorCoordinators) {
      coordinator.notifyCheckpointAborted(checkpointId);
    }
  }

  #unexpected(error: unknown): void {
    this.#log.unexpected(causeChain(error));
    this.#context.failJob(
      jobFailure(
        "The checkpoint coordinator failed.",
        undefined,
        "TRIGGER_CHECKPOINT_FAILURE",
        causeChain(error),
      ),
    );
  }

  #discardCompleted({ checkpointId, directory }: CompletedCheckpoint): void {
    this.#cleaner.discardInBackground(checkpointId, directory, () => {
      for (const observer of this.#context.observers) observer.onDiscarded?.(checkpointId);
    });
  }

  /** A copy by ascending id: what is done to one may begin or end others. */
  #underWay(): readonly CheckpointAttempt[] {
    return Array.from(this.#attempts.values());
  }

  #checkpointKind(): "CHECKPOINT" | "FULL_CHECKPOINT" {
    return this.#needsFullCheckpoint ? "FULL_CHECKPOINT" : "CHECKPOINT";
  }

  #nameOf(task: SubtaskRef): string {
    return taskName(task, this.#context.vertices);
  }

  #nowMs(): number {
    return this.#context.platform.nowMs();
  }
}

function failureOf(reason: CheckpointFailureReason): CheckpointFailure {
  return { reason, detail: undefined, causes: [] };
}
