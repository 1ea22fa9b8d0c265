import { causeChain, errorText, present, StreamError } from "../../base/index.ts";
import {
  type CheckpointCoordinator,
  type CompletedCheckpoint,
  decideRestart,
  type DiscardOccasion,
  failureText,
  NO_RESTARTS,
  noteFailure,
  type RestartHistory,
  type SavepointRequest,
  type SubtaskRef,
  taskName,
  type TriggerResult,
} from "../../checkpoint/index.ts";
import type { OperatorMetricsSnapshot } from "../task/operator-metrics.ts";
import type { TaskMetricsSnapshot } from "../task/task-metrics.ts";
import type { MasterMessage } from "../slot/task-messages.ts";
import { isTerminal } from "../task/task-status.ts";
import { Execution } from "./execution.ts";
import { FinalCheckpoint } from "./final-checkpoint.ts";
import { checkpointedVertices, createCoordinator } from "./job-checkpoints.ts";
import type { JobEnd, JobMasterParameters } from "./job-parameters.ts";
import { JobRecord } from "./job-record.ts";
import { assertJobTransition, isJobOver, type JobStatus } from "./job-status.ts";
import { isLastingFailure } from "./lasting-failure.ts";
import { deploymentOf, planRestore, readCoordinatorStates } from "./restore-plan.ts";
import type { Slots } from "./slots.ts";
import { SourceCoordinators } from "./source-coordinators.ts";

/** How a job ended, other than by failing. */
export interface JobResult {
  readonly status: "FINISHED" | "CANCELED" | "SUSPENDED";
  readonly restarts: number;
  /** Where the savepoint lies, if the job was stopped with one. */
  readonly savepointDirectory: string | undefined;
}

type Afterwards =
  | { readonly kind: "restart"; readonly backoffMs: number }
  | { readonly kind: "give-up"; readonly error: unknown; readonly where: string | undefined }
  | { readonly kind: "cancel" }
  | { readonly kind: "suspend"; readonly keepsCheckpoints: boolean };

/**
 * Runs one job over all its attempts: deploys tasks, takes note of what becomes of them, has checkpoints taken, and starts the job
 * again from the newest one when it fails.
 *
 * Invariants:
 *
 * - J1. A new attempt begins only when every task of the last one has ended and no checkpoint is being written.
 * - J2. Messages of earlier attempts change nothing.
 * - J3. The result is settled once, after checkpoints are kept or deleted as they should be.
 *
 * Source: Flink `JobMaster`, `DefaultScheduler`, `ExecutionFailureHandler`.
 */
export class JobMaster {
  readonly result: Promise<JobResult>;
  readonly coordinator: CheckpointCoordinator;
  /** What has become of the job and its tasks so far. */
  readonly record: JobRecord;
  readonly #p: JobMasterParameters;
  readonly #slots: Slots;
  readonly #sources: SourceCoordinators;
  readonly #final: FinalCheckpoint;
  #settle: { resolve: (result: JobResult) => void; reject: (error: unknown) => void } | undefined;
  #status: JobStatus = "CREATED";
  #execution: Execution;
  #restarts: RestartHistory = NO_RESTARTS;
  #restartCount = 0;
  #hasScheduler = false;
  /** A savepoint that ends the job is under way or complete. */
  #isStopping = false;
  #savepointDirectory: string | undefined;
  #isDeployed = false;
  /** What follows when the attempt has ended; undefined while it is to go on. */
  #afterwards: Afterwards | undefined;
  #ending: Promise<void> | undefined;
  #cancelBackoff: (() => void) | undefined;
  /** Called once every task of the attempt has ended. */
  #whenOver: (() => void) | undefined;

