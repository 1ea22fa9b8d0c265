import { resolve } from "node:path";

import type { JobClient, JobDefinition, RunContext } from "../../api/index.ts";
import {
  Configuration,
  type ConfigurationEntry,
  LogMemory,
  nodePlatform,
  type Platform,
  resolveOptions,
  silentLogger,
  StreamError,
} from "../../base/index.ts";
import { type JobFile, loadJob } from "../../loader/index.ts";
import type { CliContext } from "../cli-context.ts";
import { errorReport } from "../error-report.ts";
import { EXIT_CODES, type ExitReason } from "../exit-code.ts";
import type { RunFlags } from "./run-flags.ts";
import { cancelledLines, failedLines, finishedLines, startLines } from "./run-messages.ts";
import { checkpointFailureObserver, telemetryObservers } from "./job-observers.ts";
import { RunServer } from "./run-server.ts";
import { RunStatus } from "./run-status.ts";
import { onStopSignals } from "./stop-signals.ts";
import { onStrayEnds } from "./stray-ends.ts";
import { terminalLog } from "./terminal-log.ts";

/** `cutwater run`: the job's own output goes to the standard output, everything about the run to the standard error. */
export async function runJobFile(
  this: CliContext,
  flags: RunFlags,
  jobFile: string,
  ...jobArguments: readonly string[]
): Promise<void> {
  const run = new JobFileRun(this, flags, jobFile, jobArguments);
  this.process.exitCode = EXIT_CODES[await run.run()];
}

/** One run of a job file, from its loading to its last words. */
class JobFileRun {
  readonly #process: CliContext["process"];
  readonly #flags: RunFlags;
  readonly #jobFile: string;
  readonly #jobArguments: readonly string[];
  readonly #platform: Platform = nodePlatform();
  readonly #status: RunStatus;
  readonly #isVerbose: boolean;
  readonly #context: RunContext;
  readonly #server: RunServer;
  #client: JobClient | undefined;
  #isStopping = false;

