import { type ByteReader, type ByteWriter, MalformedBytesError } from "../../base/index.ts";
import {
  readSerializerSnapshot,
  type SerializerSnapshot,
  writeSerializerSnapshot,
} from "../../serde/index.ts";
import { readMetaInfo, type StateMetaInfo, writeMetaInfo } from "../state-meta-info.ts";

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
