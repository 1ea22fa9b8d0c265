import { run } from "@stricli/core";

import { buildCli } from "./cli-app.ts";
import { commandLine } from "./command-line.ts";
import { exitCodeOf } from "./exit-code.ts";

/** What a command wrote and ended with. */
export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs a command in this process, for tests. */
export async function runCli(...inputs: readonly string[]): Promise<CliResult> {
  const output = { stdout: "", stderr: "" };
  const fake = {
    stdout: { write: (text: string) => void (output.stdout += text) },
    stderr: { write: (text: string) => void (output.stderr += text) },
    env: {},
    exitCode: null as number | string | null,
  };
  await run(buildCli(), commandLine(inputs), { process: fake });
  return { ...output, exitCode: exitCodeOf(fake.exitCode) };
}
