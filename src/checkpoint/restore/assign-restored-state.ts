import { assert, StreamError } from "../../base/index.ts";
import {
  intersectRanges,
  type KeyedStateHandle,
  keyGroupRangeOf,
  type KeyGroupRange,
  type OperatorStateHandle,
  redistributeOperatorState,
  type StreamStateHandle,
} from "../../state/index.ts";
import type { OperatorState, OperatorSubtaskState, SubtaskState } from "../operator-state.ts";

/** What the restore must know of a vertex of the job that starts. */
export interface RestoringVertex {
  readonly vertexId: string;
  readonly name: string;
  readonly parallelism: number;
  readonly maxParallelism: number;
  /** False: the maximum parallelism was derived, and gives way to that of the state. */
  readonly isMaxParallelismConfigured: boolean;
  /** Vertices that it reads; none for a source. */
  readonly inputVertexIds: readonly string[];
  readonly operators: readonly {
    readonly operatorId: string;
    readonly uid: string | undefined;
    readonly name: string;
  }[];
}

/** What one subtask of one operator restores from: handles of any number of old subtasks. */
export interface RestoredSubtaskState {
  /** Cut to the key groups of the subtask where the format allows it. */
  readonly managedKeyed: readonly KeyedStateHandle[];
  readonly rawKeyed: readonly KeyedStateHandle[];
  /** Each with the partitions meant for this subtask. */
  readonly managedOperator: readonly OperatorStateHandle[];
  readonly rawOperator: readonly OperatorStateHandle[];
}

export interface RestoredOperator {
  readonly operatorId: string;
  readonly coordinatorState: StreamStateHandle | undefined;
  /** By new subtask index. */
  readonly subtasks: readonly RestoredSubtaskState[];
}

export interface RestoredVertex {
  readonly vertexId: string;
  /** The one to run with: the job's own, or that of the state. */
  readonly maxParallelism: number;
  /** The whole vertex had finished: it is not run again. */
  readonly isFullyFinished: boolean;
  /** By new subtask index: true if this subtask of a source had finished. */
  readonly finishedSubtasks: readonly boolean[];
  /** Operators without state in the snapshot are missing. */
  readonly operators: ReadonlyMap<string, RestoredOperator>;
}

export type RestoreDecision =
  | {
      readonly kind: "assigned";
      readonly vertices: ReadonlyMap<string, RestoredVertex>;
      /** State that was dropped because the job has no such operator. */
      readonly skipped: readonly OperatorState[];
    }
  | { readonly kind: "refused"; readonly error: StreamError };

/**
 * Decides which subtask restores what: by operator id, key groups by range, operator state as its mode says.
 *
 * @remarks
 * Pure. Refused are: state of unknown operators, unless it may be dropped; another configured maximum parallelism than the
 * state's; a parallelism above it; a finished vertex behind an unfinished one. In-flight data is not dealt out here: that takes the
 * edges of the job.
 * Source: Flink `StateAssignmentOperation`, `Checkpoints.loadAndValidateCheckpoint`; FLIP-147.
 */
export function assignRestoredState(
  operatorStates: readonly OperatorState[],
  vertices: readonly RestoringVertex[],
  options: { readonly allowNonRestoredState: boolean },
): RestoreDecision {
  const byId = new Map<string, OperatorState>();
  for (const state of operatorStates) {
    if (byId.has(state.operatorId)) {
      const problem = `it has state of operator ${describe(state)} twice`;
      return { kind: "refused", error: new StreamError("SNAPSHOT_INCONSISTENT", { problem }) };
    }
    byId.set(state.operatorId, state);
  }
  const known = new Set(vertices.flatMap(({ operators }) => operators.map((o) => o.operatorId)));
  const unknown = operatorStates.filter((state) => !known.has(state.operatorId) && hasState(state));
  if (unknown.length > 0 && !options.allowNonRestoredState) {
    const operators = unknown.map(describe);
    return { kind: "refused", error: new StreamError("STATE_NOT_MATCHED", { operators }) };
  }
  const error = topologyError(vertices, byId);
  if (error !== undefined) return { kind: "refused", error };

  const restored = new Map<string, RestoredVertex>();
  for (const vertex of vertices) {
    const decided = decideMaxParallelism(vertex, byId);
    if (typeof decided !== "number") return { kind: "refused", error: decided };
    restored.set(vertex.vertexId, restoreVertex(vertex, byId, decided));
  }
  return { kind: "assigned", vertices: restored, skipped: unknown };
}

