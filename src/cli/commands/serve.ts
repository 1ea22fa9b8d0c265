import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { parseSetting } from "../run/run-flags.ts";
import type { ServeFlags } from "../serve/serve-jobs.ts";

export const serveCommand: Command<CliContext> = buildCommand<ServeFlags, [string], CliContext>({
  loader: async () => (await import("../serve/serve-jobs.ts")).serveJobs,
  parameters: {
    flags: {
      set: {
        kind: "parsed",
        brief: "One setting for all jobs under Flink's key; may be given again.",
        placeholder: "key=value",
        parse: parseSetting,
        variadic: true,
        optional: true,
      },
      config: {
        kind: "parsed",
        brief: "Settings for all jobs from a config.yaml, or a flink-conf.yaml of Flink 1.x.",
        placeholder: "file",
        parse: String,
        optional: true,
      },
      verbose: {
        kind: "boolean",
        brief: "Log what the jobs do, and show whole stacks of errors.",
        default: false,
        withNegated: false,
      },
    },
    aliases: { D: "set" },
    positional: {
      kind: "tuple",
      parameters: [{ brief: "A directory of job files.", placeholder: "directory", parse: String }],
    },
  },
  docs: {
    brief: "Run all job files of a directory behind one server.",
    fullDescription: [
      "Every .ts, .js and .mjs file of the directory that exports a job is started; more are taken by `cutwater submit`. Ctrl-C or SIGTERM takes a last",
      "checkpoint of each job and stops.",
      "",
      "Exit codes: 0 stopped; 3 refused, nothing was started.",
    ].join("\n"),
    customUsage: [{ input: "jobs -D rest.port=8088", brief: "Run the jobs of a folder" }],
  },
});
