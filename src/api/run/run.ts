import {
  type Configuration,
  type ConfigurationEntry,
  type Logger,
  nodePlatform,
  type Platform,
  raiseInliningBudget,
  resolveOptions,
  silentLogger,
  type StreamError,
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
import {
  completeCheckpointIds,
  createJobDirectory,
  inJobDirectory,
  jobDirectoryOf,
} from "./job-directory.ts";
import { type JobState, readJobState, removeJobState, writeJobState } from "./job-state.ts";
import { nodeProcessTable } from "./process-identity.ts";
import {
  checkSettings,
  configurationOf,
  type RunSettings,
  withoutZeroInterval,
  withRunDefaults,
} from "./run-configuration.ts";
import { RUN_OPTIONS } from "./run-options.ts";
import { slotsOf } from "../worker-slots.ts";
import { decideStart, firstCheckpointId, type StartDecision } from "./start-decision.ts";

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
  /** Hear of checkpoints. */
  readonly observers?: readonly CheckpointObserver[];
  readonly onStatus?: (status: JobStatus) => void;
  /** The machine; another one in tests. */
  readonly platform?: Platform;
}

/** A job that was started. The word is Flink's. */
export interface JobClient {
  readonly jobId: string;
  readonly jobName: string;
  readonly status: JobStatus;
  /** Holds checkpoints, lock and state; undefined if the settings keep nothing in files. */
  readonly directory: string | undefined;
  /** The checkpoint or savepoint that the job started from; undefined if it started from nothing. */
  readonly startedFrom: string | undefined;
  /** Checkpoints of an earlier life of the job that a fresh start left where they are, by id. */
  readonly leftCheckpointIds: readonly number[];
  /** How long {@link stop} gives the last checkpoint, in milliseconds: `cutwater.shutdown-timeout`. */
  readonly shutdownTimeoutMs: number;
  /** Settled when the job has ended and its directory is free again: rejected with StreamError JOB_FAILED if it failed for good. */
  readonly result: Promise<JobResult>;
  /** What its server shows and steers. */
  readonly job: Job;
  /** All settings, with where each came from. */
  readonly configuration: Configuration;
  /** How many records the sources have given in the present attempt. */
  recordsRead(): number;
  /** Counters of all operators. */
  metrics(): readonly OperatorMetricsSnapshot[];
  /** Ends the job at once. Its checkpoints stay or go by their retention. */
  cancel(): void;
  /** Takes a last checkpoint and ends the job; running it again goes on from there. */
  stop(): Promise<void>;
  /** Takes a savepoint and ends the job with it. @returns Where it lies. */
  stopWithSavepoint(options?: Parameters<Job["stopWithSavepoint"]>[0]): Promise<string>;
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
  const built = job.build(withoutZeroInterval(given), jobArguments);
  const configuration = withoutZeroInterval(given.with(built.configuration ?? []));
  // What the code has set is in the configuration by now, and weaker than what was given.
  const graph: JobGraph = { ...built, configuration: [] };
  checkSettings(configuration, log);

  const checkpointing = resolveOptions(CHECKPOINTING_OPTIONS, configuration).values;
  const directory =
    checkpointing.intervalMs === undefined ? undefined : jobDirectoryOf(checkpointing, graph.jobId);
  const buildConfiguration = withoutZeroInterval(given);
  const run = new StartedRun({
    graph,
    buildConfiguration,
    configuration,
    context,
    platform,
    log,
    directory,
  });
  return await run.start();
}

interface StartedRunParameters {
  readonly graph: JobGraph;
  /** What the job's function saw. */
  readonly buildConfiguration: Configuration;
  readonly configuration: Configuration;
  readonly context: RunContext;
  readonly platform: Platform;
  readonly log: Logger;
  readonly directory: string | undefined;
}

/** A run: the job, and around it the lock and the state of its directory. */
class StartedRun {
  readonly #p: StartedRunParameters;
  #job: Job | undefined;
  #lock: DirectoryLock | undefined;
  #lost: StreamError | undefined;

  constructor(parameters: StartedRunParameters) {
    this.#p = parameters;
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
    const { platform, configuration, context } = this.#p;
    const isFresh = context.fresh ?? false;
    const completeIds =
      directory === undefined ? [] : await completeCheckpointIds(directory, platform);
    const before =
      directory === undefined || isFresh ? undefined : await readJobState(directory, platform);
    const namedSnapshot = resolveOptions(RECOVERY_OPTIONS, configuration).values.snapshotPath;
    const decision = decideStart({ state: before, completeIds, isFresh, namedSnapshot });
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
    const result = this.#settled(job, state);
    // Who only looks at the status must not be stopped by a failure that nobody awaits.
    result.catch(() => undefined);
    return this.#client(job, decision.kind === "fresh" ? decision.leftIds : [], result);
  }

  #stateOf(
    decision: StartDecision,
    life: JobState | undefined,
    completeIds: readonly number[],
  ): JobState {
    const { graph, platform } = this.#p;
    const firstOfDirectory = decision.kind === "go-on" ? 1 : firstCheckpointId(completeIds);
    return {
      format: 1,
      jobId: graph.jobId,
      jobName: graph.name,
      status: "RUNNING",
      firstCheckpointId: life?.firstCheckpointId ?? firstOfDirectory,
      startedFrom: decision.kind === "named" ? decision.path : (life?.startedFrom ?? null),
      startedAtMs: platform.nowMs(),
      endedAtMs: null,
    };
  }

  async #startJob(decision: StartDecision, state: JobState): Promise<Job> {
    const { graph, buildConfiguration, configuration, context, platform, log } = this.#p;
    const { key } = RECOVERY_OPTIONS.snapshotPath;
    const named: readonly ConfigurationEntry[] =
      decision.kind === "named"
        ? [{ key, value: decision.path, origin: "flag", place: "the start of this job" }]
        : [];
    this.#job = await startJob(graph, configuration.with(named), {
      platform,
      log,
      observers: context.observers,
      onStatus: context.onStatus,
      onEnd: (status) => this.#writeEnd({ ...state, status, endedAtMs: platform.nowMs() }),
      start: decision.kind === "go-on" ? "newest-retained" : "fresh",
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
  async #settled(job: Job, state: JobState): Promise<JobResult> {
    let status: JobState["status"] = "FAILED";
    try {
      const result = await job.result;
      status = result.status;
      if (this.#lost !== undefined) throw this.#lost;
      return result;
    } finally {
      await this.#end({ ...state, status, endedAtMs: this.#p.platform.nowMs() });
    }
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
    const { graph, directory, configuration } = this.#p;
    const { shutdownTimeoutMs } = resolveOptions(RUN_OPTIONS, configuration).values;
    return {
      jobId: graph.jobId,
      jobName: graph.name,
      get status() {
        return job.status;
      },
      directory,
      startedFrom: job.restoredFrom?.directory,
      leftCheckpointIds,
      shutdownTimeoutMs,
      result,
      job,
      configuration,
      recordsRead: () => recordsRead(graph, job.master.metrics()),
      metrics: () => job.master.metrics(),
      cancel: () => job.cancel(),
      stop: () => job.suspend(shutdownTimeoutMs),
      stopWithSavepoint: (options = {}) => job.stopWithSavepoint(options),
    };
  }
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
