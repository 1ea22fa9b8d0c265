import { present, StreamError } from "../base/index.ts";
import { isChainable } from "./chaining.ts";
import { murmur3Hash128 } from "./murmur3-128.ts";
import type { StreamGraph, StreamNode } from "./stream-graph.ts";

/** The operator id of a uid: 32 hex digits, Flink's own. */
export function operatorIdOfUid(uid: string): string {
  return toHex(murmur3Hash128(new TextEncoder().encode(uid)));
}

/** The id of a job by its name: 32 hex digits, the same for every run, so that its directory is stable. */
export function jobIdOfName(name: string): string {
  return operatorIdOfUid(`cutwater job ${name}`);
}

/**
 * The id of every node: made of its uid, or else of its place in the graph.
 *
 * @remarks
 * An id made of the place changes with the operators before it, with their order and with what chains to it; that is why
 * whatever keeps state should have a uid.
 *
 * @throws StreamError DUPLICATE_UID if two operators have the same uid.
 *
 * Source: Flink `StreamGraphHasherV2`.
 */
export function operatorIdsOf(graph: StreamGraph): ReadonlyMap<StreamNode, string> {
  checkUids(graph);
  const sources = graph.nodes
    .filter((node) => node.inEdges.length === 0)
    .toSorted((a, b) => a.id - b.id);
  const hashes = new Map<StreamNode, Uint8Array>();
  const visited = new Set<StreamNode>(sources);
  const remaining = [...sources];
  for (let node = remaining.shift(); node !== undefined; node = remaining.shift()) {
    const hash = hashOf(node, hashes, graph);
    if (hash === undefined) {
      // An input has no hash yet: the node comes again through that input.
      visited.delete(node);
      continue;
    }
    hashes.set(node, hash);
    for (const { target } of node.outEdges) {
      if (visited.has(target)) continue;
      visited.add(target);
      remaining.push(target);
    }
  }
  return new Map(
    graph.nodes.map((node) => [
      node,
      toHex(present(hashes.get(node), "every node is reached from a source")),
    ]),
  );
}

function checkUids(graph: StreamGraph): void {
  const owners = new Map<string, string>();
  for (const { name, transformation } of graph.nodes) {
    const { uid } = transformation.settings;
    if (uid === undefined) continue;
    const other = owners.get(uid);
    if (other !== undefined)
      throw new StreamError("DUPLICATE_UID", { uid, operators: [other, name] });
    owners.set(uid, name);
  }
}

function hashOf(
  node: StreamNode,
  hashes: ReadonlyMap<StreamNode, Uint8Array>,
  graph: StreamGraph,
): Uint8Array | undefined {
  const { uid } = node.transformation.settings;
  if (uid !== undefined) return murmur3Hash128(new TextEncoder().encode(uid));
  const inputs = node.inEdges.map((edge) => hashes.get(edge.source));
  const chainedCount = node.outEdges.filter((edge) => isChainable(edge, graph)).length;
  const local = new DataView(new ArrayBuffer(4 * (1 + chainedCount)));
  for (let at = 0; at < local.byteLength; at += 4) local.setInt32(at, hashes.size, true);
  const hash = murmur3Hash128(new Uint8Array(local.buffer));
  for (const input of inputs) {
    if (input === undefined) return undefined;
    for (const [j, byte] of input.entries()) hash[j] = Math.imul(hash[j] ?? 0, 37) ^ byte;
  }
  return hash;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
