/** One subtask of one vertex. */
export interface SubtaskPlace {
  readonly vertexId: string;
  readonly subtaskIndex: number;
}

export function isSamePlace(left: SubtaskPlace, right: SubtaskPlace): boolean {
  return left.vertexId === right.vertexId && left.subtaskIndex === right.subtaskIndex;
}

/** A key for maps of subtasks. */
export function placeKey({ vertexId, subtaskIndex }: SubtaskPlace): string {
  return `${vertexId}/${subtaskIndex}`;
}
