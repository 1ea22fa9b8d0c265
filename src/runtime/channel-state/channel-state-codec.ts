import { ByteReader, ByteWriter, MalformedBytesError } from "../../base/index.ts";
import {
  readSerializerSnapshot,
  type SerializerSnapshot,
  type TypeSerializer,
  writeSerializerSnapshot,
} from "../../serde/index.ts";
import type { ChannelStateOffsets } from "../../state/index.ts";
import type { RecordBatch } from "../exchange/record-batch.ts";

/**
 * In-flight elements as bytes. A stream holds those of all channels of one subtask: version, for each gate its index and the snapshot of
 * the serializer of its records, then pieces of a length and elements. The handle says where each channel's pieces begin.
 *
 * @remarks
 * Of the elements only records and watermarks are kept, and before them the watermark that the channel had at the snapshot (infinite
 * while it was idle): without it a record that was late would be in time after a restore. The end of data is said again by whoever had said it, and a status of idleness
 * of a sender that starts anew would be stale.
 */

/** Source: Flink `ChannelStateSerializerImpl`. */
const VERSION = 0;

/** Source: Flink `StreamElementSerializer`. */
const RECORD = 0;
const WATERMARK = 2;
/** Event time of the channel when the snapshot was taken. Not among Flink's elements. */
const START = 32;

/** One channel of a subtask, as channel state names it. */
export interface RecordedChannel {
  /** Which of the edges into the vertex. */
  readonly gateIndex: number;
  /** Which channel of that edge. */
  readonly channelIndex: number;
  readonly type: TypeSerializer<unknown>;
}

/** The channel state of one subtask, encoded. */
export interface ChannelStateBytes {
  readonly chunks: readonly Uint8Array[];
  readonly channels: readonly ChannelStateOffsets[];
  readonly sizeBytes: number;
}

/** What is read back of a channel. */
export type InFlightElement =
  | { readonly kind: "record"; readonly value: unknown; readonly timestamp: number }
  | { readonly kind: "watermark"; readonly timestamp: number }
  /** Comes first. */
  | { readonly kind: "start"; readonly watermark: number };

/** Collects the in-flight elements of one subtask's channels. */
export class ChannelStateWriter {
  readonly #channels: readonly RecordedChannel[];
  readonly #header: Uint8Array;
  readonly #starts: readonly number[];
  readonly #pieces: { readonly channel: number; readonly bytes: Uint8Array }[] = [];
  readonly #scratch = new ByteWriter();

  /** @param starts - Watermark of each channel now. */
  constructor(channels: readonly RecordedChannel[], starts: readonly number[]) {
    this.#channels = channels;
    this.#starts = [...starts];
    this.#header = headerOf(channels);
  }

  /** Adds the records of a batch from `start` on. @throws StreamError VALUE_NOT_SERIALIZABLE. */
  addRecords(channel: number, batch: RecordBatch, start: number): void {
    const type = this.#typeOf(channel);
    const out = this.#scratch;
    out.reset();
    for (let index = start; index < batch.length; index++) {
      out.writeByte(RECORD);
      out.writeDouble(batch.timestamps[index] as number);
      type.write(batch.values[index], out);
    }
    if (out.length > 0) this.#pieces.push({ channel, bytes: out.toBytes() });
  }

  addWatermark(channel: number, timestamp: number): void {
    this.#pieces.push({ channel, bytes: this.#timed(WATERMARK, timestamp) });
  }

  #timed(tag: number, timestamp: number): Uint8Array {
    const out = this.#scratch;
    out.reset();
    out.writeByte(tag);
    out.writeDouble(timestamp);
    return out.toBytes();
  }

  /** @returns Undefined if nothing was in flight. */
  finish(): ChannelStateBytes | undefined {
    if (this.#pieces.length === 0) return undefined;
    const chunks: Uint8Array[] = [this.#header];
    const found = new Map<number, { sizeBytes: number; offsets: number[] }>();
    let position = this.#header.length;
    const starts = this.#starts.map((watermark, channel) => ({
      channel,
      bytes: this.#timed(START, watermark),
    }));
    for (const { channel, bytes } of [...starts, ...this.#pieces]) {
      const length = new ByteWriter();
      length.writeInt(bytes.length);
      chunks.push(length.toBytes(), bytes);
      const entry = found.get(channel) ?? { sizeBytes: 0, offsets: [] };
      found.set(channel, entry);
      entry.offsets.push(position);
      entry.sizeBytes += bytes.length + 4;
      position += bytes.length + 4;
    }
    const channels = [...found].map(([channel, entry]): ChannelStateOffsets => {
      const { gateIndex, channelIndex } = this.#channels[channel] as RecordedChannel;
      return { info: { outerIndex: gateIndex, innerIndex: channelIndex }, ...entry };
    });
    return { chunks, channels, sizeBytes: position };
  }

  #typeOf(channel: number): TypeSerializer<unknown> {
    return (this.#channels[channel] as RecordedChannel).type;
  }
}

function headerOf(channels: readonly RecordedChannel[]): Uint8Array {
  const types = new Map(channels.map(({ gateIndex, type }) => [gateIndex, type]));
  const out = new ByteWriter();
  out.writeInt(VERSION);
  out.writeInt(types.size);
  for (const [gateIndex, type] of types) {
    out.writeInt(gateIndex);
    writeSerializerSnapshot(type.snapshot, out);
  }
  return out.toBytes();
}

/** Snapshots of the records' serializers in a stream, by gate. @throws MalformedBytesError. */
export function readGateSnapshots(stream: Uint8Array): ReadonlyMap<number, SerializerSnapshot> {
  const input = new ByteReader(stream);
  const version = input.readInt();
  if (version !== VERSION) throw new MalformedBytesError(`Channel state of version ${version}`, 0);
  const count = input.readInt();
  const snapshots = new Map<number, SerializerSnapshot>();
  for (let index = 0; index < count; index++) {
    const gateIndex = input.readInt();
    snapshots.set(gateIndex, readSerializerSnapshot(input));
  }
  return snapshots;
}

/** Reads the elements of one channel. @throws MalformedBytesError. */
export function readElements(
  stream: Uint8Array,
  offsets: readonly number[],
  reader: { read(input: ByteReader): unknown },
): readonly InFlightElement[] {
  const elements: InFlightElement[] = [];
  for (const offset of offsets) {
    const head = new ByteReader(stream, offset);
    const length = head.readInt();
    const end = head.position + length;
    if (length < 0 || end > stream.length)
      throw new MalformedBytesError(`Channel state with a piece of ${length} bytes`, offset);
    const input = new ByteReader(stream, head.position, end);
    while (input.position < end) elements.push(readElement(input, reader));
  }
  return elements;
}

function readElement(
  input: ByteReader,
  reader: { read(input: ByteReader): unknown },
): InFlightElement {
  const at = input.position;
  const tag = input.readByte();
  if (tag !== RECORD && tag !== WATERMARK && tag !== START)
    throw new MalformedBytesError(`An in-flight element of kind ${tag}`, at);
  const timestamp = input.readDouble();
  if (tag === START) return { kind: "start", watermark: timestamp };
  if (tag === WATERMARK) return { kind: "watermark", timestamp };
  return { kind: "record", value: reader.read(input), timestamp };
}
