import { buildCommand, type Command } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import type { UiFlags } from "../serve/page-server.ts";

export const uiCommand: Command<CliContext> = buildCommand<UiFlags, [], CliContext>({
  loader: async () => (await import("../serve/page-server.ts")).showFlink,
  parameters: {
    flags: {
      flink: {
        kind: "parsed",
        brief: "Address of the REST of an Apache Flink, or of another Cutwater.",
        placeholder: "http://host:8081",
        parse: String,
      },
      port: {
        kind: "parsed",
        brief: "Port of the page; initially any that is free.",
        placeholder: "port",
        parse: Number,
        default: "0",
      },
    },
    positional: { kind: "tuple", parameters: [] },
  },
  docs: {
    brief: "Show the page in front of an Apache Flink.",
    fullDescription:
      "Only this machine can open the page; what it asks is passed on to that Flink. Ends with Ctrl-C.",
    customUsage: ["--flink http://jobmanager:8081"],
  },
});
