import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { CONNECTION_FLAGS, CONNECTION_HELP } from "../client/connection-flags.ts";
import type { SubmitFlags } from "../client/job-commands.ts";
import { parseSetting } from "../run/run-flags.ts";

export const submitCommand: Command<CliContext> = buildCommand<SubmitFlags, string[], CliContext>({
  loader: async () => (await import("../client/job-commands.ts")).submitJob,
  parameters: {
    flags: {
      ...CONNECTION_FLAGS,
      set: {
        kind: "parsed",
        brief: "One setting under Flink's key; may be given again.",
        placeholder: "key=value",
        parse: parseSetting,
        variadic: true,
        optional: true,
      },
    },
    aliases: { m: "address", D: "set" },
    positional: {
      kind: "array",
      minimum: 1,
      parameter: {
        brief: "The job file, and behind -- what the job's function gets.",
        placeholder: "job",
        parse: String,
      },
    },
  },
  docs: {
    brief: "Give a job file to a server that `cutwater serve` has started.",
    fullDescription: `The file must lie below the directory that the server serves. ${CONNECTION_HELP}`,
    customUsage: ["jobs/flights.ts -- 2026-11"],
  },
});
