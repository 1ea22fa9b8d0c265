import { ByteWriter } from "../../base/index.ts";
import type { ChannelStateHandle, ChannelStateOffsets } from "../../state/index.ts";
import type { MetadataVersion } from "./checkpoint-metadata.ts";
import { decodePresentStreamHandle } from "./handle-decoder.ts";
import { encodeStreamHandle } from "./handle-encoder.ts";
import { CHANNEL_TAG } from "./handle-tags.ts";
import type { MetadataInput } from "./metadata-input.ts";

/** Which of the two lists of a subtask a handle stands in. */
export type ChannelSide = "input" | "output";

/** Least bytes of a channel's entry: two indexes, a size, a count. */
const CHANNEL_ENTRY_BYTES = 20;

/** The channel state handles of one side of a subtask. */
export function decodeChannelStates(
  input: MetadataInput,
  version: MetadataVersion,
  side: ChannelSide,
): readonly ChannelStateHandle[] {
  return input.list(17, `number of ${side} channel states`, () => {
    if (version < 6) return decodeSingle(input, side);
    const kind = input.byte(`kind of ${side} channel state`);
    if (kind === CHANNEL_TAG[side].single) return decodeSingle(input, side);
    if (kind === CHANNEL_TAG[side].merged) return decodeMerged(input, side);
    const { single, merged } = CHANNEL_TAG[side];
    return input.fail(
      `expected a kind of ${side} channel state (${single} or ${merged}), found ${kind}`,
      1,
    );
  });
}

function decodeSingle(input: MetadataInput, side: ChannelSide): ChannelStateHandle {
  const subtaskIndex = input.int(`subtask index of ${side} channel state`);
  const info = decodeInfo(input, side);
  const offsets = input.offsets(`offsets of ${side} channel state`);
  const sizeBytes = input.long(`size of ${side} channel state`);
  const stream = decodePresentStreamHandle(input, `${side} channel state stream`);
  return { kind: "single", subtaskIndex, channel: { info, sizeBytes, offsets }, stream };
}

function decodeMerged(input: MetadataInput, side: ChannelSide): ChannelStateHandle {
  const subtaskIndex = input.int(`subtask index of ${side} channel state`);
  const sizeBytes = input.long(`size of ${side} channel state`);
  const stream = decodePresentStreamHandle(input, `${side} channel state stream`);
  const length = input.count(1, `length of ${side} channel offsets`);
  const end = input.position + length;
  const channels = input.list(CHANNEL_ENTRY_BYTES, `number of ${side} channels`, () => {
    const info = decodeInfo(input, side);
    const channelBytes = input.long(`size of ${side} channel state`);
    return {
      info,
      sizeBytes: channelBytes,
      offsets: input.offsets(`offsets of ${side} channel state`),
    };
  });
  if (input.position !== end) {
    input.fail(`expected the end of ${side} channel offsets at byte ${end}`);
  }
  return { kind: "merged", subtaskIndex, sizeBytes, channels, stream };
}

function decodeInfo(input: MetadataInput, side: ChannelSide): ChannelStateOffsets["info"] {
  const [outer, inner] = side === "input" ? ["gate", "channel"] : ["partition", "subpartition"];
  return { outerIndex: input.int(`index of ${outer}`), innerIndex: input.int(`index of ${inner}`) };
}

/** Writes what {@link decodeChannelStates} reads in version 6. */
export function encodeChannelStates(
  handles: readonly ChannelStateHandle[],
  side: ChannelSide,
  out: ByteWriter,
): void {
  out.writeInt(handles.length);
  for (const handle of handles) {
    out.writeByte(CHANNEL_TAG[side][handle.kind]);
    out.writeInt(handle.subtaskIndex);
    if (handle.kind === "single") {
      writeInfo(handle.channel, out);
      writeOffsets(handle.channel, out);
      out.writeLongNumber(handle.channel.sizeBytes);
      encodeStreamHandle(handle.stream, out);
    } else {
      out.writeLongNumber(handle.sizeBytes);
      encodeStreamHandle(handle.stream, out);
      encodeChannels(handle.channels, out);
    }
  }
}

function encodeChannels(channels: readonly ChannelStateOffsets[], out: ByteWriter): void {
  const blob = new ByteWriter();
  blob.writeInt(channels.length);
  for (const channel of channels) {
    writeInfo(channel, blob);
    blob.writeLongNumber(channel.sizeBytes);
    writeOffsets(channel, blob);
  }
  out.writeInt(blob.length);
  out.writeBytes(blob.view());
}

function writeInfo(channel: ChannelStateOffsets, out: ByteWriter): void {
  out.writeInt(channel.info.outerIndex);
  out.writeInt(channel.info.innerIndex);
}

function writeOffsets(channel: ChannelStateOffsets, out: ByteWriter): void {
  out.writeInt(channel.offsets.length);
  for (const offset of channel.offsets) out.writeLongNumber(offset);
}
