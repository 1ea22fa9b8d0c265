import { resolve } from "node:path";

import { nodePlatform } from "../../base/index.ts";
import { disposeSavepoint } from "../../checkpoint/index.ts";
import type { CliContext } from "../cli-context.ts";
import { commandFailed } from "./command-failed.ts";
import { type ConnectionFlags, isOver, type JobLine, RestConnection } from "./rest-connection.ts";

/** Runs what a command does against its server; what goes wrong is told, with exit code 1, or 3 if there is no server. */
async function against(
  context: CliContext,
  flags: ConnectionFlags,
  action: (connection: RestConnection) => Promise<void>,
): Promise<void> {
  try {
    await action(new RestConnection(flags, context));
  } catch (error) {
    commandFailed(context, error);
  }
}

function tell({ process }: CliContext, flags: ConnectionFlags, value: object, text: string): void {
  process.stdout.write(flags.json ? `${JSON.stringify(value)}\n` : `${text}\n`);
}

export interface ListFlags extends ConnectionFlags {
  readonly running: boolean;
  readonly all: boolean;
}

/** `cutwater list`. */
export async function listJobs(this: CliContext, flags: ListFlags): Promise<void> {
  await against(this, flags, async (connection) => {
    const jobs = await connection.jobs();
    const shown = flags.all ? jobs : jobs.filter(({ state }) => !isOver(state));
    if (flags.json) {
      for (const job of shown) this.process.stdout.write(`${JSON.stringify(job)}\n`);
      return;
    }
    const lines = shown.map(jobText);
    const nothing = flags.all ? "There are no jobs." : "No job is running.";
    this.process.stdout.write(`${lines.length === 0 ? nothing : lines.join("\n")}\n`);
  });
}

function jobText(job: JobLine): string {
  const started = new Date(job["start-time"]).toISOString().replace(/\.\d+Z$/, "Z");
  return `${started} : ${job.jid} : ${job.name} (${job.state})`;
}

/** `cutwater info`. */
export async function showJob(
  this: CliContext,
  flags: ConnectionFlags,
  named?: string,
): Promise<void> {
  await against(this, flags, async (connection) => {
    const { jid } = await connection.job(named);
    const [details, checkpoints] = await Promise.all([
      connection.get(`/jobs/${jid}`) as Promise<JobDetails>,
      connection.get(`/jobs/${jid}/checkpoints`).catch(() => undefined) as Promise<
        Checkpoints | undefined
      >,
    ]);
    tell(this, flags, { job: details, checkpoints }, infoText(details, checkpoints));
  });
}

interface JobDetails {
  readonly jid: string;
  readonly name: string;
  readonly state: string;
  readonly duration: number;
  readonly vertices: readonly {
    readonly name: string;
    readonly parallelism: number;
    readonly status: string;
    readonly metrics: { readonly "read-records": number; readonly "write-records": number };
  }[];
}

interface Checkpoints {
  readonly counts: { readonly completed: number; readonly failed: number };
  readonly latest: {
    readonly completed: { readonly id: number; readonly external_path: string } | null;
    readonly failed: { readonly id: number; readonly failure_message: string } | null;
  };
}

function infoText(job: JobDetails, checkpoints: Checkpoints | undefined): string {
  const lines = [`${job.name} ${job.jid} ${job.state} for ${Math.round(job.duration / 1000)} s`];
  for (const { name, parallelism, status, metrics } of job.vertices) {
    const records = `${metrics["read-records"]} in, ${metrics["write-records"]} out`;
    lines.push(`  ${name} (${parallelism}) ${status}, records: ${records}`);
  }
  if (checkpoints === undefined) return [...lines, "  no checkpoints are taken"].join("\n");
  const { counts, latest } = checkpoints;
  lines.push(`  checkpoints: ${counts.completed} completed, ${counts.failed} failed`);
  if (latest.completed !== null)
    lines.push(`  newest: ${latest.completed.id} ${latest.completed.external_path}`);
  if (latest.failed !== null)
    lines.push(`  last failed: ${latest.failed.id} ${latest.failed.failure_message}`);
  return lines.join("\n");
}

/** `cutwater exceptions`. */
export async function showExceptions(
  this: CliContext,
  flags: ConnectionFlags,
  named?: string,
): Promise<void> {
  await against(this, flags, async (connection) => {
    const { jid } = await connection.job(named);
    const answer = (await connection.get(`/jobs/${jid}/exceptions?maxExceptions=20`)) as Exceptions;
    const { entries } = answer.exceptionHistory;
    const text = entries
      .map(({ timestamp, taskName, stacktrace, failureLabels = {} }) => {
        const where = taskName === undefined || taskName === null ? "" : ` ${taskName}`;
        const labels = Object.entries(failureLabels).map(([key, value]) => ` (${key}: ${value})`);
        const at = new Date(timestamp).toISOString();
        return `${at}${where}${labels.join("")}\n${stacktrace}`;
      })
      .join("\n");
    tell(this, flags, answer, entries.length === 0 ? "Nothing has failed." : text.trimEnd());
  });
}

interface Exceptions {
  readonly exceptionHistory: {
    readonly entries: readonly {
      readonly timestamp: number;
      readonly taskName?: string | null;
      readonly failureLabels?: Readonly<Record<string, string>>;
      readonly stacktrace: string;
    }[];
  };
}

export interface CancelFlags extends ConnectionFlags {
  /** Empty for the configured directory. */
  readonly withSavepoint?: string;
}