function restoreVertex(
  vertex: RestoringVertex,
  byId: ReadonlyMap<string, OperatorState>,
  maxParallelism: number,
): RestoredVertex {
  const states = statesOf(vertex, byId);
  const isSource = vertex.inputVertexIds.length === 0;
  return {
    vertexId: vertex.vertexId,
    maxParallelism,
    isFullyFinished: isFullyFinished(vertex, byId),
    finishedSubtasks: Array.from({ length: vertex.parallelism }, (_, index) => {
      const isFinished = (state: OperatorState): boolean =>
        state.parallelism === vertex.parallelism && subtaskOf(state, index)?.isFinished === true;
      return isSource && states.length > 0 && states.every(isFinished);
    }),
    operators: new Map(
      states.map((state) => [
        state.operatorId,
        {
          operatorId: state.operatorId,
          coordinatorState: state.coordinatorState,
          subtasks: restoreSubtasks(state, vertex.parallelism, maxParallelism),
        },
      ]),
    ),
  };
}

function restoreSubtasks(
  state: OperatorState,
  parallelism: number,
  maxParallelism: number,
): readonly RestoredSubtaskState[] {
  const old = Array.from(
    { length: state.parallelism },
    (_, index) => subtaskOf(state, index)?.state,
  );
  const managedOperator = redistributeOperatorState(handlesOf(old, "managedOperator"), parallelism);
  const rawOperator = redistributeOperatorState(handlesOf(old, "rawOperator"), parallelism);
  return Array.from({ length: parallelism }, (_, index): RestoredSubtaskState => {
    const range = keyGroupRangeOf(index, maxParallelism, parallelism);
    return {
      managedKeyed: keyedOf(old, "managedKeyed", range),
      rawKeyed: keyedOf(old, "rawKeyed", range),
      managedOperator: managedOperator[index] ?? [],
      rawOperator: rawOperator[index] ?? [],
    };
  });
}

function handlesOf(
  old: readonly (OperatorSubtaskState | undefined)[],
  field: "managedOperator" | "rawOperator",
): readonly (OperatorStateHandle | undefined)[] {
  return old.map((state) => state?.[field]);
}

function keyedOf(
  old: readonly (OperatorSubtaskState | undefined)[],
  field: "managedKeyed" | "rawKeyed",
  range: KeyGroupRange,
): readonly KeyedStateHandle[] {
  return old.flatMap((state) => {
    const handle = state?.[field];
    const cut = handle === undefined ? undefined : intersectKeyed(handle, range);
    return cut === undefined ? [] : [cut];
  });
}

/** The part of a handle that lies in the range; undefined if none does. Only handles with an offset per key group can be cut. */
function intersectKeyed(
  handle: KeyedStateHandle,
  range: KeyGroupRange,
): KeyedStateHandle | undefined {
  const shared = intersectRanges(handle.range, range);
  if (shared === undefined || handle.kind !== "key-groups") return shared && handle;
  const start = shared.first - handle.range.first;
  const offsets = handle.offsets.slice(start, start + (shared.last - shared.first + 1));
  assert(offsets.length === shared.last - shared.first + 1, "a handle has an offset per key group");
  return { ...handle, range: shared, offsets };
}

