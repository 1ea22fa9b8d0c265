import type { StreamError } from "../../base/index.ts";
import {
  calculateCheckpointPlan,
  CheckpointCoordinator,
  type CheckpointedVertex,
  type CheckpointObserver,
  type OperatorCoordinatorSnapshot,
  type SubtaskRef,
} from "../../checkpoint/index.ts";
import type { JobGraph } from "../../graph/index.ts";
import type { Execution } from "./execution.ts";
import type { Slots } from "./slots.ts";
import type { JobMasterParameters } from "./job-parameters.ts";

export interface JobCheckpointsParameters {
  readonly job: JobMasterParameters;
  readonly operatorCoordinators: readonly OperatorCoordinatorSnapshot[];
  readonly observers: readonly CheckpointObserver[];
  readonly slots: Slots;
  /** The present attempt. */
  readonly execution: () => Execution;
  readonly fail: (error: StreamError, task: SubtaskRef | undefined) => void;
}

/** A turn takes some milliseconds; one that takes as long as this holds up what is behind it. */
const LONG_TURN_MS = 500;

/** Makes a job's checkpoint coordinator: its plan is of the present attempt, its gateway sends messages to the slots. */
export function createCoordinator(parameters: JobCheckpointsParameters): CheckpointCoordinator {
  const { job, slots, execution, fail } = parameters;
  const { graph, platform, options } = job;
  return new CheckpointCoordinator({
    jobId: graph.jobId,
    platform,
    log: job.log,
    options: options.checkpointing,
    storage: job.storage,
    gateway: {
      triggerCheckpoint: (task, barrier) =>
        slots.send({ kind: "trigger-checkpoint", task, barrier }),
      notifyCheckpointComplete: (task, checkpointId) =>
        slots.send({ kind: "checkpoint-complete", task, checkpointId }),
      notifyCheckpointAborted: (task, checkpointId) =>
        slots.send({ kind: "checkpoint-aborted", task, checkpointId }),
    },
    vertices: checkpointedVertices(graph),
    operatorCoordinators: parameters.operatorCoordinators,
    observers: parameters.observers,
    plan: () =>
      calculateCheckpointPlan(execution().planVertices(), {
        jobId: graph.jobId,
        checkpointsAfterTasksFinish: options.checkpointing.checkpointsAfterTasksFinish,
      }),
    hasFinishedOperators: (task, checkpointId) => execution().endsWith(task, checkpointId),
    longTurns: () =>
      slots
        .workers()
        .flatMap(({ turn }) => (turn !== undefined && turn.forMs >= LONG_TURN_MS ? [turn] : [])),
    // In another turn than the coordinator's own.
    failJob: (error) => platform.soon(() => fail(error, undefined)),
    failTask: (task, error) => platform.soon(() => fail(error, task)),
    restored: job.restored,
    firstCheckpointId: job.firstCheckpointId,
  });
}

/** What checkpoints and logs say of the job's vertices. */
export function checkpointedVertices(graph: JobGraph): readonly CheckpointedVertex[] {
  return graph.vertices.map((vertex) => ({
    vertexId: vertex.id,
    name: vertex.name,
    parallelism: vertex.parallelism,
    maxParallelism: vertex.maxParallelism,
    operators: vertex.operators.map(({ id, uid, name }) => ({ operatorId: id, uid, name })),
    inputs: inputsOf(vertex.id, graph),
  }));
}

/** The edges to a vertex, each once however many outputs of its source it carries. */
function inputsOf(vertexId: string, graph: JobGraph): CheckpointedVertex["inputs"] {
  const inputs = new Map<string, CheckpointedVertex["inputs"][number]>();
  for (const { sourceVertexId, targetVertexId, partitioner } of graph.edges) {
    if (targetVertexId !== vertexId) continue;
    const shipStrategy = partitioner.kind.toUpperCase();
    inputs.set(`${sourceVertexId} ${shipStrategy}`, { vertexId: sourceVertexId, shipStrategy });
  }
  return [...inputs.values()];
}
