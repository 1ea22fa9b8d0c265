import type { CliContext } from "../cli-context.ts";

/** As the parser of the command line takes a flag with a text. */
interface TextFlag {
  readonly kind: "parsed";
  readonly brief: string;
  readonly placeholder: string;
  readonly parse: (input: string) => string;
  readonly optional: true;
}

interface SwitchFlag {
  readonly kind: "boolean";
  readonly brief: string;
  readonly default: false;
  readonly withNegated: false;
}

/** The flags that every command against a server has. */
export const CONNECTION_FLAGS: { readonly address: TextFlag; readonly json: SwitchFlag } = {
  address: {
    kind: "parsed",
    brief: "Where the server is; initially CUTWATER_ADDRESS, else 127.0.0.1:8081.",
    placeholder: "host:port",
    parse: String,
    optional: true,
  },
  json: {
    kind: "boolean",
    brief: "The answer as JSON, for a program.",
    default: false,
    withNegated: false,
  },
};

/** The jobs that run, for a shell that completes. */
export async function proposeJobs(this: CliContext, partial: string): Promise<readonly string[]> {
  const { runningJobs } = await import("./propose-jobs.ts");
  return (await runningJobs(this)).filter((job) => job.startsWith(partial));
}

/** The job that a command is about. */
export const JOB_ARGUMENT: Omit<TextFlag, "kind"> & {
  readonly proposeCompletions: typeof proposeJobs;
} = {
  brief: "The job's id, the beginning of it, or its name; may be left out if one job runs.",
  placeholder: "job",
  parse: String,
  optional: true,
  proposeCompletions: proposeJobs,
};

/** Said of every such command. */
export const CONNECTION_HELP: string =
  "A server that asks for a token gets that of the environment variable CUTWATER_TOKEN.\n\n" +
  "Exit codes: 0 done; 1 the server refused, or it failed; 3 bad usage, no server, or no such job.";
