import type { JobEdge } from "../../graph/index.ts";
import type { ChannelReader } from "../exchange/channel.ts";
import type { RecordedChannel } from "./channel-state-codec.ts";

/** One edge into the vertex, with the channels of this subtask. */
export interface InputGate {
  readonly edge: JobEdge;
  readonly readers: readonly ChannelReader[];
}

/** All channels of the task, as channel state names them. */
export function recordedChannels(gates: readonly InputGate[]): readonly RecordedChannel[] {
  return gates.flatMap(({ edge, readers }, gateIndex) =>
    readers.map((_, channelIndex) => ({ gateIndex, channelIndex, type: edge.type })),
  );
}
