import { type InputCompletion, proposeCompletions } from "@stricli/core";

import { buildCli } from "../cli-app.ts";
import type { CliContext } from "../cli-context.ts";
import { type ProposedWord, proposeSettings } from "./propose-settings.ts";

/**
 * What may stand in the place of the last word: commands, flags, keys and values of settings, and the jobs of a server that runs.
 *
 * @param words - Of the command line, without `cutwater`; the last one is the one that is being written, and may be empty.
 * @returns Nothing where a file is wanted, or the job's own arguments begin.
 */
export async function proposeWords(
  words: readonly string[],
  context: CliContext,
): Promise<readonly ProposedWord[]> {
  const partial = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.includes("--")) return [];
  if (before.at(-1) === "-D") return await proposeSettings(partial, "");
  if (partial.startsWith("-D")) return await proposeSettings(partial.slice(2), "-D");
  const proposals = await proposeCompletions(buildCli(), [...words], atAddress(words, context));
  // Flags only where one is begun: else the shell could not offer files.
  const wanted = proposals.filter(
    ({ kind }) => kind !== "argument:flag" || partial.startsWith("-"),
  );
  return wanted.map(({ completion, brief }: InputCompletion) => ({ word: completion, brief }));
}

/** Asks the server that the command line names. */
function atAddress(words: readonly string[], context: CliContext): CliContext {
  const at = words.findIndex((word) => word === "-m" || word === "--address");
  const address = at === -1 ? undefined : words[at + 1];
  if (address === undefined || at + 1 === words.length - 1) return context;
  const { process } = context;
  return { process: { ...process, env: { ...process.env, CUTWATER_ADDRESS: address } } };
}

/** `cutwater __complete <words>`: a line for each word, its meaning behind a tab. What goes wrong proposes nothing. */
export async function printProposals(words: readonly string[], context: CliContext): Promise<void> {
  const proposals = await proposeWords(words, context).catch(() => []);
  for (const { word, brief } of proposals) {
    context.process.stdout.write(`${word}\t${brief.split("\n", 1)[0] ?? ""}\n`);
  }
}
