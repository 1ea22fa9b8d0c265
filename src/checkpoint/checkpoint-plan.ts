import { assert, present } from "../base/index.ts";
import type { SubtaskRef } from "./checkpoint-gateway.ts";

/** What the plan must know of a task. `STARTING` stands for every status before RUNNING, and for none at all. */
export type PlanTaskStatus = "STARTING" | "RUNNING" | "FINISHED";

export interface PlanVertex {
  readonly vertexId: string;
  readonly name: string;
  /** By subtask index. */
  readonly tasks: readonly { readonly status: PlanTaskStatus; readonly attempt: number }[];
  readonly inputs: readonly PlanInput[];
}

/** An edge that leads into a vertex. */
export interface PlanInput {
  readonly sourceVertexId: string;
  /** Which subtasks of the source a subtask reads: from `first` up to, not including, `end`; undefined if it reads all. */
  readonly producersOf:
    | ((subtaskIndex: number) => { readonly first: number; readonly end: number })
    | undefined;
}

/** Which tasks take part in a checkpoint. */
export interface CheckpointPlan {
  /** Tasks that the coordinator triggers: the running ones that have no running task before them. */
  readonly tasksToTrigger: readonly SubtaskRef[];
  /** Tasks whose acknowledgement completes the checkpoint. They are told of its end. */
  readonly tasksToWaitFor: readonly SubtaskRef[];
  /** Tasks that had finished: they are stored as finished. */
  readonly finishedTasks: readonly SubtaskRef[];
  /** Vertices of which every task had finished. */
  readonly fullyFinishedVertexIds: readonly string[];
}

export type PlanDecision =
  | { readonly kind: "plan"; readonly plan: CheckpointPlan }
  | {
      readonly kind: "refuse";
      readonly reason: "NOT_ALL_REQUIRED_TASKS_RUNNING";
      readonly detail: string;
    };

/**
 * Decides which tasks a checkpoint triggers, waits for and stores as finished.
 *
 * @remarks
 * Source: Flink `DefaultCheckpointPlanCalculator`; FLIP-147.
 *
 * @param vertices - In topological order.
 */
export function calculateCheckpointPlan(
  vertices: readonly PlanVertex[],
  options: { readonly jobId: string; readonly checkpointsAfterTasksFinish: boolean },
): PlanDecision {
  const tasks = vertices.flatMap((vertex) =>
    vertex.tasks.map((task, index) => ({ vertex, task, index })),
  );
  const hasFinished = tasks.some(({ task }) => task.status === "FINISHED");
  if (hasFinished && !options.checkpointsAfterTasksFinish) {
    return refuse(
      "Some tasks of the job have already finished and checkpointing with finished tasks is not enabled.",
    );
  }
  const starting = tasks.find(({ task }) => task.status === "STARTING");
  if (starting !== undefined) {
    const name = `${starting.vertex.name} (${starting.index + 1}/${starting.vertex.tasks.length})`;
    return refuse(
      `Checkpoint triggering task ${name} of job ${options.jobId} is not being executed at the moment. Aborting checkpoint.`,
    );
  }
  if (tasks.every(({ task }) => task.status === "FINISHED")) {
    return refuse(
      `No task of job ${options.jobId} is being executed any more. Aborting checkpoint.`,
    );
  }
  return { kind: "plan", plan: planOf(vertices) };
}

function planOf(vertices: readonly PlanVertex[]): CheckpointPlan {
  const byId = new Map(vertices.map((vertex) => [vertex.vertexId, vertex]));
  const tasksToTrigger: SubtaskRef[] = [];
  const tasksToWaitFor: SubtaskRef[] = [];
  const finishedTasks: SubtaskRef[] = [];
  for (const vertex of vertices) {
    for (const [subtaskIndex, { status, attempt }] of vertex.tasks.entries()) {
      const task = { vertexId: vertex.vertexId, subtaskIndex, attempt };
      if (status === "FINISHED") {
        finishedTasks.push(task);
        continue;
      }
      tasksToWaitFor.push(task);
      const isFed = vertex.inputs.some((input) =>
        hasRunningProducer(
          present(byId.get(input.sourceVertexId), "an edge's source is planned"),
          input,
          subtaskIndex,
        ),
      );
      if (!isFed) tasksToTrigger.push(task);
    }
  }
  assert(tasksToTrigger.length > 0, "a job with a running task has one without running input");
  const fullyFinishedVertexIds = vertices
    .filter(({ tasks }) => tasks.every(({ status }) => status === "FINISHED"))
    .map(({ vertexId }) => vertexId);
  return { tasksToTrigger, tasksToWaitFor, finishedTasks, fullyFinishedVertexIds };
}

function hasRunningProducer(source: PlanVertex, input: PlanInput, subtaskIndex: number): boolean {
  const { first, end } = input.producersOf?.(subtaskIndex) ?? {
    first: 0,
    end: source.tasks.length,
  };
  return source.tasks.slice(first, end).some(({ status }) => status === "RUNNING");
}

function refuse(detail: string): PlanDecision {
  return { kind: "refuse", reason: "NOT_ALL_REQUIRED_TASKS_RUNNING", detail };
}
