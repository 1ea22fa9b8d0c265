import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import type { ExplainFlags } from "../doctor/explain.ts";

export const explainCommand: Command<CliContext> = buildCommand<
  ExplainFlags,
  [string?],
  CliContext
>({
  loader: async () => (await import("../doctor/explain.ts")).explain,
  parameters: {
    flags: {
      lang: {
        kind: "enum",
        values: ["en", "zh"],
        brief: "Language of the article; initially that of the environment.",
        optional: true,
      },
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "A cause as the doctor names it; without one, all are listed.",
          placeholder: "code",
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: "Explain one cause of failed checkpoints, or list all of them.",
    customUsage: ["backpressure-slow-operator"],
  },
});
