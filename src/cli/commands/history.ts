import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import type { PageFlags } from "../serve/page-server.ts";

export const historyCommand: Command<CliContext> = buildCommand<PageFlags, [string], CliContext>({
  loader: async () => (await import("../serve/page-server.ts")).showHistory,
  parameters: {
    flags: {
      port: {
        kind: "parsed",
        brief: "Port of the page; initially any that is free.",
        placeholder: "port",
        parse: Number,
        default: "0",
      },
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "A job's directory, or its history.jsonl.",
          placeholder: "path",
          parse: String,
        },
      ],
    },
  },
  docs: {
    brief: "Show the page with the checkpoints of a job that need not run.",
    fullDescription:
      "Reads the history.jsonl that every job leaves beside its checkpoints, and shows each checkpoint's course. Ends with Ctrl-C.",
    customUsage: [".cutwater/flights"],
  },
});
