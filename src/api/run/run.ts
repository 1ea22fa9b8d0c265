import {
  type ConfigurationEntry,
  type Logger,
  nodePlatform,
  type Platform,
  present,
  raiseInliningBudget,
  resolveOptions,
  silentLogger,
  StreamError,
} from "../../base/index.ts";
import {
  CHECKPOINTING_OPTIONS,
  type CheckpointObserver,
  RECOVERY_OPTIONS,
} from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import {
  type Job,
  type JobResult,
  type JobStatus,
  type OperatorMetricsSnapshot,
  startJob,
} from "../../runtime/index.ts";
import type { JobDefinition } from "../job-definition.ts";
import { type DirectoryLock, lockDirectory } from "./directory-lock.ts";
import { createJobDirectory, inJobDirectory, jobDirectoryOf } from "./job-directory.ts";
import { type JobState, removeJobState, writeJobState } from "./job-state.ts";
import { nodeProcessTable } from "./process-identity.ts";
import {
  checkSettings,
  configurationOf,
  type RunSettings,
  withoutZeroInterval,
  withRunDefaults,
} from "./run-configuration.ts";
import { type Handover, handoverTo, refuseAboveMaximum, withParallelism } from "./rescaling.ts";
import { formOf, type JobForm } from "./job-form.ts";
import type { JobClient } from "./job-client.ts";
import { RUN_OPTIONS } from "./run-options.ts";
import { slotsOf } from "../worker-slots.ts";
import { firstCheckpointId, type StartDecision } from "./start-decision.ts";
import { startOfRun } from "./start-of-run.ts";
import { uncaughtErrors } from "./uncaught-errors.ts";

/** What a run may be given beside its settings. */
export interface RunContext {
  /** What the job's function gets as its second argument. */
  readonly jobArguments?: readonly string[];
  /**
   * Path or URL of the file that has the job as its default export: `import.meta.url` of a job file. With it the job's tasks can run in
   * threads of their own, each of which loads the file; without it they run in this one.
   */
  readonly jobModule?: string;
  /** True starts from nothing, although an earlier run did not finish. */
  readonly fresh?: boolean;
  readonly log?: Logger;
  /**
   * True if the process is there for its jobs: an error that nothing caught, and that cannot be laid to a task of a job, fails the job instead of
   * ending the process.
   */
  readonly ownsProcess?: boolean;
  /** Hear of checkpoints. */
  readonly observers?: readonly CheckpointObserver[];
  readonly onStatus?: (status: JobStatus) => void;
  /** The machine; another one in tests. */
  readonly platform?: Platform;
}

/**
 * Runs a job in this process to its end.
 *
 * @remarks
 * As `cutwater run` does: unless the settings say otherwise, checkpoints are taken each 10 s into `.cutwater/<job name>`, and a job that
 * did not finish goes on from its newest one. Set `execution.checkpointing.interval` to `0 ms` for none.
 *
 * @throws StreamError JOB_FAILED with the job's own error as cause; as {@link runAsync} if it cannot be started.
 *
 * @example
 * ```ts
 * const result = await run(job, { "parallelism.default": 4, "execution.checkpointing.interval": "1 min" });
 * ```
 */
export async function run(
  job: JobDefinition,
  settings: RunSettings = {},
  context: RunContext = {},
): Promise<JobResult> {
  return await (
    await runAsync(job, settings, context)
  ).result;
}

/**
 * Starts a job in this process.
 *
 * @throws StreamError OPTION_UNKNOWN, OPTION_VALUE_INVALID or OPTIONS_CONTRADICT; JOB_DIRECTORY_IN_USE if another process runs it;
 * what building the job and reading the checkpoint it starts from throw.
 */
export async function runAsync(
  job: JobDefinition,
  settings: RunSettings = {},
  context: RunContext = {},
): Promise<JobClient> {
  const { jobArguments = [], log = silentLogger } = context;
  const platform = context.platform ?? nodePlatform();
  raiseInliningBudget();
  const given = withRunDefaults(configurationOf(settings), job.name);
  checkSettings(withoutZeroInterval(given), silentLogger);
  const form = formOf(job, given, jobArguments);
  checkSettings(form.configuration, log);

  const checkpointing = resolveOptions(CHECKPOINTING_OPTIONS, form.configuration).values;
  const directory =
    checkpointing.intervalMs === undefined
      ? undefined
      : jobDirectoryOf(checkpointing, form.graph.jobId);
  const run = new StartedRun({
    form,
    rescaled: (parallelism) => formOf(job, withParallelism(given, parallelism), jobArguments),
    context,
    platform,
    log,
    directory,
  });
  return await run.start();
}

interface StartedRunParameters {
  readonly form: JobForm;
  /** The job at another default parallelism. */
  readonly rescaled: (parallelism: number) => JobForm;
  readonly context: RunContext;
  readonly platform: Platform;
  readonly log: Logger;
  readonly directory: string | undefined;
}

