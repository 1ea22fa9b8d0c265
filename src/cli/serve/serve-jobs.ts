import { extname, relative, resolve } from "node:path";

import {
  checkServerAddress,
  type JobClient,
  type JobDefinition,
  runAsync,
  SERVER_OPTIONS,
} from "../../api/index.ts";
import {
  Configuration,
  type ConfigurationEntry,
  errorText,
  isStreamError,
  LogMemory,
  nodePlatform,
  type Platform,
  resolveOptions,
} from "../../base/index.ts";
import { loadJob } from "../../loader/index.ts";
import { type JobSubmission, type RunningServer, startServer } from "../../server/index.ts";
import type { CliContext } from "../cli-context.ts";
import { readConfigFile } from "../configuration/config-file.ts";
import { errorReport } from "../error-report.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { packageVersion } from "../package-version.ts";
import { checkpointFailureObserver, telemetryObservers } from "../run/job-observers.ts";
import type { Setting } from "../run/run-flags.ts";
import { onStopSignals } from "../run/stop-signals.ts";
import { terminalLog } from "../run/terminal-log.ts";

/** The flags of `cutwater serve`. */
export interface ServeFlags {
  readonly set?: readonly Setting[];
  readonly config?: string;
  readonly verbose: boolean;
}

const JOB_FILES = [".ts", ".mts", ".js", ".mjs"];

/** `cutwater serve`: all jobs of a directory in this process, behind one server. */
export async function serveJobs(
  this: CliContext,
  flags: ServeFlags,
  directory: string,
): Promise<void> {
  try {
    await new ServedDirectory(this, flags, directory).run();
    this.process.exitCode = EXIT_CODES.FINISHED;
  } catch (error) {
    this.process.stderr.write(errorReport(error, { isVerbose: flags.verbose }));
    this.process.exitCode = EXIT_CODES.REFUSED;
  }
}

class ServedDirectory {
  readonly #process: CliContext["process"];
  readonly #flags: ServeFlags;
  readonly #directory: string;
  readonly #platform: Platform = nodePlatform();
  readonly #log: LogMemory;
  readonly #clients = new Map<string, JobClient>();
  #settings: readonly ConfigurationEntry[] = [];
  #server: RunningServer | undefined;

  constructor({ process }: CliContext, flags: ServeFlags, directory: string) {
    this.#process = process;
    this.#flags = flags;
    this.#directory = resolve(directory);
    const log = terminalLog({
      least: flags.verbose ? "INFO" : "WARN",
      nowMs: () => this.#platform.nowMs(),
      write: (text) => process.stderr.write(text),
    });
    this.#log = new LogMemory(this.#platform, log);
  }

  async run(): Promise<void> {
    let stop: () => void = () => undefined;
    const stopped = new Promise<void>((resolved) => {
      stop = resolved;
    });
    const signals = onStopSignals((signal) => {
      this.#tell(`${signal}: taking last checkpoints; once more stops at once.`);
      stop();
    });
    try {
      const files = await this.#jobFiles();
      this.#settings = await this.#readSettings();
      const server = await this.#startServer();
      this.#server = server;
      this.#tell(`page and REST at ${server.address}; job files below ${this.#directory}`);
      for (const path of files) await this.#tryStart(path);
      await stopped;
      await Promise.all([...this.#clients.values()].map((client) => client.stop()));
      await Promise.allSettled([...this.#clients.values()].map(({ result }) => result));
    } finally {
      await this.#server?.close();
      signals.release();
    }
  }

  async #jobFiles(): Promise<readonly string[]> {
    const entries = await this.#platform.files.list(this.#directory);
    return entries
      .filter(({ name, kind }) => kind === "file" && JOB_FILES.includes(extname(name)))
      .filter(({ name }) => !/\.(?:test|d)\./.test(name))
      .map(({ name }) => `${this.#directory}/${name}`);
  }

  async #readSettings(): Promise<readonly ConfigurationEntry[]> {
    const { set = [], config } = this.#flags;
    const flags = set.map(({ key, value }): ConfigurationEntry => ({
      key,
      value,
      origin: "flag",
      place: "-D",
    }));
    if (config === undefined) return flags;
    const file = await readConfigFile(config, this.#platform.files);
    for (const warning of file.warnings) this.#log.log("WARN", warning);
    return [...file.entries, ...flags];
  }

  async #startServer(): Promise<RunningServer> {
    const { values, origins } = resolveOptions(SERVER_OPTIONS, new Configuration(this.#settings));
    checkServerAddress(values);
    return await startServer({
      platform: this.#platform,
      logMemory: this.#log,
      version: await packageVersion(),
      bindAddress: values.bindAddress,
      port: Math.max(0, values.port),
      isPortFlexible: origins.port === "initial",
      token: values.token,
      pageDirectory: values.pageDirectory,
      submit: (submission) => this.#submit(submission),
    });
  }

  async #submit({ path, arguments: given, settings }: JobSubmission): Promise<string> {
    const file = resolve(this.#directory, path);
    const below = relative(this.#directory, file);
    if (below === "" || below.startsWith("..") || !JOB_FILES.includes(extname(file))) {
      throw new Error(`${path} is no job file below the directory that is served.`);
    }
    const entries = Object.entries(settings).map(([key, value]): ConfigurationEntry => ({
      key,
      value,
      origin: "flag",
      place: "submit",
    }));
    const client = await this.#start(file, given, entries);
    return client.jobId;
  }

  async #tryStart(path: string): Promise<void> {
    try {
      await this.#start(path, [], []);
    } catch (error) {
      const name = relative(this.#directory, path);
      if (isStreamError(error, "JOB_FILE_WITHOUT_JOB")) {
        this.#tell(`${name}: left out, ${errorText(error)}`);
        return;
      }
      this.#process.stderr.write(errorReport(error, { isVerbose: this.#flags.verbose }));
    }
  }

  async #start(
    path: string,
    jobArguments: readonly string[],
    settings: readonly ConfigurationEntry[],
  ): Promise<JobClient> {
    const { job } = await loadJob<JobDefinition>(path, this.#platform.files);
    const configuration = new Configuration([...this.#settings, ...settings]);
    let directory: string | undefined;
    const failures = checkpointFailureObserver({
      log: this.#log,
      jobName: job.name,
      explain: () => `cutwater doctor ${directory ?? this.#server?.address ?? ""}`,
    });
    const client = await runAsync(job, configuration, {
      observers: [failures, ...(await telemetryObservers(this.#log))],
      jobArguments,
      jobModule: path,
      ownsProcess: true,
      platform: this.#platform,
      log: this.#log,
    });
    ({ directory } = client);
    this.#clients.set(client.jobId, client);
    this.#server?.registry.add(client);
    this.#tell(`${client.jobName}: started as ${client.jobId}`);
    client.result.then(
      ({ status }) => this.#tell(`${client.jobName}: ${status}`),
      (error: unknown) => this.#tell(`${client.jobName}: failed: ${errorText(error)}`),
    );
    return client;
  }

  #tell(text: string): void {
    this.#process.stderr.write(`${text}\n`);
  }
}
