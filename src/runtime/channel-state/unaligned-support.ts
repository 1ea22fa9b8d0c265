import type { Partitioner } from "../../graph/index.ts";

/**
 * Whether barriers may overtake records on an edge.
 *
 * @remarks
 * Not on pointwise and broadcast edges, whose records could not be dealt to another parallelism, and not behind a user's own partitioner,
 * whose choice is not known to stay. There a barrier of an unaligned checkpoint waits its turn.
 * Source: Flink `StreamingJobGraphGenerator`, `StreamEdge.supportsUnalignedCheckpoints`.
 */
export function supportsUnaligned({ kind }: Partitioner): boolean {
  switch (kind) {
    case "hash":
    case "rebalance":
    case "shuffle":
    case "global":
      return true;
    case "forward":
    case "rescale":
    case "broadcast":
    case "custom":
      return false;
  }
}
