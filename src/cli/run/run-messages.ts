import type { JobClient } from "../../api/index.ts";
import type { RunStatus } from "./run-status.ts";

/** What `cutwater run` says about a run: what it starts from, what came of it, where its checkpoints lie, what to try next. */

export function startLines(client: JobClient): readonly string[] {
  const { jobName, startedFrom, directory, leftCheckpointIds } = client;
  const from = startedFrom === undefined ? "starts from nothing" : `goes on from ${startedFrom}`;
  const where = directory === undefined ? "no checkpoints are kept" : `checkpoints: ${directory}`;
  const lines = [`${jobName}: ${from}; ${where}`];
  if (leftCheckpointIds.length > 0 && directory !== undefined) {
    const names = leftCheckpointIds.map((id) => `chk-${id}`).join(", ");
    lines.push(`${jobName}: of an earlier run ${names} stay as they are.`);
  }
  return lines;
}

export function finishedLines(
  client: JobClient,
  { completedCount, failedCount }: Pick<RunStatus, "completedCount" | "failedCount">,
  seconds: string,
): readonly string[] {
  const { jobName, directory } = client;
  const records = client.recordsRead();
  const read = `${records.toLocaleString("en-US")} record${records === 1 ? "" : "s"} read`;
  const taken = `${completedCount} checkpoint${completedCount === 1 ? "" : "s"}`;
  const failed = failedCount === 0 ? "" : `, ${failedCount} failed`;
  const lines = [`${jobName}: finished in ${seconds} s, ${read}, ${taken}${failed}.`];
  if (directory !== undefined) {
    lines.push(
      `Checkpoints lay in ${directory}; those of a finished job are deleted. Their course: npx cutwater history ${directory}`,
      "Next: stop or kill it half-way and run it again: it goes on from its newest checkpoint.",
    );
  }
  return lines;
}

export function cancelledLines(
  { jobName, directory }: JobClient,
  jobFile: string,
  seconds: string,
): readonly string[] {
  const lines = [`${jobName}: cancelled after ${seconds} s.`];
  if (directory !== undefined) {
    lines.push(
      `Its checkpoints lie in ${directory}; look with: npx cutwater checkpoints ${directory}`,
      `Next: npx cutwater run ${jobFile} goes on from there; with --fresh it starts from nothing.`,
    );
  }
  return lines;
}

export function failedLines({ jobName, directory }: JobClient, jobFile: string): readonly string[] {
  if (directory === undefined) return [`${jobName}: failed.`];
  return [
    `${jobName}: failed. Its checkpoints lie in ${directory}`,
    `Next: once that is mended, npx cutwater run ${jobFile} goes on from the newest; with --fresh it starts from nothing.`,
  ];
}
