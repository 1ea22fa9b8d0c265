import { assert, present } from "../../base/index.ts";
import type { JobEdge, JobGraph, JobVertex } from "../../graph/index.ts";
import type { ChannelLimits, ChannelReader, ChannelWriter } from "./channel.ts";
import { channelSources, channelTargets } from "./channel-targets.ts";
import { channelKey, type Exchange, LocalExchange } from "./exchange.ts";
import { RingReader, RingWriter } from "./ring/ring-channel.ts";
import { allocateRings, type RingMemory } from "./ring/shared-ring.ts";
import type { RingEndParameters } from "./ring/ring-channel.ts";
import type { SlotPort } from "./ring/slot-port.ts";

/** Which slot runs a subtask. */
export type SlotOf = (vertexId: string, subtaskIndex: number) => number;

/** What connects the slots of one attempt of a region. Plain values: it travels to other threads. */
export interface SlotWiring {
  readonly slotIndex: number;
  readonly slotCount: number;
  /** The slot of each subtask, by vertex id. */
  readonly slots: ReadonlyMap<string, readonly number[]>;
  /** Rings by channel key, of all channels that connect two slots. */
  readonly rings: ReadonlyMap<string, RingMemory>;
}

/** Bytes that the rings of one subtask's output to an edge may hold together. */
const RING_BYTES_PER_OUTPUT = 1 << 20;

const SMALLEST_RING_BYTES = 4096;

/** A power of two, at most `largestBytes` unless that is tiny; less where an output has many channels. */
export function ringCapacityBytes(channelCount: number, largestBytes: number): number {
  let bytes = SMALLEST_RING_BYTES;
  while (bytes * 2 <= largestBytes) bytes *= 2;
  while (bytes > SMALLEST_RING_BYTES && bytes * channelCount > RING_BYTES_PER_OUTPUT) bytes /= 2;
  return bytes;
}

/**
 * Makes the rings of one attempt of a region: one for each channel whose ends lie in different slots.
 *
 * @param isInRegion - Whether a subtask is one of the region's.
 */
export function wireSlots(
  graph: JobGraph,
  slotOf: SlotOf,
  isInRegion: (vertexId: string, subtaskIndex: number) => boolean,
  { slotCount, ringBytes }: { readonly slotCount: number; readonly ringBytes: number },
): readonly SlotWiring[] {
  const rings = new Map<string, RingMemory>();
  for (const edge of graph.edges) {
    const { parallelism } = vertexOf(graph, edge.sourceVertexId);
    const target = vertexOf(graph, edge.targetVertexId);
    const keys: string[] = [];
    let channelCount = 1;
    for (let upstream = 0; upstream < parallelism; upstream++) {
      const targets = channelTargets(edge.partitioner, upstream, parallelism, target.parallelism);
      channelCount = Math.max(channelCount, targets.length);
      if (!isInRegion(edge.sourceVertexId, upstream)) continue;
      const slot = slotOf(edge.sourceVertexId, upstream);
      for (const downstream of targets) {
        if (slotOf(edge.targetVertexId, downstream) !== slot)
          keys.push(channelKey(graph, edge, upstream, downstream));
      }
    }
    const memories = allocateRings(keys.length, ringCapacityBytes(channelCount, ringBytes));
    for (const [index, key] of keys.entries())
      rings.set(key, present(memories[index], "one per key"));
  }
  const slots = new Map(
    graph.vertices.map(({ id, parallelism }) => [
      id,
      Array.from({ length: parallelism }, (_, subtask) => slotOf(id, subtask)),
    ]),
  );
  return Array.from({ length: slotCount }, (_, slotIndex) => ({
    slotIndex,
    slotCount,
    slots,
    rings,
  }));
}

/** The channels of one slot: to its own tasks by reference, to others through rings. */
export class SlotExchange implements Exchange {
  readonly #graph: JobGraph;
  readonly #limits: (channelCount: number) => ChannelLimits;
  readonly #wiring: SlotWiring;
  readonly #port: SlotPort;
  readonly #local: LocalExchange;

  constructor(
    graph: JobGraph,
    limits: (channelCount: number) => ChannelLimits,
    wiring: SlotWiring,
    port: SlotPort,
  ) {
    this.#graph = graph;
    this.#limits = limits;
    this.#wiring = wiring;
    this.#port = port;
    this.#local = new LocalExchange(graph, limits);
  }

  writersOf(edge: JobEdge, upstreamSubtask: number): readonly ChannelWriter[] {
    const targets = this.#targets(edge, upstreamSubtask);
    return targets.map((downstream) => {
      const slot = this.#slotOf(edge.targetVertexId, downstream);
      if (slot === this.#wiring.slotIndex)
        return this.#local.channel(edge, upstreamSubtask, downstream);
      return new RingWriter(this.#ringEnd(edge, upstreamSubtask, downstream, slot));
    });
  }

  readersOf(edge: JobEdge, downstreamSubtask: number): readonly ChannelReader[] {
    const sources = channelSources(
      edge.partitioner,
      downstreamSubtask,
      vertexOf(this.#graph, edge.sourceVertexId).parallelism,
      vertexOf(this.#graph, edge.targetVertexId).parallelism,
    );
    return sources.map((upstream) => {
      const slot = this.#slotOf(edge.sourceVertexId, upstream);
      if (slot === this.#wiring.slotIndex)
        return this.#local.channel(edge, upstream, downstreamSubtask);
      return new RingReader(this.#ringEnd(edge, upstream, downstreamSubtask, slot));
    });
  }

  #ringEnd(
    edge: JobEdge,
    upstream: number,
    downstream: number,
    peerSlot: number,
  ): RingEndParameters {
    const source = vertexOf(this.#graph, edge.sourceVertexId);
    const target = vertexOf(this.#graph, edge.targetVertexId);
    const operator = present(source.operators[edge.sourceOperator], "the edge leaves an operator");
    const key = channelKey(this.#graph, edge, upstream, downstream);
    const { partitioner, type } = edge;
    return {
      memory: present(this.#wiring.rings.get(key), "channels between slots have their rings"),
      codec: {
        type,
        keyType: partitioner.kind === "hash" ? partitioner.keyType : undefined,
        edgeName: `${operator.name} to ${target.name}`,
      },
      limits: this.#limits(this.#targets(edge, upstream).length),
      port: this.#port,
      peerSlot,
    };
  }

  #targets(edge: JobEdge, upstreamSubtask: number): readonly number[] {
    return channelTargets(
      edge.partitioner,
      upstreamSubtask,
      vertexOf(this.#graph, edge.sourceVertexId).parallelism,
      vertexOf(this.#graph, edge.targetVertexId).parallelism,
    );
  }

  #slotOf(vertexId: string, subtaskIndex: number): number {
    const slot = this.#wiring.slots.get(vertexId)?.[subtaskIndex];
    assert(slot !== undefined, "every subtask has its slot");
    return slot;
  }
}

function vertexOf(graph: JobGraph, id: string): JobVertex {
  return present(
    graph.vertices.find((vertex) => vertex.id === id),
    "the edge's vertices are in the graph",
  );
}
