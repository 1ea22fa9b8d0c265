import { crc32 } from "node:zlib";
import { ByteReader, type ByteWriter, MalformedBytesError } from "../base/index.ts";
import type { OperatorStatePartitions } from "./state-handle.ts";
import { readMetaInfo, type StateMetaInfo, writeMetaInfo } from "./state-meta-info.ts";

/**
 * The file of operator state: Flink's layout, followed by a trailer of ours that Flink does not look at.
 *
 * @remarks
 * `i4` version, `bool` compressed, `i2` list states and their meta infos, `i2` broadcast states and theirs; then the data, at the
 * offsets in the handle: a list's elements one by one, a broadcast state as `i4` size and its entries.
 *
 * The trailer: `i4` format version, `i4` number of partitions, for each a varint length, in the order of the data; `i4` where the
 * data begin; `i4` checksum of everything before it; `i4` the trailer's length up to here; eight bytes of magic.
 *
 * Source: Flink `OperatorBackendSerializationProxy`, `DefaultOperatorStateBackendSnapshotStrategy`.
 */

const VERSION = 6;
const FIRST_VERSION_WITH_COMPRESSION = 6;
const OLDEST_VERSION = 3;

const TRAILER_VERSION = 1;

/** `CUTWATOP` in ASCII. */
const MAGIC = Uint8Array.of(0x43, 0x55, 0x54, 0x57, 0x41, 0x54, 0x4f, 0x50);

const FOOT_BYTES: number = 4 + MAGIC.length;

/** A file of operator state and what of it is meant for one subtask: a handle whose stream has been read. */
export interface OperatorStateBytes {
  readonly states: readonly OperatorStatePartitions[];
  readonly bytes: Uint8Array;
}

/** The front of a file of operator state. */
export interface OperatorStateHeader {
  /** Whether Flink compressed the data, which cannot be read here. */
  readonly compressed: boolean;
  readonly lists: readonly StateMetaInfo[];
  readonly broadcasts: readonly StateMetaInfo[];
}

export function writeOperatorHeader(header: OperatorStateHeader, out: ByteWriter): void {
  out.writeInt(VERSION);
  out.writeBoolean(header.compressed);
  out.writeShort(header.lists.length);
  for (const meta of header.lists) writeMetaInfo(meta, out);
  out.writeShort(header.broadcasts.length);
  for (const meta of header.broadcasts) writeMetaInfo(meta, out);
}

export function readOperatorHeader(input: ByteReader): OperatorStateHeader {
  const version = input.readInt();
  if (version < OLDEST_VERSION || version > VERSION) {
    throw new MalformedBytesError(`Operator state of version ${version}`, input.position - 4);
  }
  const compressed = version >= FIRST_VERSION_WITH_COMPRESSION && input.readBoolean();
  return { compressed, lists: readMetaInfos(input), broadcasts: readMetaInfos(input) };
}

function readMetaInfos(input: ByteReader): readonly StateMetaInfo[] {
  const metas: StateMetaInfo[] = [];
  for (let count = input.readShort(); count > 0; count--) metas.push(readMetaInfo(input));
  return metas;
}

export function writeOperatorTrailer(
  dataStart: number,
  partitionBytes: readonly number[],
  out: ByteWriter,
): void {
  const start = out.length;
  out.writeInt(TRAILER_VERSION);
  out.writeInt(partitionBytes.length);
  for (const length of partitionBytes) out.writeVarint(length);
  out.writeInt(dataStart);
  out.writeInt(crc32(out.view()) | 0);
  out.writeInt(out.length - start);
  out.writeBytes(MAGIC);
}

/**
 * Where each partition ends, by where it begins.
 *
 * @returns Undefined for a file without trailer: Flink wrote it, or it lost its end.
 * @throws MalformedBytesError if anything in the file is damaged.
 */
export function readPartitionEnds(file: Uint8Array): ReadonlyMap<number, number> | undefined {
  const foot = file.length - FOOT_BYTES;
  if (foot < 0 || !MAGIC.every((byte, index) => file[file.length - MAGIC.length + index] === byte))
    return undefined;
  const length = new ByteReader(file, foot).readInt();
  const start = foot - length;
  if (length < 16 || start < 0)
    throw new MalformedBytesError("The trailer's length is damaged", foot);
  const expected = new ByteReader(file, foot - 4).readInt();
  if ((crc32(file.subarray(0, foot - 4)) | 0) !== expected) {
    throw new MalformedBytesError("The file does not match its checksum", 0);
  }
  const input = new ByteReader(file, start, foot);
  const version = input.readInt();
  if (version !== TRAILER_VERSION)
    throw new MalformedBytesError(`Operator state format ${version}`, start);
  const lengths: number[] = [];
  for (let count = input.readInt(); count > 0; count--) lengths.push(input.readVarint());
  const ends = new Map<number, number>();
  let at = input.readInt();
  for (const partition of lengths) {
    ends.set(at, at + partition);
    at += partition;
  }
  return ends;
}