/** A run: the job, and around it the lock and the state of its directory. */
class StartedRun {
  readonly #p: StartedRunParameters;
  #form: JobForm;
  #job: Job | undefined;
  #handover: Handover | undefined;
  /** Settled when no change of form is under way. */
  #handedOver: Promise<void> = Promise.resolve();
  #lock: DirectoryLock | undefined;
  #lost: StreamError | undefined;

  constructor(parameters: StartedRunParameters) {
    this.#p = parameters;
    this.#form = parameters.form;
  }

  async start(): Promise<JobClient> {
    const { directory } = this.#p;
    if (directory === undefined) return await this.#start(undefined);
    await createJobDirectory(directory, this.#p.platform);
    this.#lock = await inJobDirectory(directory, () => this.#takeLock(directory));
    try {
      return await inJobDirectory(directory, () => this.#start(directory));
    } catch (error) {
      await this.#lock.release();
      throw error;
    }
  }

  #takeLock(directory: string): Promise<DirectoryLock> {
    const { platform, log } = this.#p;
    return lockDirectory({
      directory,
      platform,
      processes: nodeProcessTable(platform.files),
      onWait: (holder) =>
        log.log("WARN", `Waiting a few seconds to see whether ${holder} still uses ${directory}.`),
      onLost: (error) => {
        this.#lost = error;
        log.log("ERROR", error.message);
        this.#job?.cancel();
      },
    });
  }

  async #start(directory: string | undefined): Promise<JobClient> {
    const { platform, context } = this.#p;
    const { configuration } = this.#form;
    const request = {
      directory,
      isFresh: context.fresh ?? false,
      namedSnapshot: resolveOptions(RECOVERY_OPTIONS, configuration).values.snapshotPath,
      retention: resolveOptions(CHECKPOINTING_OPTIONS, configuration).values.retention,
    };
    const { before, completeIds, decision } = await startOfRun(request, platform);
    const goesOn = decision.kind === "go-on" || (decision.kind === "named" && decision.isAgain);
    const state = this.#stateOf(decision, goesOn ? before : undefined, completeIds);
    if (directory !== undefined) await writeJobState(directory, state, platform);
    let job: Job;
    try {
      job = await this.#startJob(decision, state);
    } catch (error) {
      // It did not start, so the next run decides as this one did.
      if (directory !== undefined && before !== undefined) {
        await writeJobState(directory, before, platform);
      } else if (directory !== undefined) {
        await removeJobState(directory, platform);
      }
      throw error;
    }
    const release = uncaughtErrors.watch(() => this.#current(), context.ownsProcess);
    const result = this.#settled(state).finally(release);
    // Who only looks at the status must not be stopped by a failure that nobody awaits.
    result.catch(() => undefined);
    return this.#client(job, decision.kind === "fresh" ? decision.leftIds : [], result);
  }

  #stateOf(
    decision: StartDecision,
    life: JobState | undefined,
    completeIds: readonly number[],
  ): JobState {
    const { platform } = this.#p;
    const { graph } = this.#form;
    const firstOfDirectory = decision.kind === "go-on" ? 1 : firstCheckpointId(completeIds);
    return {
      format: 1,
      jobId: graph.jobId,
      jobName: graph.name,
      status: "RUNNING",
      firstCheckpointId: life?.firstCheckpointId ?? firstOfDirectory,
      lifeStartedAtMs: life === undefined ? platform.nowMs() : life.lifeStartedAtMs,
      startedFrom: decision.kind === "named" ? decision.path : (life?.startedFrom ?? null),
      startedAtMs: platform.nowMs(),
      endedAtMs: null,
    };
  }

