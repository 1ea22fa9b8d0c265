#!/usr/bin/env node
import { run } from "@stricli/core";

import { buildCli } from "./cli-app.ts";
import { cliContext } from "./cli-context.ts";
import { commandLine } from "./command-line.ts";
import { exitCodeOf } from "./exit-code.ts";

const [command, ...words] = process.argv.slice(2);
// Not a command: what stands behind it is not for the parser, but what a shell wants to have completed.
if (command === "__complete") {
  const { printProposals } = await import("./completion/propose-words.ts");
  await printProposals(words, cliContext());
} else {
  await run(buildCli(), commandLine(process.argv.slice(2)), cliContext());
}

process.exitCode = exitCodeOf(process.exitCode);
