import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import type { LintFlags } from "../doctor/run-lint.ts";

export const lintCommand: Command<CliContext> = buildCommand<LintFlags, [string], CliContext>({
  loader: async () => (await import("../doctor/run-lint.ts")).runLint,
  parameters: {
    flags: {
      flink: {
        kind: "parsed",
        parse: String,
        placeholder: "version",
        brief: "The release of Flink that will read the file, such as 1.20.",
      },
      fix: {
        kind: "boolean",
        brief: "Write the file anew with what can be mended without a choice.",
        default: false,
        withNegated: false,
      },
      print: {
        kind: "boolean",
        brief:
          "Print the mended file instead of writing it; the findings go to the standard error.",
        default: false,
        withNegated: false,
      },
      strict: {
        kind: "boolean",
        brief: "Warnings count as errors.",
        default: false,
        withNegated: false,
      },
      json: {
        kind: "boolean",
        brief: "The findings as JSON, for a program.",
        default: false,
        withNegated: false,
      },
      lang: {
        kind: "enum",
        values: ["en", "zh"],
        brief: "Language of the findings; initially that of the environment.",
        optional: true,
      },
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "config.yaml, or flink-conf.yaml in the old flat form.",
          placeholder: "config",
          parse: String,
        },
      ],
    },
  },
  docs: {
    brief: "Check a configuration of Apache Flink for one release.",
    fullDescription: [
      "Finds keys that the release does not know, has renamed or removed; values and units that it cannot read; and settings that fail together.",
      "",
      "Exit codes: 0 no error; 1 an error was found; 3 bad usage, or the file cannot be read.",
    ].join("\n"),
    customUsage: [
      { input: "--flink 1.20 conf/config.yaml", brief: "What Flink 1.20 would make of the file" },
      { input: "--flink 2.3 --print conf/flink-conf.yaml", brief: "The mended file" },
    ],
  },
});
