import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP, JOB_ARGUMENT } from "../client/connection-flags.ts";

export const exceptionsCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../client/job-commands.ts")).showExceptions,
  parameters: {
    flags: { ...CONNECTION_FLAGS },
    aliases: { m: "address" },
    positional: { kind: "tuple", parameters: [JOB_ARGUMENT] },
  },
  docs: {
    brief: "Show what has failed in a job.",
    fullDescription: `The newest failure first, with its stack. ${CONNECTION_HELP}`,
    customUsage: ["flights"],
  },
});
