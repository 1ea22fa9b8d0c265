import { buildChoiceParser, buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import { SHELLS } from "../completion/shell-scripts.ts";

export const completionCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import("../completion/print-script.ts")).printScript,
  parameters: {
    flags: {},
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "bash, zsh or fish.",
          placeholder: "shell",
          parse: buildChoiceParser([...SHELLS]),
          proposeCompletions: (partial: string) =>
            SHELLS.filter((shell) => shell.startsWith(partial)),
        },
      ],
    },
  },
  docs: {
    brief: "Print what a shell needs to complete commands, flags, settings and jobs.",
    fullDescription: [
      'bash: put eval "$(cutwater completion bash)" into ~/.bashrc; zsh: the same with zsh into ~/.zshrc; fish: cutwater completion fish into',
      "~/.config/fish/completions/cutwater.fish. The ids and names of jobs come from the server that runs (-m, CUTWATER_ADDRESS).",
    ].join("\n"),
    customUsage: ["bash"],
  },
});
