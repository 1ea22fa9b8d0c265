import { isStreamError } from "../../base/index.ts";
import type { CliContext } from "../cli-context.ts";
import { errorReport } from "../error-report.ts";
import { EXIT_CODES } from "../exit-code.ts";

/** Tells what went wrong. Exit code 3 if nothing was asked of any server, else 1. */
export function commandFailed({ process }: CliContext, error: unknown): void {
  const isVerbose = process.env["DEBUG"] !== undefined;
  process.stderr.write(errorReport(error, { isVerbose }));
  const isRefused =
    isStreamError(error, "SERVER_UNREACHABLE") || isStreamError(error, "JOB_NOT_CHOSEN");
  process.exitCode = isRefused ? EXIT_CODES.REFUSED : EXIT_CODES.FAILED;
}