  constructor(parameters: JobMasterParameters) {
    this.#p = parameters;
    const { graph, platform, log, options } = parameters;
    this.record = new JobRecord(platform);
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#execution = new Execution(graph, 0);
    this.#slots = parameters.createSlots((message) => this.#handle(message));
    this.#sources = new SourceCoordinators({
      graph,
      platform,
      log,
      send: (message) => this.#slots.send(message),
      fail: (error) => this.#fail(error, undefined),
    });
    this.#final = new FinalCheckpoint({
      platform,
      coordinator: () => this.coordinator,
      execution: () => this.#execution,
      isWanted: () =>
        options.checkpointing.intervalMs !== undefined &&
        this.#afterwards === undefined &&
        !this.#isStopping,
    });
    this.coordinator = createCoordinator({
      job: parameters,
      operatorCoordinators: this.#sources.snapshots,
      observers: [...parameters.observers, this.#final],
      send: (message) => this.#slots.send(message),
      execution: () => this.#execution,
      fail: (error, task) => this.#fail(error, task),
    });
  }

  get status(): JobStatus {
    return this.#status;
  }

  get restartCount(): number {
    return this.#restartCount;
  }

  /** The present attempt. */
  get execution(): Execution {
    return this.#execution;
  }

  metrics(): readonly OperatorMetricsSnapshot[] {
    return this.#slots.metrics();
  }

  taskMetrics(): readonly TaskMetricsSnapshot[] {
    return this.#slots.taskMetrics();
  }

  /** Begins the first attempt. */
  start(): void {
    this.#launch();
  }

  /** Ends the job; checkpoints stay or go by their retention. */
  cancel(): void {
    if (isJobOver(this.#status) || this.#afterwards?.kind === "cancel") return;
    if (this.#status !== "CREATED") this.#enter("CANCELLING");
    this.#endAttempt({ kind: "cancel" });
  }

  /** Ends the job so that it can go on later: its checkpoints stay. */
  suspend(): void {
    if (isJobOver(this.#status) || this.#afterwards?.kind === "cancel") return;
    this.#endAttempt({ kind: "suspend", keepsCheckpoints: false });
  }

  /**
   * Takes a last checkpoint without in-flight data and ends the job, which is to go on from it at once. Its checkpoints stay, whatever their
   * retention. If it cannot be taken the job goes on as it was.
   */
  async suspendWithCheckpoint(): Promise<TriggerResult> {
    const result = await this.coordinator.stopWithCheckpoint();
    if (result.kind === "completed" && this.#status === "RUNNING")
      this.#endAttempt({ kind: "suspend", keepsCheckpoints: true });
    return result;
  }

  /** Takes a savepoint and then cancels the job, if it could be taken. */
  async cancelWithSavepoint(request: Omit<SavepointRequest, "postAction">): Promise<TriggerResult> {
    const result = await this.coordinator.triggerSavepoint({ ...request, postAction: "NONE" });
    if (result.kind === "completed") {
      this.#savepointDirectory = result.checkpoint.directory;
      this.cancel();
    }
    return result;
  }

  /**
   * Takes a savepoint and ends the job with it.
   *
   * @returns The result of the savepoint. The job's own result follows when its tasks have ended.
   */
  async stopWithSavepoint(options: {
    readonly targetDirectory: string | undefined;
    readonly format: "CANONICAL" | "NATIVE";
    readonly drain: boolean;
  }): Promise<TriggerResult> {
    const { attempt } = this.#execution;
    const { targetDirectory, format } = options;
    this.#isStopping = true;
    const result = await this.coordinator.stopWithSavepoint({
      targetDirectory,
      format,
      postAction: options.drain ? "TERMINATE" : "SUSPEND",
    });
    this.#isStopping = result.kind === "completed";
    if (result.kind === "completed") this.#savepointDirectory = result.checkpoint.directory;
    // Sources have stopped already: only a new attempt makes them read again.
    else if (result.checkpointId !== undefined && attempt === this.#execution.attempt) {
      const reason = failureText(result.failure);
      this.#fail(
        new StreamError("SNAPSHOT_FAILED", { what: "stop with savepoint", reason }),
        undefined,
      );
    }
    return result;
  }

  #launch(): void {
    const { graph, platform } = this.#p;
    const attempt = this.#restartCount;
    this.#execution = new Execution(graph, attempt);
    this.record.attemptBegun(this.#execution.tasks);
    this.#hasScheduler = false;
    this.#isStopping = false;
    const latest = this.coordinator.noteRestored();
    this.#enter("RUNNING");
    this.#deploy(attempt, latest).catch((error: unknown) =>
      platform.soon(() => this.#fail(error, undefined)),
    );
  }

  async #deploy(attempt: number, from: CompletedCheckpoint | undefined): Promise<void> {
    const { graph, storage, log, options } = this.#p;
    const allowNonRestoredState = options.recovery.ignoresUnclaimedState;
    const plan = from && planRestore(graph, from, { allowNonRestoredState });
    if (plan !== undefined && plan.skipped.length > 0) {
      log.log(
        "INFO",
        `State of ${plan.skipped.join(", ")} is dropped: the job has no such operator.`,
      );
    }
    const coordinatorStates = plan && (await readCoordinatorStates(plan, storage));
    if (this.#afterwards !== undefined || this.#execution.attempt !== attempt) return;
    this.#sources.start(
      attempt,
      (operatorId) => coordinatorStates?.get(operatorId),
      (vertexId) => plan?.vertices.get(vertexId)?.isFullyFinished === true,
    );
    this.#slots.send({ kind: "deploy", deployment: deploymentOf(graph, attempt, plan) });
    this.#isDeployed = true;
  }

  #handle(message: MasterMessage): void {
    if (message.kind === "slot-lost") return this.#slotLost(message);
    const { task } = message;
    if (task.attempt !== this.#execution.attempt) return;
    switch (message.kind) {
      case "status":
        return this.#taskStatus(message);
      case "end-of-data":
        this.#execution.endOfDataReached(task, message.finalCheckpointMinId);
        return this.#final.check();
      case "acknowledge":
        return this.coordinator.acknowledgeCheckpoint(
          task,
          message.checkpointId,
          message.metrics,
          message.state,
        );
      case "decline":
        return this.coordinator.declineCheckpoint(
          task,
          message.checkpointId,
          message.reason,
          message.causes,
          message.metrics,
        );
      case "operator-event":
        return this.#sources.handleEvent(message.operatorId, task, message.event);
    }
  }

  /** A slot is gone with all that ran on it. */
  #slotLost({ tasks, error }: MasterMessage & { readonly kind: "slot-lost" }): void {
    for (const task of tasks) {
      const execution = this.#execution;
      if (task.attempt !== execution.attempt || isTerminal(execution.statusOf(task))) continue;
      this.#taskStatus({ kind: "status", task, status: "FAILED", error });
    }
  }

  #taskStatus({ task, status, error }: MasterMessage & { readonly kind: "status" }): void {
    const execution = this.#execution;
    execution.statusChanged(task, status);
    this.record.taskEntered(task, status);
    if (status === "FAILED") {
      this.coordinator.reportFailed(task, causeChain(error));
      this.#fail(error, task);
    } else if (status === "FINISHED") {
      this.coordinator.reportFinished(task);
    }
    if (execution.isOver && this.#whenOver !== undefined) return this.#whenOver();
    if (this.#afterwards !== undefined) return;
    if (execution.isFinished) return this.#end("FINISHED", "FINISHED");
    if (execution.isRunning && !this.#hasScheduler) {
      this.#hasScheduler = true;
      this.coordinator.startScheduler();
      this.#final.check();
    }
  }

  /** An attempt has failed: the restart strategy decides. */
  #fail(error: unknown, task: SubtaskRef | undefined): void {
    const { platform, log, options, graph } = this.#p;
    if (task !== undefined && task.attempt !== this.#execution.attempt) return;
    if (this.#status !== "RUNNING" || this.#afterwards !== undefined) {
      log.log("DEBUG", `A failure while the job is ${this.#status}.`, { error });
      return;
    }
    const noted = noteFailure(options.restart, this.#restarts, platform.nowMs(), platform.random());
    this.#restarts = noted.history;
    // What would fail in the same way again is not tried again, whatever the strategy.
    const decision = isLastingFailure(error)
      ? ({ kind: "give-up" } as const)
      : decideRestart(options.restart, this.#restarts, platform.nowMs());
    const where = task === undefined ? undefined : taskName(task, checkpointedVertices(graph));
    this.record.failed({ error, task, taskName: where });
    log.log("WARN", `${where ?? `Job ${graph.name}`} failed: ${errorText(error)}`, { error });
    if (decision.kind === "restart") {
      const seconds = (decision.backoffMs / 1000).toFixed(1);
      const by = `restart-strategy.type: ${options.restart.type}`;
      log.log("WARN", `Job ${graph.name} starts again in ${seconds} s (${by}).`);
      this.#enter("RESTARTING");
      this.#endAttempt({ kind: "restart", backoffMs: decision.backoffMs });
    } else {
      this.#enter("FAILING");
      this.#endAttempt({ kind: "give-up", error, where });
    }
  }

  /** Ends the attempt, unless that is under way already, and then does what was asked for last. */
  #endAttempt(afterwards: Afterwards): void {
    this.#afterwards = afterwards;
    if (this.#cancelBackoff !== undefined) {
      this.#cancelBackoff();
      this.#cancelBackoff = undefined;
      return this.#attemptEnded();
    }
    if (this.#ending !== undefined) return;
    this.#ending = this.#endTasks()
      .catch((error: unknown) =>
        this.#p.log.log("WARN", "The attempt did not end cleanly.", { error }),
      )
      .then(() => this.#attemptEnded());
  }

  /** Aborts checkpoints, cancels tasks, ends enumerators. */
  async #endTasks(): Promise<void> {
    const over = new Promise<void>((resolve) => {
      this.#whenOver = resolve;
    });
    if (!this.#isDeployed || this.#execution.isOver) this.#whenOver?.();
    else
      for (const task of this.#execution.unfinishedTasks)
        this.#slots.send({ kind: "cancel", task });
    await Promise.all([this.coordinator.stopScheduler(), this.#sources.stop(), over]);
  }

  #attemptEnded(): void {
    this.#whenOver = undefined;
    this.#isDeployed = false;
    const afterwards = present(this.#afterwards, "an attempt is ended for a reason");
    switch (afterwards.kind) {
      case "restart":
        this.#cancelBackoff = this.#p.platform.after(afterwards.backoffMs, () => this.#restart());
        return;
      case "give-up":
        return this.#giveUp(afterwards.error, afterwards.where);
      case "cancel":
        return this.#end("CANCELED", "CANCELLED");
      case "suspend":
        return this.#end("SUSPENDED", afterwards.keepsCheckpoints ? "HANDED_OVER" : "SUSPENDED");
    }
  }

  #restart(): void {
    this.#cancelBackoff = undefined;
    this.#afterwards = undefined;
    this.#ending = undefined;
    this.#restartCount++;
    this.#launch();
  }

  #giveUp(error: unknown, task: string | undefined): void {
    const details = { job: this.#p.graph.name, restarts: this.#restartCount, task };
    this.#enter("FAILED");
    this.#shutDown("FAILED", "FAILED")
      .then(() => this.#settle?.reject(new StreamError("JOB_FAILED", details, error)))
      .catch((problem: unknown) => this.#settle?.reject(problem));
  }

  #end(status: JobResult["status"], occasion: Exclude<DiscardOccasion, "SUBSUMED">): void {
    this.#enter(status);
    const restarts = this.#restartCount;
    this.#shutDown(status, occasion)
      .then(() =>
        this.#settle?.resolve({ status, restarts, savepointDirectory: this.#savepointDirectory }),
      )
      .catch((problem: unknown) => this.#settle?.reject(problem));
  }

  async #shutDown(status: JobEnd, occasion: Exclude<DiscardOccasion, "SUBSUMED">): Promise<void> {
    await this.#slots.close();
    await this.#sources
      .stop()
      .catch((error: unknown) =>
        this.#p.log.log("WARN", "The sources did not end cleanly.", { error }),
      );
    await this.#p.onEnd?.(status);
    await this.coordinator.shutdown(occasion);
  }

  #enter(status: JobStatus): void {
    assertJobTransition(this.#status, status);
    this.#status = status;
    this.record.entered(status);
    this.#p.onStatus?.(status);
  }
}
