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
        brief: "What it is marked as; its files are the same, and both are restored alike.",
        default: "canonical",
      },
      dispose: {
        kind: "parsed",
        brief:
          "Delete this savepoint instead: what is its own and nothing else. Needs no server, but asks the one that -m names.",
        placeholder: "savepoint",
        parse: String,
        optional: true,
      },
    },
    aliases: { m: "address", d: "dispose" },
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
    brief: "Take a savepoint of a job, which goes on, or delete one.",
    fullDescription: `${CONNECTION_HELP}`,
    customUsage: [
      "flights savepoints",
      { input: "-d savepoints/savepoint-3f2a1c-0b9d", brief: "Delete that savepoint" },
    ],
  },
});
