import { readFile } from "node:fs/promises";
import { type Application, buildApplication } from "@stricli/core";

import type { CliContext } from "./cli-context.ts";
import { routes } from "./commands/index.ts";

/** The commands of `cutwater`. What a command does is imported when it is called. */
export function buildCli(): Application<CliContext> {
  return buildApplication(routes, {
    name: "cutwater",
    versionInfo: { getCurrentVersion },
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { caseStyle: "original", useAliasInUsageLine: true, disableAnsiColor: true },
  });
}

async function getCurrentVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
