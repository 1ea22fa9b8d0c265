import type { Diagnosis } from "../diagnosis.ts";
import { releaseText } from "../analysis/flink-version.ts";
import type { Setting } from "../evidence/evidence.ts";
import { optionNamed } from "../lint/known-options.ts";

/** What two environments are compared by. */
export interface Environment {
  /** The settings in force, by the newest names of their options. */
  readonly settings: ReadonlyMap<string, Setting>;
  readonly measures: Readonly<Partial<Record<Measure, number>>>;
  /** Facts that are words: version, kinds of storage, parallelism of an operator. */
  readonly facts: ReadonlyMap<string, string>;
  /** Keys that the findings of this environment would change. */
  readonly blamed: ReadonlySet<string>;
}

/** What is measured. Milliseconds and bytes as the names say. */
export type Measure =
  | "completed"
  | "failed"
  | "typicalDurationMs"
  | "stateBytes"
  | "startDelayMs"
  | "alignmentMs"
  | "syncMs"
  | "asyncMs"
  | "inFlightBytes"
  | "gcPauseMs"
  | "taskManagers"
  | "restarts";

/** Gathers what a diagnosis knows of its environment. */
export function environmentOf(diagnosis: Diagnosis): Environment {
  return {
    settings: settingsInForce(diagnosis),
    measures: measuresOf(diagnosis),
    facts: factsOf(diagnosis),
    blamed: new Set(
      diagnosis.findings.flatMap((finding) => finding.remedies.map(({ key }) => idOf(key))),
    ),
  };
}

function idOf(key: string): string {
  return optionNamed(key)?.id ?? key;
}

const ORIGINS: readonly Setting["origin"][] = ["command", "file", "rest", "log"];

function settingsInForce({ facts }: Diagnosis): ReadonlyMap<string, Setting> {
  const inForce = new Map<string, Setting>();
  for (const setting of facts.evidence.settings) {
    const id = idOf(setting.key);
    const before = inForce.get(id);
    const isStronger =
      before === undefined || ORIGINS.indexOf(setting.origin) < ORIGINS.indexOf(before.origin);
    if (isStronger) inForce.set(id, setting);
  }
  return inForce;
}

function measuresOf({ facts }: Diagnosis): Environment["measures"] {
  const { rest } = facts.evidence;
  const completed = facts.completedCheckpoints;
  const answers = rest.checkpoints.filter(({ status }) => status === "COMPLETED");
  const subtasks = rest.subtasks.flatMap((answer) => answer.subtasks);
  const counts = rest.checkpointCounts.at(-1);
  const found: Readonly<Record<Measure, number | undefined>> = {
    completed: Math.max(facts.completedIds.size, counts?.completed ?? 0),
    failed: Math.max(facts.failedCheckpoints.length, counts?.failed ?? 0),
    typicalDurationMs: median([
      ...completed.map(({ durationMs }) => durationMs),
      ...answers.map(({ durationMs }) => durationMs),
    ]),
    stateBytes: median([
      ...completed.map(({ sizeBytes }) => sizeBytes),
      ...answers.map(({ stateBytes }) => stateBytes),
    ]),
    startDelayMs: greatest(subtasks.map(({ startDelayMs }) => startDelayMs)),
    alignmentMs: greatest(subtasks.map(({ alignmentMs }) => alignmentMs)),
    syncMs: greatest(subtasks.map(({ syncMs }) => syncMs)),
    asyncMs: greatest(subtasks.map(({ asyncMs }) => asyncMs)),
    inFlightBytes: greatest(answers.map(({ persistedBytes }) => persistedBytes)),
    gcPauseMs: greatest(facts.evidence.gcPauses.map(({ durationMs }) => durationMs)),
    taskManagers: rest.taskManagers,
    restarts: facts.timeline.jobs.filter(({ to }) => to === "RESTARTING").length,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function factsOf({ facts, verdict, findings }: Diagnosis): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const cause = findings[0]?.code;
  found.set("verdict", verdict === "cause" && cause !== undefined ? cause : verdict);
  const { min, max, stated } = facts.version;
  if (stated !== undefined || min === max) found.set("version", stated ?? releaseText(min));
  const directory = facts.setting("execution.checkpointing.dir")?.value;
  const scheme = /^([a-z][\w+.-]*):/iu.exec(directory ?? "")?.[1];
  if (directory !== undefined) found.set("storage", scheme ?? "file");
  for (const vertex of facts.evidence.rest.vertices) {
    found.set(`parallelism of ${vertex.name}`, String(vertex.parallelism));
    if (vertex.maxParallelism !== undefined && vertex.maxParallelism > 0)
      found.set(`maxParallelism of ${vertex.name}`, String(vertex.maxParallelism));
  }
  for (const { vertexId, level } of facts.evidence.rest.backpressure) {
    const name = facts.evidence.rest.vertices.find(({ id }) => id === vertexId)?.name;
    if (name !== undefined) found.set(`backpressure of ${name}`, level);
  }
  return found;
}

function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  return known[Math.floor(known.length / 2)];
}

function greatest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.max(a, b));
}
