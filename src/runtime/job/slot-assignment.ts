import type { JobGraph } from "../../graph/index.ts";
import type { SlotOf } from "../exchange/slot-exchange.ts";

/**
 * Slots that the job can make use of: each slot sharing group needs as many as its widest vertex has subtasks.
 *
 * Source: Flink `SlotSharingGroup`.
 */
export function requiredSlots(graph: JobGraph): number {
  return [...groupSizes(graph).values()].reduce((total, size) => total + size, 0);
}

/**
 * Subtask `i` of every vertex runs in slot `i mod slotCount`, so that what is forwarded stays in its slot. The vertices of another slot
 * sharing group begin behind those of the group before.
 */
export function assignSlots(graph: JobGraph, slotCount: number): SlotOf {
  const firstOfGroup = new Map<string, number>();
  let next = 0;
  for (const [group, size] of groupSizes(graph)) {
    firstOfGroup.set(group, next);
    next += size;
  }
  const firstOfVertex = new Map(
    graph.vertices.map(({ id, slotSharingGroup }) => [id, firstOfGroup.get(slotSharingGroup) ?? 0]),
  );
  return (vertexId, subtaskIndex) =>
    ((firstOfVertex.get(vertexId) ?? 0) + subtaskIndex) % slotCount;
}

/** Parallelism of each group's widest vertex, in the order of the graph. */
function groupSizes({ vertices }: JobGraph): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { slotSharingGroup, parallelism } of vertices) {
    sizes.set(slotSharingGroup, Math.max(sizes.get(slotSharingGroup) ?? 0, parallelism));
  }
  return sizes;
}
