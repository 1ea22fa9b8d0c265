import { present, StreamError } from "../../base/index.ts";
import type { CompletedCheckpoint, OperatorState } from "../../checkpoint/index.ts";
import { type JobEdge, type JobGraph, type JobVertex } from "../../graph/index.ts";
import type { ChannelStateHandle, ChannelStateOffsets } from "../../state/index.ts";
import type { RestoredChannelState } from "./restore-in-flight.ts";

/** In-flight data by vertex id and subtask. A vertex without any is missing. */
export type ChannelStatePlan = ReadonlyMap<string, readonly (readonly RestoredChannelState[])[]>;

/**
 * Decides which subtask restores the in-flight data of which old channel.
 *
 * @remarks
 * At the old parallelism everything goes where it was. Otherwise the partitioner of the edge says: records that any subtask may have
 * (rebalance, shuffle) are dealt by old subtask, in turn; records of a key go to whoever has the key now: every subtask reads, and
 * takes its own. Source: Flink `SubtaskStateMapper`, `StateAssignmentOperation`.
 *
 * @throws StreamError IN_FLIGHT_DATA_NOT_RESCALABLE for edges whose records cannot be dealt anew; IN_FLIGHT_DATA_NOT_RESTORABLE if the job
 * has no such channel any more.
 */
export function planChannelState(graph: JobGraph, from: CompletedCheckpoint): ChannelStatePlan {
  const states = new Map(from.metadata.operatorStates.map((state) => [state.operatorId, state]));
  refuseChained(graph, from.metadata.operatorStates);
  const plan = new Map<string, readonly (readonly RestoredChannelState[])[]>();
  for (const vertex of graph.vertices) {
    const state = stateOfHead(vertex, states);
    if (state === undefined || !hasChannelState(state)) continue;
    const subtasks = Array.from({ length: vertex.parallelism }, (): RestoredChannelState[] => []);
    for (const channel of channelsOf(state, from))
      deal({ graph, states, vertex, state }, channel, subtasks);
    plan.set(vertex.id, subtasks);
  }
  return plan;
}

interface Place {
  readonly graph: JobGraph;
  readonly states: ReadonlyMap<string, OperatorState>;
  readonly vertex: JobVertex;
  readonly state: OperatorState;
}

/** An old channel with data. */
interface OldChannel extends Pick<
  RestoredChannelState,
  "origin" | "stream" | "offsets" | "gateIndex"
> {
  readonly subtaskIndex: number;
  readonly oldChannelIndex: number;
}

function deal(place: Place, channel: OldChannel, subtasks: RestoredChannelState[][]): void {
  const { graph, states, vertex, state } = place;
  const { subtaskIndex, oldChannelIndex, ...data } = channel;
  const edge = graph.edges.filter(({ targetVertexId }) => targetVertexId === vertex.id)[
    channel.gateIndex
  ];
  if (edge === undefined) {
    const problem = `the job has no input ${channel.gateIndex + 1} any more`;
    throw new StreamError("IN_FLIGHT_DATA_NOT_RESTORABLE", { vertex: vertex.name, problem });
  }
  const upstream = sourceOf(graph, edge);
  const oldUpstream = stateOfHead(upstream, states)?.parallelism ?? upstream.parallelism;
  const isRescaled =
    oldUpstream !== upstream.parallelism || state.parallelism !== vertex.parallelism;
  if (!isRescaled) {
    subtasks[subtaskIndex]?.push({
      ...data,
      channelIndex: oldChannelIndex,
      isShared: false,
    });
    return;
  }
  const channelIndex = oldChannelIndex % upstream.parallelism;
  const to = targetsOf(edge, upstream, place, subtaskIndex);
  const isShared = to.length > 1;
  for (const target of to) {
    subtasks[target]?.push({ ...data, channelIndex, isShared });
  }
}

/** The new subtasks that look at an old subtask's data. */
function targetsOf(
  { partitioner }: JobEdge,
  upstream: JobVertex,
  { vertex, state }: Place,
  oldSubtask: number,
): readonly number[] {
  const { parallelism } = vertex;
  switch (partitioner.kind) {
    case "rebalance":
    case "shuffle":
      return [oldSubtask % parallelism];
    case "hash":
    case "custom":
      if (state.parallelism === parallelism) return [oldSubtask];
      return Array.from({ length: parallelism }, (_, index) => index);
    case "global":
      return [0];
    case "forward":
    case "rescale":
    case "broadcast":
      throw new StreamError("IN_FLIGHT_DATA_NOT_RESCALABLE", {
        upstream: upstream.name,
        downstream: vertex.name,
        partitioner: partitioner.kind,
      });
  }
}

function channelsOf(
  state: OperatorState,
  { checkpointId, directory }: CompletedCheckpoint,
): readonly OldChannel[] {
  const origin = { checkpointId, directory };
  return state.subtaskStates.flatMap(({ subtaskIndex, state: { inputChannel } }) =>
    inputChannel.flatMap((handle) =>
      offsetsOf(handle).map(({ info, offsets }) => ({
        origin,
        stream: handle.stream,
        offsets,
        gateIndex: info.outerIndex,
        subtaskIndex,
        oldChannelIndex: info.innerIndex,
      })),
    ),
  );
}

function offsetsOf(handle: ChannelStateHandle): readonly ChannelStateOffsets[] {
  return handle.kind === "single" ? [handle.channel] : handle.channels;
}

/** In-flight data belongs to a channel: an operator that now gets its records by a call has none. */
function refuseChained(graph: JobGraph, states: readonly OperatorState[]): void {
  for (const vertex of graph.vertices) {
    for (const { id, name } of vertex.operators.slice(1)) {
      const state = states.find(({ operatorId }) => operatorId === id);
      if (state === undefined || !hasChannelState(state)) continue;
      const problem = `${name}, which it was in flight to, is now chained to the operator before it`;
      throw new StreamError("IN_FLIGHT_DATA_NOT_RESTORABLE", { vertex: vertex.name, problem });
    }
  }
}

function hasChannelState(state: OperatorState): boolean {
  return state.subtaskStates.some(
    ({ state: { inputChannel, resultSubpartition } }) =>
      inputChannel.length + resultSubpartition.length > 0,
  );
}

function stateOfHead(
  { operators }: JobVertex,
  states: ReadonlyMap<string, OperatorState>,
): OperatorState | undefined {
  const head = operators[0];
  return head === undefined ? undefined : states.get(head.id);
}

function sourceOf(graph: JobGraph, { sourceVertexId }: JobEdge): JobVertex {
  return present(
    graph.vertices.find(({ id }) => id === sourceVertexId),
    "an edge leaves a vertex of the graph",
  );
}
