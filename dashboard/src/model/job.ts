import { field, knownNumberIn, listIn, numberIn, textIn } from "./json.ts";
import { type Topology, topologyOf } from "./topology.ts";

/** A job as `/jobs/:jobid` describes it. */
export interface Job {
  readonly jobId: string;
  readonly name: string;
  readonly state: string;
  readonly startedAtMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly topology: Topology;
  /** State of each vertex by its id. */
  readonly vertexStates: ReadonlyMap<string, string>;
}

export function jobOf(answer: unknown): Job {
  return {
    jobId: textIn(answer, "jid") ?? "",
    name: textIn(answer, "name") ?? "",
    state: textIn(answer, "state") ?? "",
    startedAtMs: numberIn(answer, "start-time"),
    durationMs: numberIn(answer, "duration"),
    topology: topologyOf(answer),
    vertexStates: new Map(
      listIn(answer, "vertices").map((vertex) => [
        textIn(vertex, "id") ?? "",
        textIn(vertex, "status") ?? "",
      ]),
    ),
  };
}

/** One subtask as `/vertices/:vertexid` describes it. */
export interface SubtaskFacts {
  readonly subtaskIndex: number;
  readonly state: string;
  readonly host: string;
  readonly attempt: number;
  readonly recordsIn: number;
  readonly recordsOut: number;
}

export function subtaskFactsOf(answer: unknown): readonly SubtaskFacts[] {
  return listIn(answer, "subtasks")
    .map((subtask) => {
      const metrics = field(subtask, "metrics");
      return {
        subtaskIndex: numberIn(subtask, "subtask") ?? 0,
        state: textIn(subtask, "status") ?? "",
        host: textIn(subtask, "endpoint") ?? textIn(subtask, "host") ?? "",
        attempt: numberIn(subtask, "attempt") ?? 0,
        recordsIn: numberIn(metrics, "read-records") ?? 0,
        recordsOut: numberIn(metrics, "write-records") ?? 0,
      };
    })
    .toSorted((left, right) => left.subtaskIndex - right.subtaskIndex);
}

/** What each subtask took in, or gave out if the vertex is a source: the measure of skew. */
export function loadsOf(subtasks: readonly SubtaskFacts[]): readonly number[] {
  const isSource = subtasks.every(({ recordsIn }) => recordsIn === 0);
  return subtasks.map(({ recordsIn, recordsOut }) => (isSource ? recordsOut : recordsIn));
}

/** Watermarks by subtask index, of `/vertices/:vertexid/watermarks`; undefined before the first one. */
export function watermarksOf(answer: unknown): ReadonlyMap<number, number | undefined> {
  const entries = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
  return new Map(
    entries.map((entry) => {
      const subtaskIndex = Number.parseInt(textIn(entry, "id") ?? "0", 10);
      return [subtaskIndex, knownNumberIn(entry, "value")];
    }),
  );
}

/** The watermark of a vertex: its smallest; undefined as long as a subtask has none. */
export function leastWatermark(
  watermarks: ReadonlyMap<number, number | undefined>,
): number | undefined {
  const values = [...watermarks.values()];
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 || known.length < values.length ? undefined : Math.min(...known);
}

/** The sum of an aggregated metric, such as `/subtasks/metrics?get=...&agg=sum` answers it. */
export function metricSum(answer: unknown, name: string): number | undefined {
  const metrics = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
  return numberIn(
    metrics.find((metric) => textIn(metric, "id") === name),
    "sum",
  );
}
