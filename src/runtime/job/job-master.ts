import { causeChain, present, StreamError } from "../../base/index.ts";
import {
  type CheckpointCoordinator,
  type DiscardOccasion,
  failureText,
  type SavepointRequest,
  type SubtaskRef,
  type TriggerResult,
} from "../../checkpoint/index.ts";
import { FailureHandler } from "../failover/failure-handler.ts";
import { type PipelinedRegion, PipelinedRegions, tasksOf } from "../failover/pipelined-regions.ts";
import { RegionRestarts } from "../failover/region-restarts.ts";
import { RegionDeployer } from "../failover/region-deployer.ts";
import type { OperatorMetricsSnapshot } from "../task/operator-metrics.ts";
import type { TaskMetricsSnapshot } from "../task/task-metrics.ts";
import type { MasterMessage } from "../slot/task-messages.ts";
import { isTerminal, type TaskStatus } from "../task/task-status.ts";
import { Execution } from "./execution.ts";
import { FinalCheckpoint } from "./final-checkpoint.ts";
import { createCoordinator } from "./job-checkpoints.ts";
import type { JobEnd, JobMasterParameters } from "./job-parameters.ts";
import { JobRecord } from "./job-record.ts";
import { assertJobTransition, isJobOver, type JobStatus } from "./job-status.ts";
import { failureWhileStopping } from "./lasting-failure.ts";
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
 * Runs one job over all its attempts: deploys tasks, takes note of what becomes of them, has checkpoints taken, and starts what
 * failed, a region or the whole job, again from the newest one.
 *
 * Invariants:
 *
 * - J1. A new attempt of a region begins only when every task of the last one has ended and no checkpoint is being written.
 * - J2. Messages of earlier attempts of a task change nothing.
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
  readonly #execution: Execution;
  readonly #regions: PipelinedRegions;
  readonly #regionRestarts: RegionRestarts;
  readonly #deployer: RegionDeployer;
  readonly #failures: FailureHandler;
  #restartCount = 0;
  /** How often the whole job was started. */
  #launchCount = 0;
  #hasScheduler = false;
  /** A savepoint that ends the job is under way, or it is complete and what it covers is being committed. */
  isStopping = false;
  #savepointDirectory: string | undefined;
  /** What follows when all tasks have ended; undefined while the job is to go on. */
  #afterwards: Afterwards | undefined;
  #ending: Promise<void> | undefined;
  #cancelBackoff: (() => void) | undefined;
  /** Called once every task has ended. */
  #whenOver: (() => void) | undefined;

  constructor(parameters: JobMasterParameters) {
    this.#p = parameters;
    const { graph, platform, log, options } = parameters;
    this.record = new JobRecord(platform);
    this.#failures = new FailureHandler(parameters, this.record);
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#execution = new Execution(graph);
    this.#regions = new PipelinedRegions(graph);
    this.#slots = parameters.createSlots((message) => this.#handle(message));
    this.#sources = new SourceCoordinators({
      graph,
      platform,
      log,
      send: (message) => this.#slots.send(message),
      fail: (error) => this.fail(error),
    });
    this.#deployer = new RegionDeployer({
      job: parameters,
      execution: this.#execution,
      coordinator: () => this.coordinator,
      sources: this.#sources,
      send: (message) => this.#slots.send(message),
      isWanted: () => this.#afterwards === undefined,
    });
    this.#regionRestarts = new RegionRestarts({
      platform,
      deployer: this.#deployer,
      execution: this.#execution,
      restart: (regions) => {
        this.#restartCount++;
        this.#begin(regions);
      },
    });
    this.#final = new FinalCheckpoint({
      platform,
      coordinator: () => this.coordinator,
      execution: () => this.#execution,
      isWanted: () =>
        options.checkpointing.intervalMs !== undefined &&
        this.#afterwards === undefined &&
        !this.#regionRestarts.isPending &&
        !this.isStopping,
    });
    this.coordinator = createCoordinator({
      job: parameters,
      operatorCoordinators: this.#sources.snapshots,
      observers: [...parameters.observers, this.#final],
      slots: this.#slots,
      execution: () => this.#execution,
      fail: (error, task) => this.fail(error, task === undefined ? [] : [task]),
    });
  }

  get status(): JobStatus {
    return this.#status;
  }

  get restartCount(): number {
    return this.#restartCount;
  }

  /** The present attempt of each task. */
  get execution(): Execution {
    return this.#execution;
  }

  metrics(): readonly OperatorMetricsSnapshot[] {
    return this.#slots.metrics();
  }

  taskMetrics(): readonly TaskMetricsSnapshot[] {
    return this.#slots.taskMetrics();
  }

  /** Where its tasks run. */
  get slots(): Pick<Slots, "workers" | "slotOf"> {
    return this.#slots;
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
    const launch = this.#launchCount;
    const { targetDirectory, format } = options;
    this.isStopping = true;
    const result = await this.coordinator.stopWithSavepoint({
      targetDirectory,
      format,
      postAction: options.drain ? "TERMINATE" : "SUSPEND",
    });
    this.isStopping = result.kind === "completed";
    if (result.kind === "completed") this.#savepointDirectory = result.checkpoint.directory;
    // Sources have stopped already: only a new attempt makes them read again.
    else if (result.checkpointId !== undefined && launch === this.#launchCount) {
      const reason = failureText(result.failure);
      this.fail(new StreamError("SNAPSHOT_FAILED", { what: "stop with savepoint", reason }));
    }
    return result;
  }

  #launch(): void {
    this.#launchCount++;
    this.isStopping = false;
    this.#begin(this.#regions.all);
  }

  /** Starts the tasks of regions from the newest checkpoint. */
  #begin(regions: readonly PipelinedRegion[]): void {
    this.record.attemptBegun(this.#execution.begun(tasksOf(regions)));
    this.#hasScheduler = false;
    const latest = this.coordinator.noteRestored();
    if (!this.#regionRestarts.isPending) this.#enter("RUNNING");
    this.#deployer
      .deploy(regions, latest)
      .catch((error: unknown) => this.#p.platform.soon(() => this.fail(error)));
  }

  #handle(message: MasterMessage): void {
    if (message.kind === "slot-lost") return this.#slotLost(message);
    const { task } = message;
    if (!this.#execution.isCurrent(task)) return;
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

  /** A slot is gone with all that ran on it: one failure, of every region that had a task there. */
  #slotLost({ tasks, error }: MasterMessage & { readonly kind: "slot-lost" }): void {
    const execution = this.#execution;
    const lost = tasks.filter(
      (task) => execution.isCurrent(task) && !isTerminal(execution.statusOf(task)),
    );
    for (const task of lost) this.#note(task, "FAILED", error);
    if (lost.length > 0) this.fail(error, lost);
    this.#afterStatus();
  }

  #taskStatus({ task, status, error }: MasterMessage & { readonly kind: "status" }): void {
    this.#note(task, status, error);
    if (status === "FAILED") this.fail(error, [task]);
    this.#afterStatus();
  }

  #note(task: SubtaskRef, status: TaskStatus, error: unknown): void {
    this.#execution.statusChanged(task, status);
    this.record.taskEntered(task, status);
    if (status === "FAILED") this.coordinator.reportFailed(task, causeChain(error));
    else if (status === "FINISHED") this.coordinator.reportFinished(task);
  }

  /** What follows from a task's new status for the job. */
  #afterStatus(): void {
    const execution = this.#execution;
    this.#regionRestarts.taskEnded();
    if (execution.isOver && this.#whenOver !== undefined) return this.#whenOver();
    if (this.#afterwards !== undefined || this.#regionRestarts.isPending) return;
    if (execution.isFinished) return this.#end("FINISHED", "FINISHED");
    if (execution.isRunning && !this.#hasScheduler) {
      this.#hasScheduler = true;
      this.coordinator.startScheduler();
      this.#final.check();
    }
  }

  /**
   * Something has failed: the restart strategy decides.
   *
   * @param failed - The tasks that failed, that which it is laid to first; without any it is the whole job.
   */
  fail(cause: unknown, failed: readonly SubtaskRef[] = []): void {
    const error = failureWhileStopping(cause, this.isStopping && this.#savepointDirectory);
    const tasks = failed.filter((ref) => this.#execution.isCurrent(ref));
    if (failed.length > 0 && tasks.length === 0) return;
    const goesOn = this.#status === "RUNNING" || this.#status === "RESTARTING";
    const regions = this.#regionsToRestart(tasks);
    if (!goesOn || this.#afterwards !== undefined || regions?.length === 0) {
      this.#p.log.log("DEBUG", `A failure while the job is ${this.#status}.`, { error });
      return;
    }
    const part = regions && this.#execution.refsOf(tasksOf(regions));
    const decision = this.#failures.handle({ error, task: tasks[0], part });
    if (decision.kind === "give-up") {
      this.#enter("FAILING");
      return this.#endAttempt({ kind: "give-up", error, where: decision.where });
    }
    if (this.#status !== "RESTARTING") this.#enter("RESTARTING");
    if (regions === undefined) return this.#endAttempt(decision);
    this.#hasScheduler = false;
    this.#regionRestarts.begin(regions, decision.backoffMs);
  }

  /** What is to start again; undefined for the whole job, and nothing for what is to start again already. */
  #regionsToRestart(tasks: readonly SubtaskRef[]): readonly PipelinedRegion[] | undefined {
    const isRegional = this.#p.options.runtime.failoverStrategy === "region";
    // Sources that have stopped for a savepoint read again only in a new attempt.
    if (!isRegional || this.isStopping) return undefined;
    const regions = this.#regions.ofAll(tasks);
    if (regions.length === 0 || regions.length === this.#regions.all.length) return undefined;
    return regions.filter((region) => !this.#regionRestarts.covers(region));
  }

  /** Ends the attempt, unless that is under way already, and then does what was asked for last. */
  #endAttempt(afterwards: Afterwards): void {
    this.#afterwards = afterwards;
    this.#regionRestarts.cancel();
    if (this.#cancelBackoff !== undefined) {
      this.#cancelBackoff();
      this.#cancelBackoff = undefined;
      return this.#attemptEnded();
    }
    if (this.#ending !== undefined) return;
    this.#ending = this.#endTasks().then(() => this.#attemptEnded());
  }

  /** Aborts checkpoints, cancels tasks, ends enumerators. */
  async #endTasks(): Promise<void> {
    const { all } = this.#regions;
    const over = new Promise<void>((resolve) => {
      this.#whenOver = resolve;
    });
    this.#deployer.cancel(all);
    if (this.#execution.isOver) this.#whenOver?.();
    await Promise.all([this.#deployer.settle(all), over]);
  }

  #attemptEnded(): void {
    this.#whenOver = undefined;
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