/** `cutwater cancel`. */
export async function cancelJob(
  this: CliContext,
  flags: CancelFlags,
  named: string,
): Promise<void> {
  await against(this, flags, async (connection) => {
    const { jid, name } = await connection.job(named);
    const { withSavepoint } = flags;
    if (withSavepoint !== undefined) {
      const path = `/jobs/${jid}/savepoints`;
      const target = withSavepoint === "" ? {} : { "target-directory": withSavepoint };
      const result = await connection.operate(path, { "cancel-job": true, ...target }, path);
      const savepoint = `Savepoint completed. Path: ${String(result["location"])}`;
      return tell(this, flags, { jid, ...result }, `Cancelled ${name} (${jid}). ${savepoint}`);
    }
    await connection.send("PATCH", `/jobs/${jid}?mode=cancel`);
    tell(this, flags, { jid }, `Cancelled ${name} (${jid}).`);
  });
}

export interface SavepointFlags extends ConnectionFlags {
  readonly type: "canonical" | "native";
}

export interface TakeSavepointFlags extends SavepointFlags {
  readonly dispose?: string;
}

/** `cutwater savepoint`. */
export async function takeSavepoint(
  this: CliContext,
  flags: TakeSavepointFlags,
  named?: string,
  targetDirectory?: string,
): Promise<void> {
  if (flags.dispose !== undefined) return await dispose.call(this, flags, flags.dispose);
  await against(this, flags, async (connection) => {
    const { jid } = await connection.job(named);
    const result = await connection.operate(
      `/jobs/${jid}/savepoints`,
      {
        "cancel-job": false,
        formatType: flags.type.toUpperCase(),
        ...(targetDirectory === undefined ? {} : { "target-directory": targetDirectory }),
      },
      `/jobs/${jid}/savepoints`,
    );
    tell(this, flags, result, `Savepoint completed. Path: ${String(result["location"])}`);
  });
}

/** `cutwater savepoint --dispose`: by itself, or by a server if one is named, whose machine may be another. */
async function dispose(this: CliContext, flags: SavepointFlags, path: string): Promise<void> {
  if (flags.address !== undefined) {
    return await against(this, flags, async (connection) => {
      const request = { "savepoint-path": path };
      const operations = "/savepoint-disposal";
      await connection.operate(operations, request, operations);
      tell(this, flags, { path }, `Savepoint ${path} disposed.`);
    });
  }
  try {
    const disposed = await disposeSavepoint(path, nodePlatform().files);
    const { fileCount, keptPaths, isDirectoryGone, directory } = disposed;
    const lines = [
      `Savepoint ${directory} disposed: ${fileCount} ${fileCount === 1 ? "file" : "files"}.`,
      ...(isDirectoryGone ? [] : ["The directory stays: not all in it was the savepoint's."]),
      ...keptPaths.map((kept) => `${kept} stays: it lies elsewhere.`),
    ];
    tell(this, flags, disposed, lines.join("\n"));
  } catch (error) {
    commandFailed(this, error);
  }
}

export interface StopFlags extends SavepointFlags {
  readonly drain: boolean;
  readonly savepointPath?: string;
}

/** `cutwater stop`. */
export async function stopJob(this: CliContext, flags: StopFlags, named?: string): Promise<void> {
  await against(this, flags, async (connection) => {
    const { jid } = await connection.job(named);
    const result = await connection.operate(
      `/jobs/${jid}/stop`,
      {
        drain: flags.drain,
        formatType: flags.type.toUpperCase(),
        ...(flags.savepointPath === undefined ? {} : { targetDirectory: flags.savepointPath }),
      },
      `/jobs/${jid}/savepoints`,
    );
    tell(this, flags, result, `Savepoint completed. Path: ${String(result["location"])}`);
  });
}

/** `cutwater checkpoint`. */
export async function takeCheckpoint(
  this: CliContext,
  flags: ConnectionFlags,
  named?: string,
): Promise<void> {
  await against(this, flags, async (connection) => {
    const { jid } = await connection.job(named);
    const path = `/jobs/${jid}/checkpoints`;
    const result = await connection.operate(path, { checkpointType: "CONFIGURED" }, path);
    tell(this, flags, result, `Checkpoint ${String(result["checkpointId"])} completed.`);
  });
}

/** `cutwater rescale`. */
export async function rescaleJob(
  this: CliContext,
  flags: ConnectionFlags,
  parallelism: string,
  named?: string,
): Promise<void> {
  await against(this, flags, async (connection) => {
    const { jid } = await connection.job(named);
    const path = `/jobs/${jid}/rescaling`;
    await connection.operate(`${path}?parallelism=${parallelism}`, undefined, path, "PATCH");
    tell(this, flags, { jid }, `${jid} goes on with parallelism ${parallelism}.`);
  });
}

export interface SubmitFlags extends ConnectionFlags {
  readonly set?: readonly { readonly key: string; readonly value: string }[];
}

/** `cutwater submit`. */
export async function submitJob(
  this: CliContext,
  flags: SubmitFlags,
  path: string,
  ...jobArguments: readonly string[]
): Promise<void> {
  await against(this, flags, async (connection) => {
    const settings = Object.fromEntries((flags.set ?? []).map(({ key, value }) => [key, value]));
    const answer = (await connection.send("POST", "/cutwater/jobs", {
      path: resolve(path),
      arguments: jobArguments,
      settings,
    })) as { readonly jobid: string };
    tell(this, flags, answer, `Job has been submitted with JobID ${answer.jobid}`);
  });
}
