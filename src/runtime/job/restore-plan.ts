import { present } from "../../base/index.ts";
import {
  assignRestoredState,
  type CheckpointStorage,
  type CompletedCheckpoint,
  type RestoredVertex,
  type RestoringVertex,
  type StateOrigin,
  type SubtaskRef,
} from "../../checkpoint/index.ts";
import type { JobGraph, JobVertex } from "../../graph/index.ts";
import { type ChannelStatePlan, planChannelState } from "../channel-state/plan-channel-state.ts";
import type { PipelinedRegion, RegionTask } from "../failover/pipelined-regions.ts";
import type { RestoredOperatorState } from "../task/subtask-state.ts";
import type { Deployment, TaskDeployment } from "../slot/task-messages.ts";

/** State by operator id and subtask that the tasks of a job start with. */
export interface RestorePlan {
  readonly from: CompletedCheckpoint;
  readonly vertices: ReadonlyMap<string, RestoredVertex>;
  readonly channelState: ChannelStatePlan;
  /** Operators whose state was dropped, since the job has none of that id. */
  readonly skipped: readonly string[];
}

/**
 * Decides what every task restores.
 *
 * @throws StreamError naming what does not fit between snapshot and job.
 */
export function planRestore(
  graph: JobGraph,
  from: CompletedCheckpoint,
  options: { readonly allowNonRestoredState: boolean },
): RestorePlan {
  const vertices = graph.vertices.map((vertex) => restoringVertex(graph, vertex));
  const decision = assignRestoredState(from.metadata.operatorStates, vertices, options);
  if (decision.kind === "refused") throw decision.error;
  return {
    from,
    vertices: decision.vertices,
    channelState: planChannelState(graph, from),
    skipped: decision.skipped.map((state) => state.operatorName ?? state.operatorId),
  };
}

/** The graph with the number of key groups that the state asks for. */
export function withRestoredMaxParallelism(graph: JobGraph, plan: RestorePlan): JobGraph {
  const vertices = graph.vertices.map((vertex) => ({
    ...vertex,
    maxParallelism: plan.vertices.get(vertex.id)?.maxParallelism ?? vertex.maxParallelism,
  }));
  return { ...graph, vertices };
}

/** What is sent to the slots for one region. `plan` is undefined for a fresh start. */
export function deploymentOf(
  graph: JobGraph,
  region: PipelinedRegion,
  refOf: (task: RegionTask) => SubtaskRef,
  plan: RestorePlan | undefined,
): Deployment {
  return {
    regionIndex: region.index,
    restoredCheckpointId: plan?.from.checkpointId,
    maxParallelism: new Map(graph.vertices.map((vertex) => [vertex.id, vertex.maxParallelism])),
    tasks: region.tasks.map((task) => taskDeployment(refOf(task), task.taskNumber, plan)),
  };
}

function taskDeployment(
  task: SubtaskRef,
  taskNumber: number,
  plan: RestorePlan | undefined,
): TaskDeployment {
  const { vertexId, subtaskIndex } = task;
  const state = new Map<string, RestoredOperatorState>();
  const restored = plan?.vertices.get(vertexId);
  if (plan !== undefined && restored !== undefined) {
    const origin = originOf(plan.from);
    for (const [operatorId, { subtasks }] of restored.operators) {
      const own = present(subtasks[subtaskIndex], "every new subtask is assigned its part");
      const { managedKeyed, managedOperator } = own;
      state.set(operatorId, { origin, managedKeyed, managedOperator });
    }
  }
  return {
    task,
    taskNumber,
    state,
    inFlight: plan?.channelState.get(vertexId)?.[subtaskIndex] ?? [],
    isFinished:
      restored?.isFullyFinished === true || restored?.finishedSubtasks[subtaskIndex] === true,
  };
}

/** State of the enumerators of some vertices' sources, by operator id. @throws StreamError STATE_HANDLE_UNREADABLE. */
export async function readCoordinatorStates(
  plan: RestorePlan,
  storage: CheckpointStorage,
  includes: (vertexId: string) => boolean,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const states = new Map<string, Uint8Array>();
  for (const { vertexId, operators } of plan.vertices.values()) {
    if (!includes(vertexId)) continue;
    for (const { operatorId, coordinatorState } of operators.values()) {
      if (coordinatorState === undefined) continue;
      states.set(operatorId, await storage.readState(coordinatorState, originOf(plan.from)));
    }
  }
  return states;
}

function originOf({ checkpointId, directory }: CompletedCheckpoint): StateOrigin {
  return { checkpointId, directory };
}

function restoringVertex(graph: JobGraph, vertex: JobVertex): RestoringVertex {
  const inputs = graph.edges.filter(({ targetVertexId }) => targetVertexId === vertex.id);
  return {
    vertexId: vertex.id,
    name: vertex.name,
    parallelism: vertex.parallelism,
    maxParallelism: vertex.maxParallelism,
    isMaxParallelismConfigured: vertex.isMaxParallelismConfigured,
    inputVertexIds: inputs.map(({ sourceVertexId }) => sourceVertexId),
    operators: vertex.operators.map(({ id, uid, name }) => ({ operatorId: id, uid, name })),
  };
}
