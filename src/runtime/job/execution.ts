import { present } from "../../base/index.ts";
import type { PlanInput, PlanTaskStatus, PlanVertex, SubtaskRef } from "../../checkpoint/index.ts";
import { type JobEdge, type JobGraph, producersOfConsumer } from "../../graph/index.ts";
import { vertexOf } from "../task/task-builder.ts";
import { isTerminal, type TaskStatus } from "../task/task-status.ts";

interface ExecutedTask {
  readonly ref: SubtaskRef;
  status: TaskStatus;
  /** Set once all data is processed: a checkpoint of at least this id is the task's last. */
  finalCheckpointMinId: number | undefined;
}

/** One attempt of all tasks of a job: what is known of each. Does nothing by itself. */
export class Execution {
  readonly attempt: number;
  readonly #graph: JobGraph;
  readonly #tasks = new Map<string, ExecutedTask>();

  constructor(graph: JobGraph, attempt: number) {
    this.#graph = graph;
    this.attempt = attempt;
    for (const vertex of graph.vertices) {
      for (let subtaskIndex = 0; subtaskIndex < vertex.parallelism; subtaskIndex++) {
        const ref = { vertexId: vertex.id, subtaskIndex, attempt };
        this.#tasks.set(keyOf(ref), { ref, status: "CREATED", finalCheckpointMinId: undefined });
      }
    }
  }

  get tasks(): readonly SubtaskRef[] {
    return [...this.#tasks.values()].map(({ ref }) => ref);
  }

  get unfinishedTasks(): readonly SubtaskRef[] {
    return [...this.#tasks.values()]
      .filter(({ status }) => !isTerminal(status))
      .map(({ ref }) => ref);
  }

  get isRunning(): boolean {
    return this.#all(({ status }) => status === "RUNNING" || status === "FINISHED");
  }

  get isFinished(): boolean {
    return this.#all(({ status }) => status === "FINISHED");
  }

  get isOver(): boolean {
    return this.#all(({ status }) => isTerminal(status));
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

  /** @returns False if the message is of another attempt. */
  statusChanged(ref: SubtaskRef, status: TaskStatus): boolean {
    if (ref.attempt !== this.attempt) return false;
    this.#task(ref).status = status;
    return true;
  }

  /** Whether the task's part in the checkpoint came after all of its data: it ends once that checkpoint is complete. */
  endsWith(ref: SubtaskRef, checkpointId: number): boolean {
    if (ref.attempt !== this.attempt) return false;
    const { finalCheckpointMinId } = this.#task(ref);
    return finalCheckpointMinId !== undefined && finalCheckpointMinId <= checkpointId;
  }

  endOfDataReached(ref: SubtaskRef, finalCheckpointMinId: number): void {
    if (ref.attempt === this.attempt) this.#task(ref).finalCheckpointMinId = finalCheckpointMinId;
  }

  /** What a checkpoint's plan is made of. */
  planVertices(): readonly PlanVertex[] {
    return this.#graph.vertices.map((vertex): PlanVertex => {
      const inputs = this.#graph.edges.filter(({ targetVertexId }) => targetVertexId === vertex.id);
      return {
        vertexId: vertex.id,
        name: vertex.name,
        tasks: Array.from({ length: vertex.parallelism }, (_, subtaskIndex) => ({
          status: planStatus(
            this.#task({ vertexId: vertex.id, subtaskIndex, attempt: this.attempt }).status,
          ),
          attempt: this.attempt,
        })),
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

  #task(ref: SubtaskRef): ExecutedTask {
    return present(this.#tasks.get(keyOf(ref)), "the task is in the graph");
  }
}

function planStatus(status: TaskStatus): PlanTaskStatus {
  if (status === "RUNNING") return "RUNNING";
  return status === "FINISHED" ? "FINISHED" : "STARTING";
}

function keyOf({ vertexId, subtaskIndex }: SubtaskRef): string {
  return `${vertexId}/${subtaskIndex}`;
}
