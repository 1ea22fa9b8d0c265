import type { SubtaskPlace } from "./subtask-place.ts";
import { field, listIn, numberIn } from "./json.ts";
import { type Topology, verticesAfter } from "./topology.ts";

/** How a subtask spends its time, each between 0 and 1; undefined if it was not measured. */
export interface SubtaskPressure {
  readonly subtaskIndex: number;
  readonly busyRatio: number | undefined;
  readonly backpressuredRatio: number | undefined;
  readonly idleRatio: number | undefined;
}

/** By vertex id, each by subtask index. */
export type Pressures = ReadonlyMap<string, readonly SubtaskPressure[]>;

/** Why a subtask is slow, as far as its time shows it. */
export type PressureCause =
  /** It is busy while its siblings are not: if it is fed by key, its keys are hot. */
  | {
      readonly kind: "skewed";
      readonly busyRatio: number;
      readonly siblingBusyRatio: number;
      readonly isKeyed: boolean;
    }
  | { readonly kind: "busy"; readonly busyRatio: number }
  /** It cannot emit, because a vertex after it is busy. */
  | {
      readonly kind: "blocked";
      readonly byVertexId: string;
      readonly bySubtaskIndexes: readonly number[];
      readonly busyRatio: number;
    };

export const BUSY_RATIO = 0.7;
export const BACKPRESSURED_RATIO = 0.3;

/** Reads the answer of `/vertices/:vertexid/backpressure`. The ratio of a legacy source can be `"NaN"`. */
export function pressuresOf(answer: unknown): readonly SubtaskPressure[] {
  if (field(answer, "status") === "deprecated" && listIn(answer, "subtasks").length === 0)
    return [];
  return listIn(answer, "subtasks")
    .map((subtask) => ({
      subtaskIndex: numberIn(subtask, "subtask") ?? 0,
      busyRatio: numberIn(subtask, "busyRatio"),
      backpressuredRatio: numberIn(subtask, "ratio"),
      idleRatio: numberIn(subtask, "idleRatio"),
    }))
    .toSorted((left, right) => left.subtaskIndex - right.subtaskIndex);
}

/** The greatest of one ratio over the subtasks of a vertex. */
export function greatestRatio(
  subtasks: readonly SubtaskPressure[] | undefined,
  ratio: (subtask: SubtaskPressure) => number | undefined,
): number | undefined {
  const ratios = (subtasks ?? []).map(ratio).filter((value) => value !== undefined);
  return ratios.length === 0 ? undefined : Math.max(...ratios);
}

/** Explains the slowness of subtasks of one vertex from what all subtasks do at the moment. */
export function pressureCauseOf(
  places: readonly SubtaskPlace[],
  topology: Topology,
  pressures: Pressures,
): PressureCause | undefined {
  const vertexId = places[0]?.vertexId;
  if (vertexId === undefined) return undefined;
  const indexes = new Set(places.map(({ subtaskIndex }) => subtaskIndex));
  const subtasks = pressures.get(vertexId) ?? [];
  const own = subtasks.filter(({ subtaskIndex }) => indexes.has(subtaskIndex));
  const busyRatio = greatestRatio(own, (subtask) => subtask.busyRatio) ?? 0;
  if (busyRatio >= BUSY_RATIO) {
    const siblings = subtasks.filter(({ subtaskIndex }) => !indexes.has(subtaskIndex));
    const siblingBusyRatio = median(siblings.map((sibling) => sibling.busyRatio ?? 0));
    return siblingBusyRatio !== undefined && siblingBusyRatio <= busyRatio / 2
      ? { kind: "skewed", busyRatio, siblingBusyRatio, isKeyed: isKeyed(topology, vertexId) }
      : { kind: "busy", busyRatio };
  }
  const backpressured = greatestRatio(own, (subtask) => subtask.backpressuredRatio) ?? 0;
  return backpressured >= BACKPRESSURED_RATIO
    ? blockerAfter(vertexId, topology, pressures)
    : undefined;
}

/** In a history the edges are not known: then it may be. */
function isKeyed(topology: Topology, vertexId: string): boolean {
  const inputs = topology.find((vertex) => vertex.vertexId === vertexId)?.inputs;
  return inputs?.some(({ shipStrategy }) => shipStrategy === "HASH") ?? true;
}

function blockerAfter(
  vertexId: string,
  topology: Topology,
  pressures: Pressures,
): PressureCause | undefined {
  for (const { vertexId: byVertexId } of verticesAfter(topology, vertexId)) {
    const busy = (pressures.get(byVertexId) ?? []).filter(
      (subtask) => (subtask.busyRatio ?? 0) >= BUSY_RATIO,
    );
    const busyRatio = greatestRatio(busy, (subtask) => subtask.busyRatio);
    if (busyRatio === undefined) continue;
    const bySubtaskIndexes = busy.map(({ subtaskIndex }) => subtaskIndex);
    return { kind: "blocked", byVertexId, bySubtaskIndexes, busyRatio };
  }
  return undefined;
}

/** The middle value, of two the lower; undefined of none. */
export function median(values: readonly number[]): number | undefined {
  return values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) / 2)];
}
