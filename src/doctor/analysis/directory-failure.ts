import type { Place } from "../evidence/evidence.ts";
import type { Facts, Match } from "./facts.ts";

/** Why a directory could not be made, weighed from what lies around it. */
export interface DirectoryFailure {
  readonly match: Match;
  readonly path: string;
  readonly readOnly: number;
  readonly permission: number;
  readonly mount: number;
  /** A line that decided it, other than the failure itself. */
  readonly proof: { readonly place: Place; readonly text: string } | undefined;
}

const MKDIRS =
  /Mkdirs failed to create (?:file:)?\/*(\S+)|Failed to create directory for (?:shared|task owned) state: (?:file:)?\/*(\S+)|Could not create (?:the )?(?:checkpoint|savepoint) directory (?:file:)?\/*(\S+)/u;

/** Looks at the first directory that could not be made on a local file system. */
export function directoryFailureOf(facts: Facts): DirectoryFailure | undefined {
  const match =
    facts.first({ text: MKDIRS, roles: ["checkpoint", "task", "job", "restore"] }) ??
    facts.first({ text: MKDIRS });
  if (match === undefined) return undefined;
  const path = `/${match.groups?.[1] ?? match.groups?.[2] ?? match.groups?.[3] ?? ""}`;
  const mounted = mountOf(facts, path);
  if (mounted?.readOnly === true)
    return { match, path, readOnly: 0.96, permission: 0.3, mount: 0.3, proof: mounted.line };
  const owner = ownerProblem(facts, path);
  if (owner !== undefined)
    return { match, path, readOnly: 0.1, permission: 0.94, mount: 0.4, proof: owner };
  const worked = workedBefore(facts, path, match);
  if (worked)
    return {
      match,
      path,
      readOnly: ownerRight(facts, path) ? 0.86 : 0.72,
      permission: 0.5,
      mount: 0.4,
      proof: undefined,
    };
  const containers = containerVolumes(facts);
  const oneSide = onlyOneSide(facts, match);
  if (containers !== undefined && oneSide)
    return { match, path, readOnly: 0.1, permission: 0.5, mount: 0.9, proof: containers };
  if (oneSide)
    return { match, path, readOnly: 0.1, permission: 0.6, mount: 0.78, proof: undefined };
  if (containers !== undefined)
    return { match, path, readOnly: 0.1, permission: 0.6, mount: 0.8, proof: containers };
  return { match, path, readOnly: 0.1, permission: 0.78, mount: 0.5, proof: undefined };
}

/** The mount that holds a path, from lines of `/proc/mounts` or `mount`. */
function mountOf(
  facts: Facts,
  path: string,
): { readOnly: boolean; line: { place: Place; text: string } } | undefined {
  let best: { at: string; readOnly: boolean; line: { place: Place; text: string } } | undefined;
  for (const statement of facts.statements) {
    if (statement.thrown !== undefined || statement.event.logger !== undefined) continue;
    for (const text of statement.text.split("\n")) {
      const found = /^\S+ (?:on )?(\/\S*) (?:type )?\S+ \(?((?:ro|rw)\b[\w,=.:-]*)\)?/u.exec(text);
      if (found === null) continue;
      const at = found[1] ?? "";
      if (!path.startsWith(at) || at.length < (best?.at.length ?? 0)) continue;
      best = {
        at,
        readOnly: found[2]?.startsWith("ro") === true,
        line: { place: statement.place, text },
      };
    }
  }
  return best;
}

/** A listed parent that the process's user may not write. */
function ownerProblem(facts: Facts, path: string): { place: Place; text: string } | undefined {
  const parents = facts.evidence.listing
    .filter(
      (file) =>
        file.owner !== undefined &&
        file.mode !== undefined &&
        (path === file.path || path.startsWith(`${file.path}/`)),
    )
    .toSorted((a, b) => b.path.length - a.path.length);
  const parent = parents[0];
  if (parent === undefined) return undefined;
  const user = processUser(facts);
  const owner = parent.owner?.split(":", 1)[0] ?? "";
  const others = parent.mode?.charAt(8) === "w";
  const group = parent.mode?.charAt(5) === "w";
  if (others || (group && owner !== "root") || owner === user) return undefined;
  const text = `${parent.mode} ${parent.owner} ${parent.path}`;
  return { place: parent.place, text };
}

function ownerRight(facts: Facts, path: string): boolean {
  return (
    ownerProblem(facts, path) === undefined &&
    facts.evidence.listing.some((file) => path.startsWith(file.path) && file.owner !== undefined)
  );
}

function processUser(facts: Facts): string {
  for (const event of facts.evidence.events) {
    const found = /OS current user: (\S+)/u.exec(event.message);
    if (found !== null) return found[1] ?? "flink";
  }
  return "flink";
}

/** Checkpoints completed in the same directory before the first failure. */
function workedBefore(facts: Facts, path: string, match: Match): boolean {
  const at = match.statement.event.atMs;
  const id = Number(/chk-(\d+)/u.exec(path)?.[1] ?? 0);
  return (
    facts.completedCheckpoints.some((life) =>
      at !== undefined && life.endedAtMs !== undefined
        ? life.endedAtMs < at
        : life.checkpointId < id,
    ) ||
    facts.evidence.rest.checkpoints.some(
      (checkpoint) => checkpoint.status === "COMPLETED" && checkpoint.id < id,
    )
  );
}

/** A compose file or pod template that mounts volumes. */
function containerVolumes(facts: Facts): { place: Place; text: string } | undefined {
  const setting = facts.evidence.settings.find((candidate) =>
    /volumes?(?:Mounts)?\b|mountPath|hostPath|emptyDir|persistentVolumeClaim|claimName/iu.test(
      candidate.key,
    ),
  );
  if (setting !== undefined)
    return { place: setting.place, text: `${setting.key}: ${setting.value}` };
  const image = facts.evidence.settings.find(
    (candidate) => /(?:^|\.)image$/u.test(candidate.key) && /flink/u.test(candidate.value),
  );
  return image === undefined
    ? undefined
    : { place: image.place, text: `${image.key}: ${image.value}` };
}

/**
 * True if only the JobManager fails, at writing `_metadata`: the TaskManagers wrote their state at the same path, so the
 * path is not the same place for both.
 */
function onlyOneSide(facts: Facts, match: Match): boolean {
  const text = facts.textOf(match.statement.event);
  const finalizing =
    /[Ff]inaliz/u.test(text) ||
    match.statement.event.thrown.some((error) =>
      error.frames.some((frame) =>
        /finalizeCheckpoint|FsCheckpointMetadataOutputStream/u.test(frame.method),
      ),
    );
  const byTasks = facts.has(
    /Could not materialize checkpoint|Could not open output stream for state backend/u,
  );
  return finalizing && !byTasks;
}
