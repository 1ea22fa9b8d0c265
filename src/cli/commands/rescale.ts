import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP, JOB_ARGUMENT } from "../client/connection-flags.ts";

export const rescaleCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../client/job-commands.ts")).rescaleJob,
  parameters: {
    flags: { ...CONNECTION_FLAGS },
    aliases: { m: "address" },
    positional: {
      kind: "tuple",
      parameters: [
        { brief: "The new parallelism.", placeholder: "parallelism", parse: String },
        JOB_ARGUMENT,
      ],
    },
  },
  docs: {
    brief: "Change the parallelism of a running job.",
    fullDescription: `${CONNECTION_HELP}`,
    customUsage: ["4 flights"],
  },
});
