import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP, JOB_ARGUMENT } from "../client/connection-flags.ts";

export const savepointCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../client/job-commands.ts")).takeSavepoint,
  parameters: {
    flags: {
      ...CONNECTION_FLAGS,
      type: {
        kind: "enum",
        values: ["canonical", "native"],
        brief: "Form of the savepoint; both are read by every version.",
        default: "canonical",
      },
    },
    aliases: { m: "address" },
    positional: {
      kind: "tuple",
      parameters: [
        JOB_ARGUMENT,
        {
          brief: "Where to; initially execution.checkpointing.savepoint-dir.",
          placeholder: "directory",
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: "Take a savepoint of a job, which goes on.",
    fullDescription: `${CONNECTION_HELP}`,
    customUsage: ["flights savepoints"],
  },
});
