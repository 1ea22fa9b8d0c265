import type { CliContext } from "../cli-context.ts";
import { isOver, RestConnection } from "./rest-connection.ts";

/** Somebody waits for it with a finger on a key. */
const TIMEOUT_MS = 1_000;

/** Names and ids of the jobs that run, as far as a server answers. */
export async function runningJobs(context: CliContext): Promise<readonly string[]> {
  try {
    const jobs = await new RestConnection({}, context, TIMEOUT_MS).jobs();
    return jobs.filter(({ state }) => !isOver(state)).flatMap(({ name, jid }) => [name, jid]);
  } catch {
    return [];
  }
}
