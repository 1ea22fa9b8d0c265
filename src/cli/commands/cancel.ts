import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP } from "../client/connection-flags.ts";

export const cancelCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../client/job-commands.ts")).cancelJob,
  parameters: {
    flags: { ...CONNECTION_FLAGS },
    aliases: { m: "address" },
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "The job's id, the beginning of it, or its name.",
          placeholder: "job",
          parse: String,
        },
      ],
    },
  },
  docs: {
    brief: "Cancel a job.",
    fullDescription: `Its checkpoints stay or go by their retention. The job must be named. ${CONNECTION_HELP}`,
    customUsage: ["flights"],
  },
});
