#!/usr/bin/env node
import { run } from "@stricli/core";

import { buildCli } from "./cli-app.ts";
import { cliContext } from "./cli-context.ts";
import { commandLine } from "./command-line.ts";
import { exitCodeOf } from "./exit-code.ts";

await run(buildCli(), commandLine(process.argv.slice(2)), cliContext());

process.exitCode = exitCodeOf(process.exitCode);