/** The maximum parallelism to run with, or why there is none. */
function decideMaxParallelism(
  vertex: RestoringVertex,
  byId: ReadonlyMap<string, OperatorState>,
): number | StreamError {
  const states = statesOf(vertex, byId).filter(hasState);
  const keyed = states.filter(hasKeyedState);
  const derived = (keyed[0] ?? states[0])?.maxParallelism ?? vertex.maxParallelism;
  const maxParallelism = vertex.isMaxParallelismConfigured ? vertex.maxParallelism : derived;
  // A derived one only matters where keys are spread by it.
  const binding = vertex.isMaxParallelismConfigured ? states : keyed;
  const other = binding.find((state) => state.maxParallelism !== maxParallelism);
  if (other !== undefined) {
    return new StreamError("MAX_PARALLELISM_CHANGED", {
      operator: describe(other),
      snapshotMaxParallelism: other.maxParallelism,
      jobMaxParallelism: maxParallelism,
    });
  }
  if (vertex.parallelism <= maxParallelism) return maxParallelism;
  return new StreamError("PARALLELISM_ABOVE_MAXIMUM", {
    vertex: vertex.name,
    parallelism: vertex.parallelism,
    maxParallelism,
  });
}

/** A vertex that has finished must have nothing before it that has not, and no operator in it that has not. */
function topologyError(
  vertices: readonly RestoringVertex[],
  byId: ReadonlyMap<string, OperatorState>,
): StreamError | undefined {
  const finished = new Set(
    vertices.filter((vertex) => isFullyFinished(vertex, byId)).map(({ vertexId }) => vertexId),
  );
  for (const vertex of vertices) {
    const isPartlyFinished =
      !finished.has(vertex.vertexId) &&
      statesOf(vertex, byId).some((state) => state.isFullyFinished);
    if (isPartlyFinished) {
      const problem = "it holds operators that had finished beside others that had not, or are new";
      return new StreamError("FINISHED_OPERATOR_MOVED", { vertex: vertex.name, problem });
    }
    const unfinished = vertex.inputVertexIds.find((vertexId) => !finished.has(vertexId));
    if (finished.has(vertex.vertexId) && unfinished !== undefined) {
      const name = vertices.find(({ vertexId }) => vertexId === unfinished)?.name ?? unfinished;
      const problem = `it had finished, but ${name} before it had not, or is new`;
      return new StreamError("FINISHED_OPERATOR_MOVED", { vertex: vertex.name, problem });
    }
  }
  return undefined;
}

function isFullyFinished(
  vertex: RestoringVertex,
  byId: ReadonlyMap<string, OperatorState>,
): boolean {
  return vertex.operators.every(({ operatorId }) => byId.get(operatorId)?.isFullyFinished === true);
}

function statesOf(
  vertex: RestoringVertex,
  byId: ReadonlyMap<string, OperatorState>,
): readonly OperatorState[] {
  return vertex.operators.flatMap(({ operatorId }) => {
    const state = byId.get(operatorId);
    return state === undefined ? [] : [state];
  });
}

function subtaskOf(state: OperatorState, subtaskIndex: number): SubtaskState | undefined {
  return state.subtaskStates.find((subtask) => subtask.subtaskIndex === subtaskIndex);
}

/** Whether anything would be lost if it were dropped. */
function hasState(state: OperatorState): boolean {
  return (
    state.coordinatorState !== undefined ||
    state.subtaskStates.some((subtask) => holds(subtask.state))
  );
}

function holds(state: OperatorSubtaskState): boolean {
  const { managedOperator, rawOperator, managedKeyed, rawKeyed } = state;
  const handles = [managedOperator, rawOperator, managedKeyed, rawKeyed];
  return (
    handles.some((handle) => handle !== undefined) ||
    state.inputChannel.length + state.resultSubpartition.length > 0
  );
}

function hasKeyedState(state: OperatorState): boolean {
  return state.subtaskStates.some(
    ({ state: { managedKeyed, rawKeyed } }) => managedKeyed !== undefined || rawKeyed !== undefined,
  );
}

/** The most telling names an operator has in the snapshot. */
function describe(state: OperatorState): string {
  const names = [
    state.operatorName === undefined ? undefined : `"${state.operatorName}"`,
    state.operatorUid === undefined ? undefined : `uid ${state.operatorUid}`,
    `id ${state.operatorId}`,
  ];
  return names.filter((name) => name !== undefined).join(", ");
}
