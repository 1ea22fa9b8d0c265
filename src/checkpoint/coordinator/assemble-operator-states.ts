import type { TaskStateSnapshot } from "../checkpoint-gateway.ts";
import type { CheckpointPlan } from "../checkpoint-plan.ts";
import { EMPTY_SUBTASK_STATE, type OperatorState, type SubtaskState } from "../operator-state.ts";
import type { CheckpointedVertex } from "./checkpointed-vertex.ts";

/** What the tasks and coordinators of a checkpoint have handed in. */
export interface AcknowledgedStates {
  readonly plan: CheckpointPlan;
  readonly vertices: readonly CheckpointedVertex[];
  /** By vertex id and subtask index. Undefined: acknowledged without state. */
  readonly stateOf: (vertexId: string, subtaskIndex: number) => TaskStateSnapshot | undefined;
  /** Whether a task had processed all of its data when it took its part, and finishes with this checkpoint. */
  readonly hasFinishedOperators: (vertexId: string, subtaskIndex: number) => boolean;
  /** State of operator coordinators by operator id. */
  readonly coordinatorStates: ReadonlyMap<string, Uint8Array>;
}

export type AssembledStates =
  | { readonly kind: "assembled"; readonly operatorStates: readonly OperatorState[] }
  /** Union list state of a vertex of which some subtasks have finished would lose their elements. */
  | { readonly kind: "refused"; readonly detail: string };

/**
 * The operator states of `_metadata`, in the order of the job graph.
 *
 * @remarks
 * A finished subtask is stored as finished, a vertex that has finished wholly as a fully finished operator without state.
 * Source: Flink `DefaultCheckpointPlan.fulfillFinishedTaskStatus`.
 */
export function assembleOperatorStates(acknowledged: AcknowledgedStates): AssembledStates {
  const fullyFinished = new Set(acknowledged.plan.fullyFinishedVertexIds);
  const operatorStates: OperatorState[] = [];
  for (const vertex of acknowledged.vertices) {
    const isFullyFinished = fullyFinished.has(vertex.vertexId);
    for (const operator of vertex.operators) {
      const subtaskStates = isFullyFinished
        ? []
        : subtaskStatesOf(acknowledged, vertex, operator.operatorId);
      const problem = partialEndOf(acknowledged, vertex, subtaskStates);
      if (problem !== undefined && usesUnionState(subtaskStates)) {
        const detail = `The vertex ${vertex.name} (id = ${vertex.vertexId}) has used UnionListState, but part of its tasks ${problem}.`;
        return { kind: "refused", detail };
      }
      operatorStates.push({
        operatorId: operator.operatorId,
        operatorName: operator.name,
        operatorUid: operator.uid,
        parallelism: vertex.parallelism,
        maxParallelism: vertex.maxParallelism,
        coordinatorState: isFullyFinished
          ? undefined
          : coordinatorStateOf(acknowledged, operator.operatorId),
        subtaskStates,
        isFullyFinished,
      });
    }
  }
  return { kind: "assembled", operatorStates };
}

/**
 * What only some of a vertex's tasks have come to; undefined if all are alike.
 *
 * @remarks
 * A task that has finished its operators ends with the next complete checkpoint. If only some ended, no later checkpoint could complete, and
 * the others would wait for one for ever.
 */
function partialEndOf(
  { hasFinishedOperators }: AcknowledgedStates,
  { vertexId, parallelism }: CheckpointedVertex,
  subtaskStates: readonly SubtaskState[],
): string | undefined {
  if (subtaskStates.some(({ isFinished }) => isFinished)) return "are FINISHED";
  let ending = 0;
  for (let subtask = 0; subtask < parallelism; subtask++)
    if (hasFinishedOperators(vertexId, subtask)) ending++;
  return ending > 0 && ending < parallelism ? "has called operators' finish method" : undefined;
}

function subtaskStatesOf(
  { plan, stateOf }: AcknowledgedStates,
  vertex: CheckpointedVertex,
  operatorId: string,
): readonly SubtaskState[] {
  const finished = new Set(
    plan.finishedTasks
      .filter((task) => task.vertexId === vertex.vertexId)
      .map((task) => task.subtaskIndex),
  );
  const states: SubtaskState[] = [];
  for (let subtaskIndex = 0; subtaskIndex < vertex.parallelism; subtaskIndex++) {
    const isFinished = finished.has(subtaskIndex);
    const state = isFinished
      ? EMPTY_SUBTASK_STATE
      : stateOf(vertex.vertexId, subtaskIndex)?.get(operatorId);
    if (state === undefined) continue;
    states.push({ subtaskIndex, isFinished, state, referenceCheckpointId: undefined });
  }
  return states;
}

function coordinatorStateOf(
  { coordinatorStates }: AcknowledgedStates,
  operatorId: string,
): OperatorState["coordinatorState"] {
  const data = coordinatorStates.get(operatorId);
  return data === undefined ? undefined : { kind: "bytes", name: operatorId, data };
}

/** States of the engine itself (watermarks): what a finished subtask kept there is of no use to the others. */
const OWN_STATE_PREFIX = "cutwater.";

function usesUnionState(states: readonly SubtaskState[]): boolean {
  return states.some(({ state }) =>
    state.managedOperator?.states.some(
      ({ name, mode, offsets }) =>
        mode === "UNION" && offsets.length > 0 && !name.startsWith(OWN_STATE_PREFIX),
    ),
  );
}
