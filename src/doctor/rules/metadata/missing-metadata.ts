import type { Clue, Facts, Match } from "../../analysis/facts.ts";

export const METADATA_MISSING: Clue = {
  text: /Cannot find meta data file|Cannot find checkpoint or savepoint file\/directory|(?:FileNotFoundException|NoSuchKey|does not exist|No such file).*_metadata|_metadata.*(?:does not exist|No such file|not found)/u,
  roles: ["restore", "job", "task", "report", "trouble"],
  confidence: 1.05,
};

/** Why a checkpoint has no `_metadata`. */
export interface MissingMetadata {
  readonly kind: "deleted" | "never-completed" | "unknown";
  readonly path: string | undefined;
  /** A checkpoint that is complete, to take instead. */
  readonly usable: number | undefined;
}

/** Looks at what became of the checkpoint that was to be restored. */
export function missingMetadata(facts: Facts, match: Match): MissingMetadata {
  const text = facts.textOf(match.statement.event);
  const path =
    /(?:in directory|file\/directory|File) '?"?([^\s'"]+)/u.exec(text)?.[1] ??
    /(\S*chk-\d+\S*)/u.exec(text)?.[1];
  const id = Number(/chk-(\d+)/u.exec(path ?? "")?.[1] ?? Number.NaN);
  const completed = facts.completedIds.has(id);
  const triggered = facts.timeline.checkpoints.some(
    (life) => life.checkpointId === id && life.triggeredAtMs !== undefined,
  );
  const directory = facts.evidence.listing.filter((file) => file.path.includes(`chk-${id}/`));
  const stateFiles = directory.some(
    (file) => !file.path.endsWith("_metadata") && file.kind === "file",
  );
  const usable = usableCheckpoint(facts, id);
  const kept = retention(facts);
  const cancelled =
    facts.timeline.jobs.some((change) => /CANCEL/u.test(change.to)) ||
    facts.has(/to CANCELED\b|reached terminal state CANCELED|[Cc]ancell?ed job|Cancelling job/u);
  if (stateFiles || (triggered && !completed && kept !== "deletes"))
    return { kind: "never-completed", path, usable };
  if (kept === "deletes" && (completed || cancelled || !triggered))
    return { kind: "deleted", path, usable };
  if (completed && cancelled && kept !== "retains") return { kind: "deleted", path, usable };
  return { kind: "unknown", path, usable };
}

function retention(facts: Facts): "deletes" | "retains" | "unknown" {
  const value =
    facts.setting("execution.checkpointing.externalized-checkpoint-retention")?.value ?? "";
  if (/RETAIN/iu.test(value)) return "retains";
  if (/DELETE|NO_EXTERNALIZED/iu.test(value)) return "deletes";
  const rest = facts.checkpointConfig;
  if (rest?.retained === true) return rest.deleteOnCancellation === true ? "deletes" : "retains";
  return "unknown";
}

function usableCheckpoint(facts: Facts, wanted: number): number | undefined {
  const listed = facts.evidence.listing.flatMap((file) => {
    const found = /chk-(\d+)\/_metadata$/u.exec(file.path);
    return found === null ? [] : [Number(found[1])];
  });
  const known = listed.length > 0 ? listed : [...facts.completedIds];
  return known.filter((id) => id !== wanted).toSorted((a, b) => b - a)[0];
}
