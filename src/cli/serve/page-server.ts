import { nodePlatform } from "../../base/index.ts";
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
  const { files } = nodePlatform();
  const isDirectory = (await files.status(path))?.kind === "directory";
  const file = isDirectory ? `${path.replace(/\/$/, "")}/${HISTORY_FILE_NAME}` : path;
  await serve(this, flags, { kind: "history", file }, "/?history=history.jsonl");
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
