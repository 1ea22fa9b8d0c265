import { present } from "../../base/index.ts";
import type { PlanInput, PlanTaskStatus, PlanVertex, SubtaskRef } from "../../checkpoint/index.ts";
import { type JobEdge, type JobGraph, producersOfConsumer } from "../../graph/index.ts";
import { vertexOf } from "../task/task-builder.ts";
import { isTerminal, type TaskStatus } from "../task/task-status.ts";

/** Of a task before its first attempt, which is number 0. */
const NO_ATTEMPT = -1;

/** A task, whatever its attempt. */
type TaskName = Omit<SubtaskRef, "attempt">;

interface ExecutedTask {
  ref: SubtaskRef;
  status: TaskStatus;
  /** Its slot was told to run it. */
  isDeployed: boolean;
  /** Set once all data is processed: a checkpoint of at least this id is the task's last. */
  finalCheckpointMinId: number | undefined;
}

/** The present attempt of each task of a job: what is known of it. Does nothing by itself. */
export class Execution {
  readonly #graph: JobGraph;
  readonly #tasks = new Map<string, ExecutedTask>();

  constructor(graph: JobGraph) {
    this.#graph = graph;
    for (const vertex of graph.vertices) {
      for (let subtaskIndex = 0; subtaskIndex < vertex.parallelism; subtaskIndex++) {
        const ref = { vertexId: vertex.id, subtaskIndex, attempt: NO_ATTEMPT };
        this.#tasks.set(keyOf(ref), newTask(ref));
      }
    }
  }

  get tasks(): readonly SubtaskRef[] {
    return [...this.#tasks.values()].map(({ ref }) => ref);
  }

  /** What runs, or is about to: tasks that were deployed and have not ended. */
  get livingTasks(): readonly SubtaskRef[] {
    return [...this.#tasks.values()].filter(isLiving).map(({ ref }) => ref);
  }

  get isRunning(): boolean {
    return this.#all(({ status }) => status === "RUNNING" || status === "FINISHED");
  }

  get isFinished(): boolean {
    return this.#all(({ status }) => status === "FINISHED");
  }

  get isOver(): boolean {
    return this.#all((task) => !isLiving(task));
  }

  isLiving(task: TaskName): boolean {
    return isLiving(this.#task(task));
  }

  /** Whether it is the present attempt of its task. */
  isCurrent(ref: SubtaskRef): boolean {
    return ref.attempt === this.#task(ref).ref.attempt;
  }

  /** The present attempt of a task. */
  refOf(task: TaskName): SubtaskRef {
    return this.#task(task).ref;
  }

  refsOf(tasks: readonly TaskName[]): readonly SubtaskRef[] {
    return tasks.map((task) => this.refOf(task));
  }

  /** Begins the next attempt of these tasks. @returns It. */
  begun(tasks: readonly TaskName[]): readonly SubtaskRef[] {
    return tasks.map((name) => {
      const { ref } = this.#task(name);
      const next = { ...ref, attempt: ref.attempt + 1 };
      this.#tasks.set(keyOf(ref), newTask(next));
      return next;
    });
  }

  deployed(tasks: readonly TaskName[]): void {
    for (const task of tasks) this.#task(task).isDeployed = true;
  }

  /** The least id of a checkpoint that is the last for every task; undefined while a task still has data. */
  get finalCheckpointMinId(): number | undefined {
    const open = [...this.#tasks.values()].filter(({ status }) => status !== "FINISHED");
    const ids = open.map(
      ({ finalCheckpointMinId }) => finalCheckpointMinId ?? Number.POSITIVE_INFINITY,
    );
    const highest = Math.max(0, ...ids);
    return highest === Number.POSITIVE_INFINITY ? undefined : highest;
  }

  statusOf(ref: SubtaskRef): TaskStatus {
    return this.#task(ref).status;
  }

  statusChanged(ref: SubtaskRef, status: TaskStatus): void {
    if (this.isCurrent(ref)) this.#task(ref).status = status;
  }

  /** Whether the task's part in the checkpoint came after all of its data: it ends once that checkpoint is complete. */
  endsWith(ref: SubtaskRef, checkpointId: number): boolean {
    if (!this.isCurrent(ref)) return false;
    const { finalCheckpointMinId } = this.#task(ref);
    return finalCheckpointMinId !== undefined && finalCheckpointMinId <= checkpointId;
  }

  endOfDataReached(ref: SubtaskRef, finalCheckpointMinId: number): void {
    if (this.isCurrent(ref)) this.#task(ref).finalCheckpointMinId = finalCheckpointMinId;
  }

  /** What a checkpoint's plan is made of. */
  planVertices(): readonly PlanVertex[] {
    return this.#graph.vertices.map((vertex): PlanVertex => {
      const inputs = this.#graph.edges.filter(({ targetVertexId }) => targetVertexId === vertex.id);
      return {
        vertexId: vertex.id,
        name: vertex.name,
        tasks: Array.from({ length: vertex.parallelism }, (_, subtaskIndex) => {
          const { status, ref } = this.#task({ vertexId: vertex.id, subtaskIndex });
          return { status: planStatus(status), attempt: ref.attempt };
        }),
        inputs: inputs.map((edge) => this.#planInput(edge)),
      };
    });
  }

  #planInput({ sourceVertexId, targetVertexId, partitioner }: JobEdge): PlanInput {
    if (partitioner.kind !== "forward" && partitioner.kind !== "rescale") {
      return { sourceVertexId, producersOf: undefined };
    }
    const source = vertexOf(this.#graph, sourceVertexId);
    const target = vertexOf(this.#graph, targetVertexId);
    return {
      sourceVertexId,
      producersOf: (subtaskIndex) =>
        producersOfConsumer(subtaskIndex, source.parallelism, target.parallelism),
    };
  }

  #all(holds: (task: ExecutedTask) => boolean): boolean {
    return [...this.#tasks.values()].every(holds);
  }

  #task(task: TaskName): ExecutedTask {
    return present(this.#tasks.get(keyOf(task)), "the task is in the graph");
  }
}

function newTask(ref: SubtaskRef): ExecutedTask {
  return { ref, status: "CREATED", isDeployed: false, finalCheckpointMinId: undefined };
}

function isLiving({ isDeployed, status }: ExecutedTask): boolean {
  return isDeployed && !isTerminal(status);
}

function planStatus(status: TaskStatus): PlanTaskStatus {
  if (status === "RUNNING") return "RUNNING";
  return status === "FINISHED" ? "FINISHED" : "STARTING";
}

function keyOf({ vertexId, subtaskIndex }: TaskName): string {
  return `${vertexId}/${subtaskIndex}`;
}
