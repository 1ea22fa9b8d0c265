import { assert, causeChain, present } from "../../base/index.ts";
import type { AlignmentMode, CheckpointBarrier } from "../checkpoint-barrier.ts";
import type {
  CheckpointMetrics,
  CheckpointResponder,
  SubtaskRef,
  TaskStateSnapshot,
} from "../checkpoint-gateway.ts";
import { checkpointSizes, endToEndDurationMs } from "../checkpoint-record.ts";
import type { CheckpointPlan } from "../checkpoint-plan.ts";
import { CompletedCheckpointStore } from "../completed-checkpoint-store.ts";
import {
  countSuccess,
  decideOnFailure,
  type FailureCount,
  type FailureDecision,
  NO_FAILURES,
} from "../failure-manager.ts";
import {
  type CheckpointFailure,
  type CheckpointFailureReason,
  failureText,
} from "../failure-reason.ts";
import { type CheckpointMetadata, WRITTEN_VERSION } from "../metadata/checkpoint-metadata.ts";
import {
  type CheckpointProperties,
  propertiesOfCheckpoint,
  propertiesOfSavepoint,
} from "../metadata/checkpoint-properties.ts";
import { encodeMetadata } from "../metadata/metadata-encoder.ts";
import { streamsOfSubtask } from "../metadata/stream-references.ts";
import {
  decideQueued,
  decideRequest,
  MAX_QUEUED_REQUESTS,
  type RequestDecision,
  type TriggerLimits,
  type TriggerRequest,
  type TriggerSituation,
} from "../request-decider.ts";
import { type DiscardOccasion, isDiscardedOn, isSynchronous } from "../retention.ts";
import { BackgroundWork } from "./background-work.ts";
import { CheckpointCleaner } from "./checkpoint-cleaner.ts";
import { CheckpointLog } from "./checkpoint-log.ts";
import { taskName } from "./checkpointed-vertex.ts";
import { type CompletedCheckpoint, describeCheckpoint } from "./completed-checkpoint.ts";
import type { CoordinatorContext, SavepointRequest, TriggerResult } from "./coordinator-context.ts";
import { PendingCheckpoint } from "./pending-checkpoint.ts";
import { PeriodicTrigger } from "./periodic-trigger.ts";
import { jobFailure, triggerFailure } from "./trigger-failure.ts";

/** How many aborted checkpoints are remembered, to tell late answers from strange ones. Source: Flink. */
const REMEMBERED_COUNT = 16;

interface CoordinatorRequest extends TriggerRequest {
  readonly properties: CheckpointProperties;
  readonly targetDirectory: string | undefined;
  readonly settle: (result: TriggerResult) => void;
}

