import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP, JOB_ARGUMENT } from "../client/connection-flags.ts";

export const infoCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../client/job-commands.ts")).showJob,
  parameters: {
    flags: { ...CONNECTION_FLAGS },
    aliases: { m: "address" },
    positional: { kind: "tuple", parameters: [JOB_ARGUMENT] },
  },
  docs: {
    brief: "Show a job: its vertices, records and checkpoints.",
    fullDescription: `${CONNECTION_HELP}`,
    customUsage: ["flights"],
  },
});
