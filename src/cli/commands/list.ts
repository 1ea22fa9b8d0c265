import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP } from "../client/connection-flags.ts";

export const listCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../client/job-commands.ts")).listJobs,
  parameters: {
    flags: {
      ...CONNECTION_FLAGS,
      running: {
        kind: "boolean",
        brief: "Only those that run; so it is anyway.",
        default: false,
        withNegated: false,
      },
      all: {
        kind: "boolean",
        brief: "Those too that are over.",
        default: false,
        withNegated: false,
      },
    },
    aliases: { m: "address", r: "running", a: "all" },
    positional: { kind: "tuple", parameters: [] },
  },
  docs: {
    brief: "List the jobs of a server.",
    fullDescription: `Those that run, or with --all those too that are over. ${CONNECTION_HELP}`,
    customUsage: [{ input: "--all --json", brief: "All jobs, a line of JSON each" }],
  },
});