  constructor(
    context: CliContext,
    flags: RunFlags,
    jobFile: string,
    jobArguments: readonly string[],
  ) {
    this.#process = context.process;
    this.#flags = flags;
    this.#jobFile = jobFile;
    this.#jobArguments = jobArguments;
    this.#isVerbose = flags.verbose || context.process.env["DEBUG"] !== undefined;
    this.#status = new RunStatus(context, this.#platform);
    const log = new LogMemory(
      this.#platform,
      terminalLog({
        least: this.#isVerbose ? "INFO" : "WARN",
        nowMs: () => this.#platform.nowMs(),
        write: (text) => this.#status.write(text),
      }),
    );
    this.#server = new RunServer({
      platform: this.#platform,
      log,
      tell: (text) => this.#status.write(`${text}\n`),
    });
    this.#context = {
      jobArguments,
      jobModule: resolve(jobFile),
      ownsProcess: true,
      fresh: flags.fresh,
      platform: this.#platform,
      observers: [
        this.#status.observer,
        checkpointFailureObserver({ log, explain: () => this.#explainingCommand() }),
      ],
      log,
    };
  }

  async run(): Promise<ExitReason> {
    const signals = onStopSignals((signal) => this.#stop(signal));
    const startedAtMs = this.#platform.monotonicMs();
    try {
      let file: JobFile<JobDefinition>;
      try {
        file = await this.#load();
        this.#client = await this.#start(file.job);
      } catch (error) {
        this.#status.stop();
        this.#process.stderr.write(errorReport(error, { isVerbose: this.#isVerbose }));
        return "REFUSED";
      }
      return await this.#watch(this.#client, file, startedAtMs);
    } finally {
      signals.release();
    }
  }

  async #load(): Promise<JobFile<JobDefinition>> {
    if (this.#flags.inspect !== undefined) await waitForDebugger(this.#flags.inspect);
    return await loadJob<JobDefinition>(this.#jobFile, this.#platform.files);
  }

  async #start(job: JobDefinition): Promise<JobClient> {
    const configuration = new Configuration([
      ...(await this.#fileEntries()),
      ...flagEntries(this.#flags),
    ]);
    const { checkServerAddress, runAsync, SERVER_OPTIONS } = await import("../../api/index.ts");
    checkServerAddress(resolveOptions(SERVER_OPTIONS, configuration).values);
    const { log = silentLogger } = this.#context;
    const observers = [...(this.#context.observers ?? []), ...(await telemetryObservers(log))];
    return await runAsync(job, configuration, { ...this.#context, observers });
  }

  async #fileEntries(): Promise<readonly ConfigurationEntry[]> {
    if (this.#flags.config === undefined) return [];
    const { readConfigFile } = await import("../configuration/config-file.ts");
    const file = await readConfigFile(this.#flags.config, this.#platform.files);
    for (const warning of file.warnings) this.#context.log?.log("WARN", warning);
    return file.entries;
  }

  /** Shows how the job is getting on until it has ended, and then what came of it. */
  async #watch(
    client: JobClient,
    { check }: JobFile<JobDefinition>,
    startedAtMs: number,
  ): Promise<ExitReason> {
    const strayEnds = onStrayEnds(
      (error) => this.#fallen(error, client),
      () => this.#isStopping,
    );
    for (const line of startLines(client)) this.#status.write(`${line}\n`);
    this.#status.start(client.jobName, () => progressOf(client));
    if (this.#isStopping) void client.stop();
    this.#server.start(client);
    try {
      const { status } = await client.result;
      this.#status.stop();
      const seconds = ((this.#platform.monotonicMs() - startedAtMs) / 1000).toFixed(1);
      if (status !== "FINISHED") {
        this.#tell(cancelledLines(client, this.#jobFile, seconds));
        return "CANCELED";
      }
      const answer = await this.#answerOf(check);
      if (answer !== undefined) this.#process.stdout.write(`${answer}\n`);
      this.#tell(finishedLines(client, this.#status, seconds));
      return "FINISHED";
    } catch (error) {
      this.#status.stop();
      this.#process.stderr.write(errorReport(error, { isVerbose: this.#isVerbose }));
      if (client.status === "FAILED") this.#tell(failedLines(client, this.#jobFile));
      return "FAILED";
    } finally {
      await this.#server.close();
      strayEnds.release();
    }
  }

  /** What the job file's own check says of the result. */
  async #answerOf(check: JobFile<JobDefinition>["check"]): Promise<string | undefined> {
    try {
      return await check?.(this.#jobArguments);
    } catch (error) {
      throw new StreamError("RESULT_CHECK_FAILED", { path: this.#jobFile }, error);
    }
  }

  /** User code ends the process: what is written now is all that will be. */
  #fallen(error: unknown, client: JobClient): void {
    this.#status.stop();
    this.#process.stderr.write(errorReport(error, { isVerbose: this.#isVerbose }));
    this.#tell(failedLines(client, this.#jobFile));
  }

  /** The live job tells most; without a server its history is what there is. */
  #explainingCommand(): string {
    return `cutwater doctor ${this.#server.address ?? this.#client?.directory ?? ""}`.trimEnd();
  }

  #stop(signal: string): void {
    this.#isStopping = true;
    this.#status.write(`\n${signal}: taking a last checkpoint; once more stops at once.\n`);
    void this.#client?.stop();
  }

  #tell(lines: readonly string[]): void {
    this.#process.stderr.write(`${lines.join("\n")}\n`);
  }
}

function flagEntries(flags: RunFlags): readonly ConfigurationEntry[] {
  const entry = (key: string, value: string, place: string): ConfigurationEntry => ({
    key,
    value,
    origin: "flag",
    place,
  });
  const { parallelism, slots, fromSavepoint, allowNonRestoredState, set = [] } = flags;
  return [
    ...set.map(({ key, value }) => entry(key, value, "-D")),
    ...(slots === undefined ? [] : [entry("cutwater.slots", slots, "--slots")]),
    ...(parallelism === undefined ? [] : [entry("parallelism.default", parallelism, "-p")]),
    ...(fromSavepoint === undefined
      ? []
      : [entry("execution.state-recovery.path", fromSavepoint, "-s")]),
    ...(allowNonRestoredState
      ? [entry("execution.state-recovery.ignore-unclaimed-state", "true", "-n")]
      : []),
  ];
}

/** Opens the inspector in this process and stops until a debugger is there. */
async function waitForDebugger(address: string): Promise<void> {
  const inspector = await import("node:inspector");
  const [, host = "127.0.0.1", port = "9229"] = /^(?:(.+):)?(\d+)?$/.exec(address) ?? [];
  inspector.open(Number(port), host, true);
}

function progressOf(client: JobClient): ReturnType<Parameters<RunStatus["start"]>[1]> {
  const watermarks = client.job.master
    .taskMetrics()
    .flatMap(({ watermark }) => watermark ?? [])
    .filter((watermark) => Number.isFinite(watermark));
  return {
    status: client.status,
    recordsRead: client.recordsRead(),
    watermark: watermarks.length === 0 ? undefined : Math.min(...watermarks),
  };
}
