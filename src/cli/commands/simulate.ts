import { buildCommand, type Command, numberParser } from "@stricli/core";

import type { CliContext } from "../cli-context.ts";
import type { SimulateFlags } from "../simulate/simulate-job-file.ts";

export const simulateCommand: Command<CliContext> = buildCommand<
  SimulateFlags,
  string[],
  CliContext
>({
  loader: async () => (await import("../simulate/simulate-job-file.ts")).simulateJobFile,
  parameters: {
    flags: {
      seeds: {
        kind: "parsed",
        brief: "How many seeds to try.",
        placeholder: "n",
        parse: parseCount,
        default: "20",
      },
      seed: {
        kind: "parsed",
        brief: "The first seed; alone, the only one.",
        placeholder: "n",
        parse: parseCount,
        optional: true,
      },
      verbose: {
        kind: "boolean",
        brief: "A line for each seed, and the end of the log of a seed that fails.",
        default: false,
        withNegated: false,
      },
    },
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
    brief: "Run a job on a simulated machine with faults, and compare what it publishes.",
    fullDescription: [
      "One thread, a virtual clock, and faults from a seed: crashes at any step, lost slots, slow and failing storage, late messages. What the",
      "job's sinks publish to files is compared with a run without faults, so it must not depend on the order in which records of different",
      "channels meet. Input files are read; nothing is written. A seed gives the same run each time.",
      "",
      "Exit codes: 0 nothing lost, nothing twice; 1 a seed failed; 3 refused.",
    ].join("\n"),
    customUsage: [
      { input: "job.ts --seeds 200", brief: "Try two hundred seeds" },
      { input: "job.ts --seed 17 --verbose", brief: "Run seed 17 again" },
    ],
  },
});

function parseCount(text: string): number {
  const count = numberParser(text);
  if (!Number.isSafeInteger(count) || count < 0) throw new SyntaxError("a whole number is needed");
  return count;
}
