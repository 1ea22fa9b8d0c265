import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP, proposeJobs } from "../client/connection-flags.ts";

export const cancelCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../client/job-commands.ts")).cancelJob,
  parameters: {
    flags: {
      ...CONNECTION_FLAGS,
      withSavepoint: {
        kind: "parsed",
        brief:
          "Take a savepoint first, in this directory or in execution.checkpointing.savepoint-dir; without one the job goes on.",
        placeholder: "directory",
        parse: String,
        optional: true,
        inferEmpty: true,
      },
    },
    aliases: { m: "address", s: "withSavepoint" },
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "The job's id, the beginning of it, or its name.",
          placeholder: "job",
          parse: String,
          proposeCompletions: proposeJobs,
        },
      ],
    },
  },
  docs: {
    brief: "Cancel a job.",
    fullDescription: `Its checkpoints stay or go by their retention. The job must be named. ${CONNECTION_HELP}`,
    customUsage: [
      "flights",
      { input: "flights -s savepoints", brief: "Take a savepoint first, and put it there" },
    ],
  },
});
