import { consumersOfProducer, type Partitioner, producersOfConsumer } from "../../graph/index.ts";

/**
 * Which subtasks an edge connects.
 *
 * @remarks
 * Forward and rescale are pointwise: each upstream subtask has a contiguous share of the subtasks downstream, or the other way
 * round. All others connect each with each.
 */

/** The downstream subtasks that an upstream one sends to, in channel order. */
export function channelTargets(
  partitioner: Partitioner,
  upstreamSubtask: number,
  upstreamParallelism: number,
  downstreamParallelism: number,
): readonly number[] {
  return subtasksOf(
    isPointwise(partitioner)
      ? consumersOfProducer(upstreamSubtask, upstreamParallelism, downstreamParallelism)
      : { first: 0, end: downstreamParallelism },
  );
}

/** The upstream subtasks that a downstream one receives from, in channel order. */
export function channelSources(
  partitioner: Partitioner,
  downstreamSubtask: number,
  upstreamParallelism: number,
  downstreamParallelism: number,
): readonly number[] {
  return subtasksOf(
    isPointwise(partitioner)
      ? producersOfConsumer(downstreamSubtask, upstreamParallelism, downstreamParallelism)
      : { first: 0, end: upstreamParallelism },
  );
}

/** Whether a subtask is connected with only some of the other side. */
export function isPointwise(partitioner: Partitioner): boolean {
  return partitioner.kind === "forward" || partitioner.kind === "rescale";
}

function subtasksOf(range: { readonly first: number; readonly end: number }): readonly number[] {
  return Array.from({ length: range.end - range.first }, (_, index) => range.first + index);
}
