import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { parseSetting, type RunFlags } from "../run/run-flags.ts";

export const runCommand: Command<CliContext> = buildCommand<RunFlags, string[], CliContext>({
  loader: async () => (await import("../run/run-job-file.ts")).runJobFile,
  parameters: {
    flags: {
      parallelism: {
        kind: "parsed",
        brief: "Subtasks of every operator that does not set its own (parallelism.default).",
        placeholder: "n",
        parse: String,
        optional: true,
      },
      slots: {
        kind: "parsed",
        brief: "Threads that run the subtasks (cutwater.slots); all cores if it is not set.",
        placeholder: "n",
        parse: String,
        optional: true,
      },
      fromSavepoint: {
        kind: "parsed",
        brief: "Checkpoint or savepoint to start from (execution.state-recovery.path).",
        placeholder: "path",
        parse: String,
        optional: true,
      },
      allowNonRestoredState: {
        kind: "boolean",
        brief: "Drop state of operators that the job no longer has.",
        default: false,
        withNegated: false,
      },
      fresh: {
        kind: "boolean",
        brief: "Start from nothing, although an earlier run did not finish.",
        default: false,
        withNegated: false,
      },
      set: {
        kind: "parsed",
        brief: "One setting under Flink's key; may be given again.",
        placeholder: "key=value",
        parse: parseSetting,
        variadic: true,
        optional: true,
      },
      config: {
        kind: "parsed",
        brief: "Settings from a config.yaml, or a flink-conf.yaml of Flink 1.x.",
        placeholder: "file",
        parse: String,
        optional: true,
      },
      inspect: {
        kind: "parsed",
        brief: "Wait for a debugger at this address before the job starts ([host:]port, 9229).",
        placeholder: "address",
        parse: String,
        inferEmpty: true,
        optional: true,
      },
      verbose: {
        kind: "boolean",
        brief: "Log what the job does, and show whole stacks of errors.",
        default: false,
        withNegated: false,
      },
    },
    aliases: { p: "parallelism", s: "fromSavepoint", n: "allowNonRestoredState", D: "set" },
    positional: {
      kind: "array",
      minimum: 1,
      parameter: {
        brief: "The job file (.ts or .js), and behind -- what the job's function gets.",
        placeholder: "job",
        parse: String,
      },
    },
  },
  docs: {
    brief: "Run a job file, with exactly-once checkpoints.",
    fullDescription: [
      "Without other settings a checkpoint is taken each 10 s into .cutwater/<job name>. Run again, a job that did not finish goes on",
      "from its newest checkpoint; a finished one starts afresh. Ctrl-C or SIGTERM takes a last checkpoint and stops within",
      "cutwater.shutdown-timeout (30 s); a second one stops at once.",
      "",
      "Exit codes: 0 finished; 1 failed; 2 cancelled; 3 refused, nothing was started.",
    ].join("\n"),
    customUsage: [
      { input: "job.ts -- words.txt", brief: "Run a job with an argument of its own" },
      {
        input: "job.ts -p 4 -D execution.checkpointing.interval=1s",
        brief: "Run it with four subtasks, a checkpoint each second",
      },
      { input: "job.ts -s .cutwater/job/3f2a/chk-7", brief: "Start from a certain checkpoint" },
    ],
  },
});
