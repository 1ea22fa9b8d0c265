import { present } from "../../base/index.ts";
import type { JobEdge, JobGraph, JobVertex } from "../../graph/index.ts";
import {
  type ChannelLimits,
  type ChannelReader,
  type ChannelWriter,
  LocalChannel,
} from "./channel.ts";
import { channelSources, channelTargets } from "./channel-targets.ts";

/** The channels of one attempt of a job. */
export interface Exchange {
  /** Channels to the subtasks that this one sends to over the edge, in channel order. */
  writersOf(edge: JobEdge, upstreamSubtask: number): readonly ChannelWriter[];
  /** Channels from the subtasks that this one receives from over the edge, in channel order. */
  readersOf(edge: JobEdge, downstreamSubtask: number): readonly ChannelReader[];
}

/** Records that all open batches of one output may hold together, however many channels it has. */
const OPEN_RECORDS = 4096;
const LARGEST_BATCH = 256;
const SMALLEST_BATCH = 32;
/** Full batches that may wait in a channel. */
const BATCHES_PER_CHANNEL = 4;

/** Smaller batches where an output has many channels. */
export function limitsFor(channelCount: number): ChannelLimits {
  const fair = Math.floor(OPEN_RECORDS / channelCount);
  const batchSize = Math.max(SMALLEST_BATCH, Math.min(LARGEST_BATCH, fair));
  return {
    batchSize,
    capacityRecords: batchSize * BATCHES_PER_CHANNEL,
    capacityBatches: BATCHES_PER_CHANNEL * 4,
    isDirect: channelCount === 1,
  };
}

/** Names a channel among all of a graph; the same in every thread. */
export function channelKey(
  graph: JobGraph,
  edge: JobEdge,
  upstreamSubtask: number,
  downstreamSubtask: number,
): string {
  return `${graph.edges.indexOf(edge)}/${upstreamSubtask}/${downstreamSubtask}`;
}

/** Channels between tasks of one slot, made when the first of the two ends asks. */
export class LocalExchange implements Exchange {
  readonly #graph: JobGraph;
  readonly #limits: (channelCount: number) => ChannelLimits;
  readonly #channels = new Map<string, LocalChannel>();

  constructor(graph: JobGraph, limits: (channelCount: number) => ChannelLimits) {
    this.#graph = graph;
    this.#limits = limits;
  }

  writersOf(edge: JobEdge, upstreamSubtask: number): readonly ChannelWriter[] {
    return this.#targets(edge, upstreamSubtask).map((downstream) =>
      this.channel(edge, upstreamSubtask, downstream),
    );
  }

  readersOf(edge: JobEdge, downstreamSubtask: number): readonly ChannelReader[] {
    const [upstream, downstream] = this.#ends(edge);
    return channelSources(
      edge.partitioner,
      downstreamSubtask,
      upstream.parallelism,
      downstream.parallelism,
    ).map((subtask) => this.channel(edge, subtask, downstreamSubtask));
  }

  #targets(edge: JobEdge, upstreamSubtask: number): readonly number[] {
    const [upstream, downstream] = this.#ends(edge);
    return channelTargets(
      edge.partitioner,
      upstreamSubtask,
      upstream.parallelism,
      downstream.parallelism,
    );
  }

  /** The channel between two subtasks. */
  channel(edge: JobEdge, upstreamSubtask: number, downstreamSubtask: number): LocalChannel {
    const key = channelKey(this.#graph, edge, upstreamSubtask, downstreamSubtask);
    let channel = this.#channels.get(key);
    if (channel === undefined) {
      const limits = this.#limits(this.#targets(edge, upstreamSubtask).length);
      channel = new LocalChannel(limits, edge.partitioner.kind === "hash");
      this.#channels.set(key, channel);
    }
    return channel;
  }

  #ends(edge: JobEdge): readonly [JobVertex, JobVertex] {
    return [this.#vertex(edge.sourceVertexId), this.#vertex(edge.targetVertexId)];
  }

  #vertex(id: string): JobVertex {
    return present(
      this.#graph.vertices.find((vertex) => vertex.id === id),
      "the edge's vertices are in the graph",
    );
  }
}
