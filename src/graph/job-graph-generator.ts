import { assert, present, StreamError } from "../base/index.ts";
import { defaultMaxParallelism } from "../state/index.ts";
import { isChainable } from "./chaining.ts";
import type { ChainedOperator, JobEdge, JobGraph, JobVertex } from "./job-graph.ts";
import { jobIdOfName, operatorIdsOf } from "./operator-id.ts";
import type { StreamEdge, StreamGraph, StreamNode } from "./stream-graph.ts";

/** A node with its place in a vertex. */
interface Member {
  readonly node: StreamNode;
  /** Index within the chain of the one before it; undefined for the head. */
  readonly chainedTo: number | undefined;
  readonly edge: StreamEdge | undefined;
}

interface Chain {
  readonly head: StreamNode;
  readonly members: readonly Member[];
}

/**
 * Makes the job graph: chains operators into vertices and gives everything its id.
 *
 * @throws StreamError DUPLICATE_UID, or JOB_WITHOUT_OPERATORS if the job does nothing.
 *
 * Source: Flink `StreamingJobGraphGenerator`.
 */
export function generateJobGraph(name: string, graph: StreamGraph): JobGraph {
  if (graph.nodes.length === 0) throw new StreamError("JOB_WITHOUT_OPERATORS", { job: name });
  const ids = operatorIdsOf(graph);
  const chains = sortTopologically(graph, chainsOf(graph));
  const idOf = (node: StreamNode): string => present(ids.get(node), "every node has an id");
  return {
    name,
    jobId: jobIdOfName(name),
    vertices: chains.map((chain) => toVertex(chain, graph, idOf)),
    edges: toEdges(chains, idOf),
  };
}

/** One chain per node that no other can be chained to, in the order of the nodes. */
function chainsOf(graph: StreamGraph): readonly Chain[] {
  return graph.nodes
    .filter((node) => !node.inEdges.some((edge) => isChainable(edge, graph)))
    .map((head) => ({ head, members: membersOf(head, graph) }));
}

/** The chain behind a head, depth first, each node before those chained to it. */
function membersOf(head: StreamNode, graph: StreamGraph): readonly Member[] {
  const members: Member[] = [];
  const pending: Member[] = [{ node: head, chainedTo: undefined, edge: undefined }];
  for (let member = pending.pop(); member !== undefined; member = pending.pop()) {
    const index = members.push(member) - 1;
    const chainable = member.node.outEdges.filter((edge) => isChainable(edge, graph));
    pending.push(
      ...chainable.map((edge) => ({ node: edge.target, chainedTo: index, edge })).toReversed(),
    );
  }
  return members;
}

/** Sources first, then depth first every chain whose inputs are all there. Source: Flink `JobGraph.getVerticesSortedTopologicallyFromSources`. */
function sortTopologically(graph: StreamGraph, chains: readonly Chain[]): readonly Chain[] {
  const chainOf = new Map<StreamNode, Chain>();
  for (const chain of chains) for (const { node } of chain.members) chainOf.set(node, chain);
  assert(chainOf.size === graph.nodes.length, "every node is in exactly one chain");

  const sources = chains.filter((chain) => chain.head.inEdges.length === 0);
  const sorted = new Set(sources);
  const follow = (chain: Chain): void => {
    for (const { node } of chain.members) {
      for (const { target } of node.outEdges) {
        const next = present(chainOf.get(target), "every node is in a chain");
        if (sorted.has(next)) continue;
        const isReady = next.head.inEdges.every(({ source }) =>
          sorted.has(present(chainOf.get(source), "every node is in a chain")),
        );
        if (!isReady) continue;
        sorted.add(next);
        follow(next);
      }
    }
  };
  for (const chain of sources) follow(chain);
  assert(sorted.size === chains.length, "a job has no cycle");
  return [...sorted];
}

function toVertex(
  { head, members }: Chain,
  graph: StreamGraph,
  idOf: (node: StreamNode) => string,
): JobVertex {
  return {
    id: idOf(head),
    name: chainName(head, graph),
    parallelism: head.parallelism,
    maxParallelism: head.configuredMaxParallelism ?? defaultMaxParallelism(head.parallelism),
    isMaxParallelismConfigured: head.configuredMaxParallelism !== undefined,
    slotSharingGroup: head.slotSharingGroup,
    operators: members.map((member) => toOperator(member, idOf)),
  };
}

function toOperator(
  { node, chainedTo, edge }: Member,
  idOf: (node: StreamNode) => string,
): ChainedOperator {
  const { transformation } = node;
  const { settings } = transformation;
  return {
    id: idOf(node),
    alternativeId: settings.uidHash,
    uid: settings.uid,
    name: node.name,
    logic:
      transformation.kind === "source"
        ? { kind: "source", source: transformation.source, watermarks: transformation.watermarks }
        : { kind: "operator", factory: transformation.factory },
    keyType: transformation.kind === "source" ? undefined : transformation.keyType,
    chainedTo,
    chainedTag: edge?.tag,
  };
}

/** `a -> b -> (c, d)`: the chain as Flink names it. */
function chainName(node: StreamNode, graph: StreamGraph): string {
  const next = node.outEdges
    .filter((edge) => isChainable(edge, graph))
    .map((edge) => chainName(edge.target, graph));
  if (next.length === 0) return node.name;
  return `${node.name} -> ${next.length === 1 ? next.join("") : `(${next.join(", ")})`}`;
}

function toEdges(chains: readonly Chain[], idOf: (node: StreamNode) => string): readonly JobEdge[] {
  const places = new Map<StreamNode, { readonly vertexId: string; readonly index: number }>();
  for (const { head, members } of chains) {
    for (const [index, { node }] of members.entries())
      places.set(node, { vertexId: idOf(head), index });
  }
  return chains.flatMap(({ head }) =>
    head.inEdges.map(({ source, targetInput, tag, partitioner, type }) => {
      const place = present(places.get(source), "every node is in a chain");
      return {
        sourceVertexId: place.vertexId,
        sourceOperator: place.index,
        tag,
        targetVertexId: idOf(head),
        targetInput,
        partitioner,
        type,
      };
    }),
  );
}
