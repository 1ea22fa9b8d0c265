import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import type { DoctorFlags } from "../doctor/run-doctor.ts";

export const doctorCommand: Command<CliContext> = buildCommand<DoctorFlags, string[], CliContext>({
  loader: async () => (await import("../doctor/run-doctor.ts")).runDoctor,
  parameters: {
    flags: {
      json: {
        kind: "boolean",
        brief: "The report as JSON, for a program.",
        default: false,
        withNegated: false,
      },
      html: {
        kind: "parsed",
        parse: String,
        placeholder: "file",
        brief: "Also write the report as one page with the timeline drawn, for a browser.",
        optional: true,
      },
      compare: {
        kind: "boolean",
        brief: "Lay two inputs side by side, and rank what differs by its effect on checkpoints.",
        default: false,
        withNegated: false,
      },
      follow: {
        kind: "boolean",
        brief:
          "Go on watching growing logs or a live cluster, and report what is new, until Ctrl-C.",
        default: false,
        withNegated: false,
      },
      lang: {
        kind: "enum",
        values: ["en", "zh"],
        brief: "Language of the report; initially that of the environment.",
        optional: true,
      },
    },
    positional: {
      kind: "array",
      minimum: 1,
      parameter: {
        brief:
          "Logs (.gz too), configuration, checkpoints, REST answers, or directories of them; - is the standard input.",
        placeholder: "input",
        parse: String,
      },
    },
  },
  docs: {
    brief: "Say why a checkpoint failed, in Apache Flink or in Cutwater.",
    fullDescription: [
      "Each input is recognised by its content. The answer names the cause, the evidence with file and line, what was ruled out, what could not be",
      "assessed, and which setting to change.",
      "",
      "With --compare: 0 no difference that matters, 1 some.",
      "Exit codes: 0 healthy; 1 a cause was found; 2 undetermined; 3 bad usage, or nothing could be read.",
    ].join("\n"),
    customUsage: [
      { input: "jobmanager.log taskmanager.log", brief: "What the logs of a Flink job say" },
      { input: "--compare test/ production/", brief: "Why it works here and not there" },
      { input: "--follow http://localhost:8081", brief: "Watch a live cluster" },
      { input: "--json --lang zh logs/", brief: "All of a directory, in Chinese, for a program" },
    ],
  },
});
