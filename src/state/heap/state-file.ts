import {
  type ByteReader,
  type ByteWriter,
  MalformedBytesError,
  readUtf,
  writeUtf,
} from "../../base/index.ts";
import {
  readSerializerSnapshot,
  type SerializerSnapshot,
  writeSerializerSnapshot,
} from "../../serde/index.ts";

/**
 * The file of keyed state: Flink's heap layout, followed by a trailer of ours that Flink does not look at.
 *
 * @remarks
 * Header, then a section per key group: `i4` key group, then for each state `i2` position in the header, `i4` number of
 * entries, and the entries: namespace, key, value. A timer is one element.
 *
 * The trailer tells what Flink's layout leaves open: the length of each part, so that a state can be passed over without
 * its serializer, and checksums. `i4` format version, `i4` header length, `i4` header checksum, `i4` key groups, for each
 * `i4` checksum and for each state a varint length; then `i4` checksum of all that, `i4` its length, eight bytes of magic.
 *
 * Source: Flink `KeyedBackendSerializationProxy`, `HeapSnapshotStrategy`, `StateMetaInfoSnapshotReadersWriters`.
 */

const HEADER_VERSION = 6;

/** What kind of state a meta info describes; the position is Flink's number. */
export const BACKEND_STATE_TYPES = [
  "KEY_VALUE",
  "OPERATOR",
  "BROADCAST",
  "PRIORITY_QUEUE",
  "KEY_VALUE_V2",
] as const;

export type BackendStateType = (typeof BACKEND_STATE_TYPES)[number];

/** What stands in the header for one state. */
export interface StateMetaInfo {
  readonly name: string;
  readonly type: BackendStateType;
  readonly options: ReadonlyMap<string, string>;
  readonly serializers: ReadonlyMap<string, SerializerSnapshot>;
}

export function writeMetaInfo(meta: StateMetaInfo, out: ByteWriter): void {
  writeUtf(meta.name, out);
  out.writeInt(BACKEND_STATE_TYPES.indexOf(meta.type));
  out.writeInt(meta.options.size);
  for (const [key, value] of meta.options) {
    writeUtf(key, out);
    writeUtf(value, out);
  }
  out.writeInt(meta.serializers.size);
  for (const [key, snapshot] of meta.serializers) {
    writeUtf(key, out);
    writeSerializerSnapshot(snapshot, out);
  }
}

export function readMetaInfo(input: ByteReader): StateMetaInfo {
  const name = readUtf(input);
  const at = input.position;
  const ordinal = input.readInt();
  const type = BACKEND_STATE_TYPES[ordinal];
  if (type === undefined) throw new MalformedBytesError(`A state of unknown type ${ordinal}`, at);
  const options = new Map<string, string>();
  for (let count = readCount(input); count > 0; count--)
    options.set(readUtf(input), readUtf(input));
  const serializers = new Map<string, SerializerSnapshot>();
  for (let count = readCount(input); count > 0; count--) {
    const key = readUtf(input);
    serializers.set(key, readSerializerSnapshot(input));
  }
  return { name, type, options, serializers };
}

/** A number of things that follow, each of at least one byte. */
export function readCount(input: ByteReader): number {
  const at = input.position;
  const count = input.readInt();
  if (count < 0 || count > input.remaining) {
    throw new MalformedBytesError(`${count} entries announced, ${input.remaining} bytes left`, at);
  }
  return count;
}

/** The front of a file of keyed state. */
export interface KeyedHeader {
  readonly compressed: boolean;
  readonly keySerializer: SerializerSnapshot;
  readonly states: readonly StateMetaInfo[];
}

export function writeKeyedHeader(header: KeyedHeader, out: ByteWriter): void {
  out.writeInt(HEADER_VERSION);
  out.writeBoolean(header.compressed);
  writeSerializerSnapshot(header.keySerializer, out);
  out.writeShort(header.states.length);
  for (const meta of header.states) writeMetaInfo(meta, out);
}

export function readKeyedHeader(input: ByteReader): KeyedHeader {
  const at = input.position;
  const version = input.readInt();
  if (version !== HEADER_VERSION)
    throw new MalformedBytesError(`Keyed state of version ${version}`, at);
  const compressed = input.readBoolean();
  const keySerializer = readSerializerSnapshot(input);
  const states: StateMetaInfo[] = [];
  for (let count = input.readShort(); count > 0; count--) states.push(readMetaInfo(input));
  return { compressed, keySerializer, states };
}
