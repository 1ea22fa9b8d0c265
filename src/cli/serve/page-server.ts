import { type FileSystem, nodePlatform } from "../../base/index.ts";
import { HISTORY_FILE_NAME } from "../../checkpoint/index.ts";
import { type PageServer, type PageSource, startPageServer } from "../../server/index.ts";
import type { CliContext } from "../cli-context.ts";
import { errorReport } from "../error-report.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { onStopSignals } from "../run/stop-signals.ts";

export interface PageFlags {
  readonly port: number;
}

export interface UiFlags extends PageFlags {
  readonly flink: string;
}

/** `cutwater history`. */
export async function showHistory(this: CliContext, flags: PageFlags, path: string): Promise<void> {
  const file = await historyFile(path, nodePlatform().files);
  await serve(this, flags, { kind: "history", file }, "/?history=history.jsonl");
}

/** The history in a job's directory, or in the only one of a job's runs below: `.cutwater/flights` holds a folder for the job's id. */
async function historyFile(path: string, files: FileSystem): Promise<string> {
  if ((await files.status(path))?.kind !== "directory") return path;
  const folder = path.replace(/\/$/, "");
  const own = `${folder}/${HISTORY_FILE_NAME}`;
  if ((await files.status(own)) !== undefined) return own;
  const below: string[] = [];
  for (const { name, kind } of await files.list(folder)) {
    if (kind !== "directory") continue;
    const file = `${folder}/${name}/${HISTORY_FILE_NAME}`;
    if ((await files.status(file)) !== undefined) below.push(file);
  }
  return below.length === 1 ? (below[0] ?? own) : own;
}

/** `cutwater ui`. */
export async function showFlink(this: CliContext, flags: UiFlags): Promise<void> {
  await serve(this, flags, { kind: "rest", address: flags.flink.replace(/\/+$/, "") }, "/");
}

async function serve(
  { process }: CliContext,
  { port }: PageFlags,
  source: PageSource,
  path: string,
): Promise<void> {
  let server: PageServer;
  try {
    server = await startPageServer({ platform: nodePlatform(), port, source });
  } catch (error) {
    process.stderr.write(errorReport(error, { isVerbose: process.env["DEBUG"] !== undefined }));
    process.exitCode = EXIT_CODES.REFUSED;
    return;
  }
  process.stderr.write(`Open ${server.address}${path}; Ctrl-C ends it.\n`);
  await new Promise<void>((resolve) => {
    const signals = onStopSignals(() => {
      signals.release();
      resolve();
    });
  });
  await server.close();
}
