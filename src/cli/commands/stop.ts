import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP, JOB_ARGUMENT } from "../client/connection-flags.ts";

export const stopCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../client/job-commands.ts")).stopJob,
  parameters: {
    flags: {
      ...CONNECTION_FLAGS,
      type: {
        kind: "enum",
        values: ["canonical", "native"],
        brief: "What it is marked as; its files are the same, and both are restored alike.",
        default: "canonical",
      },
      savepointPath: {
        kind: "parsed",
        brief: "Where to; initially execution.checkpointing.savepoint-dir.",
        placeholder: "directory",
        parse: String,
        optional: true,
      },
      drain: {
        kind: "boolean",
        brief: "Let the end of time pass first.",
        default: false,
        withNegated: false,
      },
    },
    aliases: { m: "address", p: "savepointPath", d: "drain" },
    positional: { kind: "tuple", parameters: [JOB_ARGUMENT] },
  },
  docs: {
    brief: "Stop a job with a savepoint.",
    fullDescription: `With --drain its windows fire first, as at the end of time; it cannot go on from there. ${CONNECTION_HELP}`,
    customUsage: [
      { input: "flights -p savepoints", brief: "Stop it, and put the savepoint there" },
    ],
  },
});
