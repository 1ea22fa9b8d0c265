import type { StreamEdge, StreamGraph, StreamNode } from "./stream-graph.ts";

/**
 * Whether both ends of the edge run in one task, joined by a direct call.
 *
 * @remarks
 * Only the one input of an operator can be chained: several edges (a union, a second input) meet in the network.
 *
 * Source: Flink `StreamingJobGraphGenerator.isChainable`.
 */
export function isChainable(edge: StreamEdge, { options }: StreamGraph): boolean {
  const { source, target } = edge;
  return (
    options.isChainingEnabled &&
    target.inEdges.length === 1 &&
    edge.partitioner.kind === "forward" &&
    source.slotSharingGroup === target.slotSharingGroup &&
    source.parallelism === target.parallelism &&
    (options.canChainDifferentMaxParallelism ||
      source.configuredMaxParallelism === target.configuredMaxParallelism) &&
    isStrategyChainable(source, target)
  );
}

function isStrategyChainable(source: StreamNode, target: StreamNode): boolean {
  if (source.transformation.settings.chaining === "NEVER") return false;
  switch (target.transformation.settings.chaining) {
    case "ALWAYS":
      return true;
    case "HEAD_WITH_SOURCES":
      return source.transformation.kind === "source";
    case "HEAD":
    case "NEVER":
      return false;
  }
}
