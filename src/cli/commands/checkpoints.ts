import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";

export const checkpointsCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../checkpoints/list-checkpoints.ts")).listCheckpoints,
  parameters: {
    flags: {
      json: {
        kind: "boolean",
        brief: "One line of JSON for each checkpoint instead of text.",
        default: false,
      },
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "A checkpoint's directory, a directory of checkpoints, or a _metadata file.",
          placeholder: "path",
          parse: String,
        },
      ],
    },
  },
  docs: {
    brief: "List and explain what a checkpoint directory holds, Flink's own too.",
    fullDescription: [
      "Reads the _metadata of the checkpoints and savepoints at a path, written by Cutwater or by Apache Flink 1.3 to 2.3,",
      "and looks whether the files they refer to are there. State itself is not read.",
      "",
      "Exit codes: 0 all is well; 1 something is damaged or missing; 3 bad usage, or nothing found.",
    ].join("\n"),
    customUsage: [
      { input: ".cutwater/flights", brief: "What the checkpoints of a job hold" },
      {
        input: "savepoint-3f2a1c/_metadata --json",
        brief: "The facts of one savepoint, for a program",
      },
    ],
  },
});