/** A checkpoint under way, and what must be told when it is over. */
interface Attempt {
  readonly pending: PendingCheckpoint;
  readonly request: CoordinatorRequest;
  /** Resolved when it is over. */
  readonly over: Promise<void>;
  readonly notifyOver: () => void;
  cancelTimeout: () => void;
  /** `_metadata` is being written; whoever writes it deletes it if the checkpoint is aborted meanwhile. */
  isBeingWritten: boolean;
}

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
  readonly #work: BackgroundWork;
  readonly #cleaner: CheckpointCleaner;
  readonly #periodic: PeriodicTrigger | undefined;
  readonly #store: CompletedCheckpointStore<CompletedCheckpoint>;
  readonly #attempts = new Map<number, Attempt>();
  /** The latest aborted ones, oldest first. */
  readonly #aborted: PendingCheckpoint[] = [];
  #queue: readonly CoordinatorRequest[] = [];
  #failures: FailureCount = NO_FAILURES;
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
    this.#cleaner = new CheckpointCleaner(context.storage, this.#work, this.#log, () =>
      this.#next(),
    );
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
   * The job leaves RUNNING: aborts what is pending or queued. Resolves when nothing is being written or deleted any more; only then
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
      this.#lateAcknowledge(task, checkpointId, metrics, state);
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
        this.#discardState(checkpointId, task, state, pending.directory);
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
      const isExpired = this.#abortedOf(checkpointId)?.isExpired === true;
      this.#log.lateDecline(checkpointId, name, isExpired, failureText({ reason, detail, causes }));
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
    if (this.#isShutDown) return this.#work.settle();
    this.#isShutDown = true;
    this.#log.stopping();
    await this.stopScheduler("CHECKPOINT_COORDINATOR_SHUTDOWN");
    for (const checkpoint of this.#store.clear()) {
      if (isDiscardedOn(checkpoint.properties, occasion)) this.#discardCompleted(checkpoint);
      else this.#log.notDiscarded(checkpoint.checkpointId, checkpoint.directory);
    }
    await this.#work.settle();
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
    const decision = this.#countFailure(failure, undefined, request.properties, undefined);
    for (const observer of this.#context.observers) observer.onRefused?.(failure);
    request.settle({ kind: "failed", checkpointId: undefined, failure });
    this.#obey(decision, failure, undefined, undefined);
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
    this.#work.run(async () => {
      try {
        await this.#trigger(attempt);
      } finally {
        this.#isTriggering = false;
      }
      this.#next();
    });
  }

  #createAttempt(request: CoordinatorRequest, plan: CheckpointPlan): Attempt {
    const { platform, jobId, vertices, options, observers } = this.#context;
    const checkpointId = this.#nextCheckpointId++;
    const { properties, isPeriodic } = request;
    const triggeredAtMs = this.#nowMs();
    const facts = { jobId, checkpointId, triggeredAtMs, isPeriodic, properties, plan, vertices };
    const pending = new PendingCheckpoint(facts);
    let notifyOver = (): void => {};
    const over = new Promise<void>((resolve) => {
      notifyOver = resolve;
    });
    const attempt: Attempt = {
      pending,
      request,
      over,
      notifyOver,
      cancelTimeout: () => {},
      isBeingWritten: false,
    };
    this.#attempts.set(checkpointId, attempt);
    attempt.cancelTimeout = platform.after(options.timeoutMs, () => this.#expire(attempt));
    this.#log.triggering(checkpointId, properties, triggeredAtMs);
    for (const observer of observers)
      observer.onTriggered?.(checkpointId, () => pending.toRecord());
    return attempt;
  }

  /** Directory, then coordinators, then tasks. Stops where it is if the checkpoint is over meanwhile, were the storage never to answer. */
  async #trigger(attempt: Attempt): Promise<void> {
    const { pending } = attempt;
    const { checkpointId } = pending;
    const closed = this.#context.operatorCoordinators.filter(({ operatorId }) => {
      const vertex = pending.facts.vertices.find(({ operators }) =>
        operators.some((operator) => operator.operatorId === operatorId),
      );
      return (
        vertex === undefined || !pending.facts.plan.fullyFinishedVertexIds.includes(vertex.vertexId)
      );
    });
    let areValvesClosed = false;
    try {
      await Promise.race([attempt.over, this.#prepareStorage(attempt)]);
      if (pending.isOver) return;
      areValvesClosed = true;
      const states = closed.map(async (coordinator) => {
        const state = await coordinator.checkpointCoordinator(checkpointId);
        if (!pending.isOver) pending.coordinatorStates.set(coordinator.operatorId, state);
      });
      await Promise.race([attempt.over, Promise.all(states)]);
      if (pending.isOver) return;
      pending.coordinatorsAcknowledged(this.#nowMs());
      this.#send(attempt);
    } catch (error) {
      if (!pending.isOver) this.#abort(attempt, triggerFailure(error), undefined);
    } finally {
      if (areValvesClosed) for (const coordinator of closed) coordinator.openValve(checkpointId);
    }
  }

  async #prepareStorage({ pending, request }: Attempt): Promise<void> {
    const { storage } = this.#context;
    const { checkpointId } = pending;
    const directory = request.isSavepoint
      ? await storage.initializeSavepoint(checkpointId, request.targetDirectory)
      : await storage.initializeCheckpoint(checkpointId);
    if (pending.isOver) this.#cleaner.discard(checkpointId, directory);
    else pending.storageReady(directory, this.#nowMs());
  }

  #send({ pending }: Attempt): void {
    const { options, gateway } = this.#context;
    const { checkpointId, facts } = pending;
    const { type } = facts.properties;
    const isTimed =
      type.kind === "checkpoint" && options.unalignedEnabled && options.alignedTimeoutMs > 0;
    const barrier: CheckpointBarrier = {
      checkpointId,
      triggeredAtMs: facts.triggeredAtMs,
      options: {
        snapshot:
          type.kind === "savepoint"
            ? { kind: "SAVEPOINT", format: type.format, postAction: type.postCheckpointAction }
            : { kind: type.sharingFilesStrategy === "FORWARD" ? "FULL_CHECKPOINT" : "CHECKPOINT" },
        alignment: this.#alignment(facts.properties),
        alignedTimeoutMs: isTimed ? options.alignedTimeoutMs : undefined,
        targetDirectory: present(pending.directory, "the storage is ready"),
      },
    };
    pending.tasksTriggered(this.#nowMs());
    for (const task of facts.plan.tasksToTrigger) gateway.triggerCheckpoint(task, barrier);
  }

  #alignment({ type }: CheckpointProperties): AlignmentMode {
    const { mode, unalignedEnabled, alignedTimeoutMs } = this.#context.options;
    if (mode === "AT_LEAST_ONCE") return "AT_LEAST_ONCE";
    if (type.kind === "savepoint" || !unalignedEnabled) return "ALIGNED";
    return alignedTimeoutMs > 0 ? "ALIGNED" : "UNALIGNED";
  }

  // Completing

  async #complete(attempt: Attempt): Promise<void> {
    const { pending } = attempt;
    const { checkpointId, facts } = pending;
    const startedAtMs = this.#context.platform.monotonicMs();
    const assembled = pending.beginFinalization();
    if (assembled.kind === "refused") {
      const reason = "CHECKPOINT_DECLINED_TASK_CLOSING";
      this.#abort(attempt, { reason, detail: assembled.detail, causes: [] }, undefined);
      return;
    }
    const metadata: CheckpointMetadata = {
      checkpointId,
      masterStates: [],
      operatorStates: assembled.operatorStates,
      properties: facts.properties,
      version: WRITTEN_VERSION,
    };
    const directory = present(pending.directory, "the storage is ready");
    attempt.isBeingWritten = true;
    let failure: CheckpointFailure | undefined;
    try {
      await this.#context.storage.finalize(directory, encodeMetadata(metadata));
    } catch (error) {
      const detail = `Could not finalize the pending checkpoint ${checkpointId}.`;
      failure = { reason: "FINALIZE_CHECKPOINT_FAILURE", detail, causes: causeChain(error) };
    }
    attempt.isBeingWritten = false;
    if (pending.isOver) {
      this.#cleaner.discard(checkpointId, directory);
      return;
    }
    if (failure !== undefined) {
      this.#abort(attempt, failure, undefined);
      return;
    }
    const finalizationMs = Math.round(this.#context.platform.monotonicMs() - startedAtMs);
    this.#completed(attempt, metadata, directory, finalizationMs);
  }

  #completed(
    attempt: Attempt,
    metadata: CheckpointMetadata,
    directory: string,
    finalizationMs: number,
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
    this.#failures = countSuccess(this.#failures, checkpointId);
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

  #expire(attempt: Attempt): void {
    this.#log.expired(attempt.pending.checkpointId);
    this.#abort(attempt, failureOf("CHECKPOINT_EXPIRED"), undefined);
  }

  /** @param task - The one that reported it, if one did. */
  #abort(attempt: Attempt, failure: CheckpointFailure, task: SubtaskRef | undefined): void {
    const { pending, request } = attempt;
    const { checkpointId } = pending;
    if (pending.isOver) return;
    pending.abort(failure, task, this.#nowMs());
    attempt.cancelTimeout();
    this.#attempts.delete(checkpointId);
    this.#aborted.push(pending);
    if (this.#aborted.length > REMEMBERED_COUNT) this.#aborted.shift();

    const decision = this.#countFailure(failure, checkpointId, request.properties, task);
    for (const observer of this.#context.observers) observer.onEnded?.(pending.toRecord());
    this.#notifyAborted(pending);
    if (pending.directory !== undefined && !attempt.isBeingWritten) {
      this.#cleaner.discard(checkpointId, pending.directory);
    }
    attempt.notifyOver();
    request.settle({ kind: "failed", checkpointId, failure });
    this.#obey(decision, failure, checkpointId, task);
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

  #countFailure(
    failure: CheckpointFailure,
    checkpointId: number | undefined,
    properties: CheckpointProperties,
    task: SubtaskRef | undefined,
  ): FailureDecision {
    this.#log.failed(checkpointId, failure, this.#failures.consecutiveCount);
    const isSavepoint = properties.type.kind === "savepoint";
    const { count, decision } = decideOnFailure(
      this.#failures,
      {
        checkpointId,
        reason: failure.reason,
        kind: isSynchronous(properties)
          ? "STOP_WITH_SAVEPOINT"
          : isSavepoint
            ? "SAVEPOINT"
            : "CHECKPOINT",
        isFromTask: task !== undefined,
      },
      this.#context.options.tolerableFailedCheckpointCount,
    );
    this.#failures = count;
    return decision;
  }

  #obey(
    decision: FailureDecision,
    { reason, causes }: CheckpointFailure,
    checkpointId: number | undefined,
    task: SubtaskRef | undefined,
  ): void {
    if (decision.kind === "tolerate") return;
    const error = jobFailure(decision.message, checkpointId, reason, causes);
    if (decision.kind === "fail-task" && task !== undefined) this.#context.failTask(task, error);
    else this.#context.failJob(error);
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

  // Late answers and leftovers

  #lateAcknowledge(
    task: SubtaskRef,
    checkpointId: number,
    metrics: CheckpointMetrics,
    state: TaskStateSnapshot | undefined,
  ): void {
    const aborted = this.#abortedOf(checkpointId);
    this.#log.lateAcknowledge(checkpointId, this.#nameOf(task), aborted?.isExpired === true);
    if (aborted === undefined) return;
    if (aborted.waitsFor(task)) {
      aborted.acknowledge(task, metrics, undefined, this.#nowMs());
      for (const observer of this.#context.observers) {
        observer.onLateAcknowledgement?.(aborted.toRecord());
      }
    }
    this.#discardState(checkpointId, task, state, aborted.directory);
  }

  #discardState(
    checkpointId: number,
    task: SubtaskRef,
    state: TaskStateSnapshot | undefined,
    directory: string | undefined,
  ): void {
    if (state === undefined || directory === undefined) return;
    const { storage } = this.#context;
    this.#work.run(async () => {
      const streams = [...state.values()].flatMap(streamsOfSubtask).map(({ stream }) => stream);
      for (const stream of streams) {
        try {
          await storage.discardState(stream, directory);
        } catch (error) {
          this.#log.stateDiscardFailed(checkpointId, this.#nameOf(task), causeChain(error));
        }
      }
    });
  }

  #discardCompleted({ checkpointId, directory }: CompletedCheckpoint): void {
    this.#cleaner.discard(checkpointId, directory, () => {
      for (const observer of this.#context.observers) observer.onDiscarded?.(checkpointId);
    });
  }

  /** A copy by ascending id: what is done to one may begin or end others. */
  #underWay(): readonly Attempt[] {
    return Array.from(this.#attempts.values());
  }

  #abortedOf(checkpointId: number): PendingCheckpoint | undefined {
    return this.#aborted.find((pending) => pending.checkpointId === checkpointId);
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
