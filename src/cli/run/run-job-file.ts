import type { JobClient, JobDefinition, RunContext } from "../../api/index.ts";
import {
  Configuration,
  type ConfigurationEntry,
  nodePlatform,
  type Platform,
  StreamError,
} from "../../base/index.ts";
import { loadJob, type ResultCheck } from "../../loader/index.ts";
import type { CliContext } from "../cli-context.ts";
import { errorReport } from "../error-report.ts";
import { EXIT_CODES, type ExitReason } from "../exit-code.ts";
import { RunStatus } from "./run-status.ts";
import type { RunFlags } from "./run-flags.ts";
import { onStopSignals } from "./stop-signals.ts";
import { terminalLog } from "./terminal-log.ts";

/** `cutwater run`: the job's own output goes to the standard output, everything about the run to the standard error. */
export async function runJobFile(
  this: CliContext,
  flags: RunFlags,
  jobFile: string,
  ...jobArguments: readonly string[]
): Promise<void> {
  const platform = nodePlatform();
  const isVerbose = flags.verbose || this.process.env["DEBUG"] !== undefined;
  const status = new RunStatus(this, platform);
  const log = terminalLog({
    least: isVerbose ? "INFO" : "WARN",
    nowMs: () => platform.nowMs(),
    write: (text) => status.write(text),
  });
  const end = (reason: ExitReason): void => void (this.process.exitCode = EXIT_CODES[reason]);

  let client: JobClient | undefined;
  let isStopping = false;
  const signals = onStopSignals((signal) => {
    isStopping = true;
    status.write(`\n${signal}: taking a last checkpoint; once more stops at once.\n`);
    void client?.stop();
  });
  try {
    if (flags.inspect !== undefined) await waitForDebugger(flags.inspect);
    const context: RunContext = {
      jobArguments,
      fresh: flags.fresh,
      log,
      observers: [status.observer],
      platform,
    };
    const startedAtMs = platform.monotonicMs();
    const started = await startJobFile(jobFile, flags, context, platform);
    client = started.client;
    const { check } = started;
    for (const line of startLines(client)) status.write(`${line}\n`);
    const running = client;
    status.start(client.jobName, () => progressOf(running));
    if (isStopping) void client.stop();
    await client.result.then(
      async (result) => {
        status.stop();
        const seconds = ((platform.monotonicMs() - startedAtMs) / 1000).toFixed(1);
        const isFinished = result.status === "FINISHED";
        const lines = isFinished
          ? finishedLines(running, status, seconds)
          : cancelledLines(running, jobFile, seconds);
        this.process.stderr.write(`${lines.join("\n")}\n`);
        end(isFinished ? "FINISHED" : "CANCELED");
        if (!isFinished || check === undefined) return;
        try {
          const text = await check(jobArguments);
          if (text !== undefined) this.process.stderr.write(`Checked: ${text}\n`);
        } catch (error) {
          const failed = new StreamError("RESULT_CHECK_FAILED", { path: jobFile }, error);
          this.process.stderr.write(errorReport(failed, { isVerbose }));
          end("FAILED");
        }
      },
      (error: unknown) => {
        status.stop();
        this.process.stderr.write(errorReport(error, { isVerbose }));
        this.process.stderr.write(`${failedLines(running, jobFile).join("\n")}\n`);
        end("FAILED");
      },
    );
  } catch (error) {
    status.stop();
    this.process.stderr.write(errorReport(error, { isVerbose }));
    end("REFUSED");
  } finally {
    signals.release();
  }
}

async function startJobFile(
  jobFile: string,
  flags: RunFlags,
  context: RunContext,
  platform: Platform,
): Promise<{ readonly client: JobClient; readonly check: ResultCheck | undefined }> {
  const entries: ConfigurationEntry[] = [];
  if (flags.config !== undefined) {
    const { readConfigFile } = await import("../configuration/config-file.ts");
    const file = await readConfigFile(flags.config, platform.files);
    for (const warning of file.warnings) context.log?.log("WARN", warning);
    entries.push(...file.entries);
  }
  const configuration = new Configuration([...entries, ...flagEntries(flags)]);
  const { job, check } = await loadJob<JobDefinition>(jobFile, platform.files);
  const { runAsync } = await import("../../api/index.ts");
  return { client: await runAsync(job, configuration, context), check };
}

function flagEntries(flags: RunFlags): readonly ConfigurationEntry[] {
  const entry = (key: string, value: string, place: string): ConfigurationEntry => ({
    key,
    value,
    origin: "flag",
    place,
  });
  const { parallelism, fromSavepoint, allowNonRestoredState, set = [] } = flags;
  return [
    ...set.map(({ key, value }) => entry(key, value, "-D")),
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

function progressOf(
  client: JobClient,
): Parameters<RunStatus["start"]>[1] extends () => infer P ? P : never {
  const watermarks = client
    .metrics()
    .flatMap(({ gauges }) => gauges["currentOutputWatermark"] ?? [])
    .filter((watermark) => Number.isFinite(watermark));
  return {
    status: client.status,
    recordsRead: client.recordsRead(),
    watermark: watermarks.length === 0 ? undefined : Math.min(...watermarks),
  };
}

function startLines(client: JobClient): readonly string[] {
  const { jobName, startedFrom, directory, leftCheckpointIds } = client;
  const from = startedFrom === undefined ? "starts from nothing" : `goes on from ${startedFrom}`;
  const where = directory === undefined ? "no checkpoints are kept" : `checkpoints: ${directory}`;
  const lines = [`${jobName}: ${from}; ${where}`];
  if (leftCheckpointIds.length > 0 && directory !== undefined) {
    const names = leftCheckpointIds.map((id) => `chk-${id}`).join(", ");
    lines.push(`${jobName}: of an earlier run ${names} stay as they are.`);
  }
  return lines;
}

function finishedLines(client: JobClient, status: RunStatus, seconds: string): readonly string[] {
  const { jobName, directory } = client;
  const read = `${client.recordsRead().toLocaleString("en-US")} records read`;
  const { completedCount, failedCount } = status;
  const failed = failedCount === 0 ? "" : `, ${failedCount} failed`;
  const lines = [
    `${jobName}: finished in ${seconds} s, ${read}, ${completedCount} checkpoints${failed}.`,
  ];
  if (directory !== undefined) {
    lines.push(
      `Its checkpoints lay in ${directory}; those of a finished job are deleted.`,
      `Next: stop it half-way with Ctrl-C, look with: cutwater checkpoints ${directory}; then run it again: it goes on.`,
    );
  }
  return lines;
}

function cancelledLines(client: JobClient, jobFile: string, seconds: string): readonly string[] {
  const { jobName, directory } = client;
  const lines = [`${jobName}: cancelled after ${seconds} s.`];
  if (directory !== undefined) {
    lines.push(
      `Its checkpoints lie in ${directory}; look with: cutwater checkpoints ${directory}`,
      `Next: cutwater run ${jobFile} goes on from there; with --fresh it starts from nothing.`,
    );
  }
  return lines;
}

function failedLines({ jobName, directory }: JobClient, jobFile: string): readonly string[] {
  if (directory === undefined) return [`${jobName}: failed.`];
  return [
    `${jobName}: failed. Its checkpoints lie in ${directory}`,
    `Next: once that is mended, cutwater run ${jobFile} goes on from the newest; with --fresh it starts from nothing.`,
  ];
}
