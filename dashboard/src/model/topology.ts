import type { SubtaskPlace } from "./subtask-place.ts";
import { field, listIn, numberIn, textIn } from "./json.ts";

export interface TopologyInput {
  readonly vertexId: string;
  readonly shipStrategy: string;
}

export interface TopologyVertex {
  readonly vertexId: string;
  readonly name: string;
  readonly parallelism: number;
  /** Undefined if the edges are not known, as in a history file: then every vertex before it may feed it. */
  readonly inputs: readonly TopologyInput[] | undefined;
}

/** The vertices of a job, in topological order. */
export type Topology = readonly TopologyVertex[];

/** The topology of a job's detail answer: names come from `vertices`, edges from `plan`. */
export function topologyOf(job: unknown): Topology {
  const nodes = new Map(
    listIn(field(job, "plan"), "nodes").map((node) => [textIn(node, "id") ?? "", node]),
  );
  const vertices = listIn(job, "vertices").map((vertex): TopologyVertex => {
    const vertexId = textIn(vertex, "id") ?? "";
    return {
      vertexId,
      name: textIn(vertex, "name") ?? vertexId,
      parallelism: numberIn(vertex, "parallelism") ?? 1,
      inputs: listIn(nodes.get(vertexId), "inputs").map((input) => ({
        vertexId: textIn(input, "id") ?? "",
        shipStrategy: textIn(input, "ship_strategy") ?? "",
      })),
    };
  });
  return sortTopologically(vertices);
}

/** Sources first; vertices that are ready together keep their order. A cycle, which no job has, is left as it stands. */
export function sortTopologically(vertices: readonly TopologyVertex[]): Topology {
  const sorted: TopologyVertex[] = [];
  const placed = new Set<string>();
  const known = new Set(vertices.map(({ vertexId }) => vertexId));
  let rest = vertices;
  while (rest.length > 0) {
    const ready = rest.filter(({ inputs }) =>
      (inputs ?? []).every(({ vertexId }) => placed.has(vertexId) || !known.has(vertexId)),
    );
    const next = ready.length === 0 ? rest : ready;
    for (const vertex of next) placed.add(vertex.vertexId);
    sorted.push(...next);
    rest = rest.filter(({ vertexId }) => !placed.has(vertexId));
  }
  return sorted;
}

/** The subtasks whose barriers a subtask waits for. */
export function producersOf(topology: Topology, place: SubtaskPlace): readonly SubtaskPlace[] {
  const position = topology.findIndex(({ vertexId }) => vertexId === place.vertexId);
  const vertex = topology[position];
  if (vertex === undefined) return [];
  const inputs =
    vertex.inputs ??
    topology.slice(0, position).map(({ vertexId }) => ({ vertexId, shipStrategy: "" }));
  return inputs.flatMap((input) => {
    const producer = topology.find(({ vertexId }) => vertexId === input.vertexId);
    if (producer === undefined) return [];
    const [first, end] = producerRange(
      input.shipStrategy,
      producer.parallelism,
      vertex.parallelism,
      place.subtaskIndex,
    );
    return Array.from({ length: end - first }, (_, offset) => ({
      vertexId: producer.vertexId,
      subtaskIndex: first + offset,
    }));
  });
}

/** True if every subtask of a vertex waits for the same producers, so that what holds for one holds for all. */
export function isConnectedToAll(topology: Topology, vertexId: string): boolean {
  const inputs = topology.find((vertex) => vertex.vertexId === vertexId)?.inputs;
  return inputs?.every(({ shipStrategy }) => !isPointwise(shipStrategy)) ?? true;
}

/** The vertices that read from a vertex, near ones first, and what reads from these, and so on. */
export function verticesAfter(topology: Topology, vertexId: string): readonly TopologyVertex[] {
  const reached = new Set([vertexId]);
  return topology.filter((vertex) => {
    const isFed = vertex.inputs?.some((input) => reached.has(input.vertexId)) ?? false;
    if (isFed) reached.add(vertex.vertexId);
    return isFed;
  });
}

/** Which producers a consumer reads. Source: Flink `VertexInputInfoComputationUtils`; FORWARD and RESCALE are pointwise. */
function producerRange(
  shipStrategy: string,
  producerCount: number,
  consumerCount: number,
  consumerIndex: number,
): readonly [first: number, end: number] {
  if (!isPointwise(shipStrategy)) return [0, producerCount];
  const first = Math.floor((consumerIndex * producerCount) / consumerCount);
  const end =
    producerCount >= consumerCount
      ? Math.floor(((consumerIndex + 1) * producerCount) / consumerCount)
      : first + 1;
  return [first, end];
}

function isPointwise(shipStrategy: string): boolean {
  return shipStrategy === "FORWARD" || shipStrategy === "RESCALE";
}
