import type { SubtaskRef } from "../checkpoint-gateway.ts";
import type { VertexInputRecord } from "../checkpoint-record.ts";

/** What the coordinator must know of a job vertex to write its state down. */
export interface CheckpointedVertex {
  readonly vertexId: string;
  readonly name: string;
  readonly parallelism: number;
  readonly maxParallelism: number;
  readonly operators: readonly {
    readonly operatorId: string;
    readonly uid: string | undefined;
    readonly name: string;
  }[];
  /** The edges that bring it records and barriers; none of a source. */
  readonly inputs: readonly VertexInputRecord[];
}

/** One attempt of one subtask as a key of maps. */
export function taskKey({ vertexId, subtaskIndex, attempt }: SubtaskRef): string {
  return `${vertexId}/${subtaskIndex}#${attempt}`;
}

/** A subtask as Flink's logs name it: `Map (3/4)#0`. */
export function taskName(
  task: SubtaskRef,
  vertices: readonly Pick<CheckpointedVertex, "vertexId" | "name" | "parallelism">[],
): string {
  const vertex = vertices.find(({ vertexId }) => vertexId === task.vertexId);
  const name = vertex?.name ?? task.vertexId;
  const parallelism = vertex?.parallelism ?? "?";
  return `${name} (${task.subtaskIndex + 1}/${parallelism})#${task.attempt}`;
}
