import { causeChain } from "../../base/index.ts";
import type {
  CheckpointMetrics,
  CheckpointResponder,
  SubtaskRef,
  TaskStateSnapshot,
} from "../checkpoint-gateway.ts";
import { CompletedCheckpointStore } from "../completed-checkpoint-store.ts";
import {
  type CheckpointFailure,
  type CheckpointFailureReason,
  failureOf,
} from "../failure-reason.ts";
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
import { type DiscardOccasion, isDiscardedOn } from "../retention.ts";
import { BackgroundWork } from "./background-work.ts";
import type { CoordinatorRequest } from "./checkpoint-attempt.ts";
import { CheckpointAttempts } from "./checkpoint-attempts.ts";
import { CheckpointCleaner } from "./checkpoint-cleaner.ts";
import { CheckpointLog } from "./checkpoint-log.ts";
import { type CompletedCheckpoint, describeCheckpoint } from "./completed-checkpoint.ts";
import type { CoordinatorContext, SavepointRequest, TriggerResult } from "./coordinator-context.ts";
import { FailurePolicy } from "./failure-policy.ts";
import { LateAnswers } from "./late-answers.ts";
import { PeriodicTrigger } from "./periodic-trigger.ts";
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
  readonly #store: CompletedCheckpointStore<CompletedCheckpoint>;
  readonly #attempts: CheckpointAttempts;
  readonly #periodic: PeriodicTrigger | undefined;
  #queue: readonly CoordinatorRequest[] = [];
  #isShutDown = false;

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
    this.#store = new CompletedCheckpointStore(options.retainedCount, context.restored);
    this.#attempts = new CheckpointAttempts(context, {
      log: this.#log,
      policy: this.#policy,
      store: this.#store,
      cleaner: this.#cleaner,
      late: new LateAnswers(context, this.#log, this.#deletions),
      work: this.#work,
      onChange: () => this.#next(),
    });
    const { intervalMs } = options;
    this.#periodic =
      intervalMs === undefined
        ? undefined
        : new PeriodicTrigger(context.platform, { ...options, intervalMs }, () => {
            void this.#request(propertiesOfCheckpoint(this.#checkpointKind(), options.retention), {
              isPeriodic: true,
            });
          });
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
    return this.#attempts.ids;
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
    this.#attempts.abortAll(failure);
  }

  /** A source has begun or ended to work off a backlog. */
  setProcessingBacklog(isBacklog: boolean): void {
    this.#periodic?.setBacklog(isBacklog);
  }

  /**
   * Asks for a checkpoint now; it waits for its turn, but for no pause.
   *
   * @param options - `mustAlign`: it is to hold no in-flight data, so that any parallelism can start from it.
   */
  triggerCheckpoint(options: { readonly mustAlign?: boolean } = {}): Promise<TriggerResult> {
    const properties = propertiesOfCheckpoint(
      this.#checkpointKind(),
      this.#context.options.retention,
    );
    return this.#request(properties, { ...options, isPeriodic: false });
  }

  /**
   * Stops periodic checkpoints and takes a last one that holds no in-flight data. If that fails periodic checkpoints go on.
   *
   * @remarks
   * Nothing that completes later can take its place, so it is what the job is restored from.
   */
  async stopWithCheckpoint(): Promise<TriggerResult> {
    const wasRunning = this.#periodic?.isRunning === true;
    await this.stopScheduler();
    const result = await this.triggerCheckpoint({ mustAlign: true });
    if (result.kind === "failed" && wasRunning) this.startScheduler();
    return result;
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
    this.#attempts.acknowledge(task, checkpointId, metrics, state);
  }

  declineCheckpoint(
    task: SubtaskRef,
    checkpointId: number,
    reason: CheckpointFailureReason,
    causes: readonly string[],
    metrics: Partial<CheckpointMetrics>,
  ): void {
    this.#attempts.decline(task, checkpointId, { reason, causes, metrics });
  }

  reportFinished(task: SubtaskRef): void {
    this.#attempts.taskFinished(task);
  }

  /** A task has failed: checkpoints that still wait for it cannot complete. */
  reportFailed(task: SubtaskRef, causes: readonly string[]): void {
    this.#attempts.taskFailed(task, causes);
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
        if (isDiscardedOn(checkpoint.properties, occasion))
          this.#attempts.discardCompleted(checkpoint);
        else this.#log.notDiscarded(checkpoint.checkpointId, checkpoint.directory);
      }
    }
    await this.#work.settle();
    await this.#deletions.settle();
    for (const observer of this.#context.observers) await observer.settle?.();
  }

  // Requests

  #request(
    properties: CheckpointProperties,
    options: {
      readonly isPeriodic: boolean;
      readonly targetDirectory?: string | undefined;
      readonly mustAlign?: boolean;
    },
  ): Promise<TriggerResult> {
    return new Promise((settle) => {
      const request: CoordinatorRequest = {
        isSavepoint: properties.type.kind === "savepoint",
        isForced: properties.isForced,
        requestedAtMs: this.#nowMs(),
        properties,
        isPeriodic: options.isPeriodic,
        targetDirectory: options.targetDirectory,
        mustAlign: options.mustAlign ?? false,
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
      isTriggering: this.#attempts.isTriggering,
      pendingCount: this.#attempts.ids.length,
      cleaningCount: this.#cleaner.cleaningCount,
      lastCompletedAtMs: this.#attempts.lastCompletedAtMs,
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
    this.#attempts.begin(request, decision.plan);
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

  #checkpointKind(): "CHECKPOINT" | "FULL_CHECKPOINT" {
    // What is not ours may be deleted: the next checkpoint must stand by itself.
    const isUnclaimed = this.#store.latest?.properties.isUnclaimed === true;
    return isUnclaimed ? "FULL_CHECKPOINT" : "CHECKPOINT";
  }

  #nowMs(): number {
    return this.#context.platform.nowMs();
  }
}