  async #startJob(decision: StartDecision, state: JobState): Promise<Job> {
    const { context, platform, log } = this.#p;
    const { graph, buildConfiguration, configuration } = this.#form;
    const { key } = RECOVERY_OPTIONS.snapshotPath;
    const named: readonly ConfigurationEntry[] =
      decision.kind === "named"
        ? [{ key, value: decision.path, origin: "flag", place: "the start of this job" }]
        : [];
    this.#job = await startJob(graph, configuration.with(named), {
      platform,
      log,
      observers: context.observers,
      onStatus: (status) => context.onStatus?.(this.#shown(status)),
      onEnd: (status) => this.#writeEnd({ ...state, status, endedAtMs: platform.nowMs() }),
      start: decision.kind === "go-on" ? "newest-retained" : "fresh",
      origin: uncaughtErrors.origin,
      ...slotsOf({
        graph,
        jobModule: context.jobModule,
        jobArguments: context.jobArguments ?? [],
        buildConfiguration,
        configuration,
        platform,
        log,
      }),
    });
    return this.#job;
  }

  /** The result, once the end is written down and the directory is free. */
  async #settled(state: JobState): Promise<JobResult> {
    let status: JobState["status"] = "FAILED";
    try {
      let result = await this.#current().result;
      for (let next = this.#handover; next !== undefined; next = this.#handover) {
        if (result.status === "SUSPENDED") await this.#goOn(next, state);
        else next.reject(jobNotRunning(this.#current()));
        if (result.status !== "SUSPENDED") break;
        result = await this.#current().result;
      }
      status = result.status;
      if (this.#lost !== undefined) throw this.#lost;
      return result;
    } finally {
      await this.#end({ ...state, status, endedAtMs: this.#p.platform.nowMs() });
    }
  }

  /** The job in the form that was asked for or, if it cannot start so, in the one it had. */
  async #goOn({ form, resolve, reject }: Handover, state: JobState): Promise<void> {
    const { directory, platform, log } = this.#p;
    const before = this.#form;
    const goOn = { kind: "go-on", ids: [] } as const;
    if (directory !== undefined) await writeJobState(directory, state, platform);
    try {
      this.#form = form;
      await this.#startJob(goOn, state);
      this.#handover = undefined;
      resolve();
    } catch (error) {
      log.log("WARN", `${form.graph.name} goes on as it was.`, { error });
      this.#form = before;
      await this.#startJob(goOn, state).finally(() => {
        this.#handover = undefined;
        reject(error);
      });
    }
  }

  /** Changes the parallelism of the running job: a checkpoint, then the same job from there. */
  async #rescale(parallelism: number): Promise<void> {
    const job = this.#current();
    if (this.#handover !== undefined) throw jobNotRunning(job, "RESTARTING");
    const { graph, configuration } = this.#form;
    if (!Number.isInteger(parallelism) || parallelism < 1) {
      const problem = `its parallelism is ${parallelism}, not a whole number of at least 1`;
      throw new StreamError("PARALLELISM_INVALID", { operator: graph.name, problem });
    }
    const { storage } = resolveOptions(CHECKPOINTING_OPTIONS, configuration).values;
    if (this.#p.directory === undefined || storage === "jobmanager") {
      const problem = "it keeps no checkpoints in files to go on from";
      throw new StreamError("JOB_NOT_RESCALABLE", { job: graph.name, problem });
    }
    const form = this.#p.rescaled(parallelism);
    refuseAboveMaximum(form.graph, job.graph);
    const handover = handoverTo(form);
    this.#handover = handover;
    this.#handedOver = handover.done.catch(() => undefined);
    try {
      await job.suspendWithCheckpoint();
    } catch (error) {
      this.#handover = undefined;
      handover.resolve();
      throw error;
    }
    await handover.done;
  }

  /** While the job changes its form it has not ended. */
  #shown(status: JobStatus): JobStatus {
    return status === "SUSPENDED" && this.#handover !== undefined ? "RESTARTING" : status;
  }

  #current(): Job {
    return present(this.#job, "the job is started");
  }

  /** Before checkpoints are deleted: else a crash in between would make the next run start from nothing. */
  async #writeEnd(state: JobState): Promise<void> {
    const { directory, platform } = this.#p;
    if (directory !== undefined && this.#lost === undefined)
      await writeJobState(directory, state, platform);
  }

  /** That the directory cannot be written any more does not change how the job ended. */
  async #end(state: JobState): Promise<void> {
    const { directory, platform, log } = this.#p;
    if (directory === undefined) return;
    try {
      if (this.#lost === undefined) await writeJobState(directory, state, platform);
      await this.#lock?.release();
    } catch (error) {
      log.log("WARN", `The end of the job could not be written to ${directory}.`, { error });
    }
  }

  #client(job: Job, leftCheckpointIds: readonly number[], result: Promise<JobResult>): JobClient {
    const { directory } = this.#p;
    const { graph, configuration } = this.#form;
    const { shutdownTimeoutMs } = resolveOptions(RUN_OPTIONS, configuration).values;
    const current = () => this.#current();
    const form = () => this.#form;
    const shown = () => this.#shown(this.#current().status);
    return {
      jobId: graph.jobId,
      jobName: graph.name,
      get status() {
        return shown();
      },
      directory,
      startedFrom: job.restoredFrom?.directory,
      leftCheckpointIds,
      shutdownTimeoutMs,
      result,
      get job() {
        return current();
      },
      get configuration() {
        return form().configuration;
      },
      recordsRead: () => recordsRead(form().graph, current().master.metrics()),
      metrics: () => current().master.metrics(),
      cancel: () => {
        if (this.#handover === undefined) current().cancel();
        else void this.#handedOver.then(() => current().cancel());
      },
      stop: async () => {
        await this.#handedOver;
        await current().suspend(shutdownTimeoutMs);
      },
      triggerSavepoint: (options) => current().triggerSavepoint(options),
      cancelWithSavepoint: (options) => current().cancelWithSavepoint(options),
      stopWithSavepoint: (options = {}) => current().stopWithSavepoint(options),
      rescale: (parallelism) => this.#rescale(parallelism),
    };
  }
}

function jobNotRunning(job: Job, status: string = job.status): StreamError {
  return new StreamError("JOB_NOT_RUNNING", { job: job.graph.name, status });
}

function recordsRead(graph: JobGraph, metrics: readonly OperatorMetricsSnapshot[]): number {
  const sources = new Set(
    graph.vertices.flatMap(({ operators }) =>
      operators.filter(({ logic }) => logic.kind === "source").map(({ id }) => id),
    ),
  );
  return metrics
    .filter(({ operatorId }) => sources.has(operatorId))
    .reduce((total, { numRecordsOut }) => total + numRecordsOut, 0);
}
