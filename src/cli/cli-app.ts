import { type Application, buildApplication } from "@stricli/core";

import type { CliContext } from "./cli-context.ts";
import { routes } from "./commands/index.ts";
import { packageVersion } from "./package-version.ts";

/** The commands of `cutwater`. What a command does is imported when it is called. */
export function buildCli(): Application<CliContext> {
  return buildApplication(routes, {
    name: "cutwater",
    versionInfo: { getCurrentVersion: packageVersion },
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { caseStyle: "original", useAliasInUsageLine: true, disableAnsiColor: true },
  });
}
