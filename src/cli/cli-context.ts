import type { CommandContext } from "@stricli/core";

/** A stream that a command writes to. */
export interface OutputStream {
  write: (text: string) => void;
  /** True if a person sees the text as it comes. */
  readonly isTTY?: boolean | undefined;
  /** Width of the terminal, if it is one. */
  readonly columns?: number | undefined;
}

/** What a command has beside its flags and arguments. */
export interface CliContext extends CommandContext {
  readonly process: {
    readonly stdout: OutputStream;
    readonly stderr: OutputStream;
    readonly env: Readonly<Partial<Record<string, string>>>;
    exitCode?: number | string | null;
  };
}

/** The context of the real process. */
export function cliContext(): CliContext {
  return { process: process as CliContext["process"] };
}
