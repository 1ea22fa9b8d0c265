import type { JobEdge } from "../../graph/index.ts";
import type { ChannelReader } from "../exchange/channel.ts";
import type { InputChannel } from "../task/task-input.ts";
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

/** All channels of the task, numbered over its logical inputs. */
export function inputChannels(gates: readonly InputGate[]): readonly InputChannel[] {
  const counts = new Map<number, number>();
  return gates.flatMap(({ edge, readers }) =>
    readers.map((reader): InputChannel => {
      const indexInInput = counts.get(edge.targetInput) ?? 0;
      counts.set(edge.targetInput, indexInInput + 1);
      return { reader, inputIndex: edge.targetInput, indexInInput };
    }),
  );
}
