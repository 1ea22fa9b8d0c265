import type { Facts } from "./facts.ts";
import { spell } from "./option-names.ts";

/** A checkpoint or savepoint to start again from. */
export interface WayOut {
  readonly path: string;
  readonly checkpointId: number | null;
  readonly usable: boolean;
  /** Command that starts from it, in the spelling of this version; null if it cannot be used. */
  readonly command: string | null;
}

const MAX_SHOWN = 3;

/**
 * What can be recovered now: retained checkpoints that a listing, an answer or the log shows, the newest first.
 *
 * @remarks
 * A directory without `_metadata` was never completed. One that the log calls completed and no listing contradicts
 * is taken as there.
 */
export function waysOut(facts: Facts): readonly WayOut[] {
  const found = new Map<string, { path: string; id: number | null; usable: boolean }>();
  const listed = new Map<string, boolean>();
  for (const file of facts.evidence.listing) {
    const match = /^(.*\/(chk-\d+|savepoint-[\w-]+))(?:\/(.*))?$/u.exec(file.path);
    if (match === null) continue;
    const directory = match[1] ?? "";
    listed.set(directory, listed.get(directory) === true || match[3] === "_metadata");
  }
  for (const [directory, usable] of listed) {
    const id = /chk-(\d+)$/u.exec(directory)?.[1];
    found.set(directory, { path: directory, id: id === undefined ? null : Number(id), usable });
  }
  if (listed.size === 0) {
    for (const checkpoint of facts.evidence.rest.checkpoints) {
      if (
        checkpoint.status !== "COMPLETED" ||
        checkpoint.externalPath === undefined ||
        checkpoint.externalPath.startsWith("<")
      )
        continue;
      found.set(checkpoint.externalPath, {
        path: checkpoint.externalPath,
        id: checkpoint.id,
        usable: true,
      });
    }
    for (const savepoint of facts.evidence.rest.savepoints) {
      if (savepoint.location !== undefined)
        found.set(savepoint.location, { path: savepoint.location, id: null, usable: true });
    }
  }
  for (const statement of facts.statements) {
    const saved =
      /savepoint (?:has been|was) created at:? (\S+?),|Savepoint (?:stored in|completed\. Path:) (\S+?)(?:[.\s]|$)/u.exec(
        statement.text,
      );
    const path = saved?.[1] ?? saved?.[2];
    if (path !== undefined) found.set(path, { path, id: null, usable: true });
  }
  return [...found.values()]
    .toSorted(
      (a, b) => Number(b.usable) - Number(a.usable) || (b.id ?? Infinity) - (a.id ?? Infinity),
    )
    .slice(0, MAX_SHOWN)
    .map(({ path, id, usable }) => ({
      path,
      checkpointId: id,
      usable,
      command: usable ? command(facts, path, id) : null,
    }));
}

function command(facts: Facts, path: string, id: number | null): string {
  const parts = ["flink run", `-s ${path}`];
  const claim = facts.version.min >= 115 ? "-restoreMode NO_CLAIM" : undefined;
  if (facts.version.min >= 200) parts.push("-claimMode NO_CLAIM");
  else if (claim !== undefined) parts.push(claim);
  if (facts.has(/Cannot get old subtasks from a descriptor/u) && id !== null) {
    const key = spell(
      "execution.state-recovery.without-channel-state.checkpoint-id",
      facts.version,
    );
    if (key !== undefined) parts.push(`-D${key}=${id}`);
  }
  return `${parts.join(" ")} <job.jar>`;
}
