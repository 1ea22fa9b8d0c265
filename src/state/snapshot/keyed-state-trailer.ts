import { crc32 } from "node:zlib";
import { ByteReader, type ByteWriter, MalformedBytesError } from "../../base/index.ts";

/** What the trailer of a state file tells; the layout is in `keyed-state-file.ts`. */
export interface StateFileTrailer {
  readonly headerBytes: number;
  readonly headerChecksum: number;
  readonly groups: readonly TrailerGroup[];
}

export interface TrailerGroup {
  readonly checksum: number;
  /** Length of each state's part, position and number of entries included. */
  readonly partBytes: readonly number[];
}

/** Grows when the meaning of the bytes before the trailer changes. Files of each version stay readable. */
const FORMAT_VERSION = 1;

/** `CUTWATER` in ASCII. */
const MAGIC = Uint8Array.of(0x43, 0x55, 0x54, 0x57, 0x41, 0x54, 0x45, 0x52);

const FOOT_BYTES: number = 4 + 4 + MAGIC.length;

export function checksum(bytes: Uint8Array, before = 0): number {
  return crc32(bytes, before >>> 0) | 0;
}

export function writeTrailer(trailer: StateFileTrailer, out: ByteWriter): void {
  const start = out.length;
  out.writeInt(FORMAT_VERSION);
  out.writeInt(trailer.headerBytes);
  out.writeInt(trailer.headerChecksum);
  out.writeInt(trailer.groups.length);
  for (const group of trailer.groups) {
    out.writeInt(group.checksum);
    for (const length of group.partBytes) out.writeVarint(length);
  }
  const length = out.length - start;
  out.writeInt(checksum(out.view().subarray(start)));
  out.writeInt(length);
  out.writeBytes(MAGIC);
}

/**
 * Reads the trailer at the end of a file.
 *
 * @param stateCount - How many states the header names.
 * @returns Undefined if the file has none: Flink wrote it, or it lost its end.
 * @throws MalformedBytesError if the trailer is damaged.
 */
export function readTrailer(file: Uint8Array, stateCount: number): StateFileTrailer | undefined {
  const foot = file.length - FOOT_BYTES;
  if (foot < 0 || !MAGIC.every((byte, index) => file[file.length - MAGIC.length + index] === byte))
    return undefined;
  const input = new ByteReader(file, foot);
  const expected = input.readInt();
  const start = foot - input.readInt();
  if (start < 0 || start > foot)
    throw new MalformedBytesError("The trailer's length is damaged", foot + 4);
  if (checksum(file.subarray(start, foot)) !== expected)
    throw new MalformedBytesError("The trailer is damaged", start);
  return readBody(new ByteReader(file, start, foot), stateCount);
}

function readBody(input: ByteReader, stateCount: number): StateFileTrailer {
  const at = input.position;
  const version = input.readInt();
  if (version !== FORMAT_VERSION)
    throw new MalformedBytesError(`State format ${version} is not known`, at);
  const headerBytes = input.readInt();
  const headerChecksum = input.readInt();
  const groups: TrailerGroup[] = [];
  for (let count = input.readInt(); count > 0; count--) {
    const sum = input.readInt();
    const partBytes: number[] = [];
    for (let state = 0; state < stateCount; state++) partBytes.push(input.readVarint());
    groups.push({ checksum: sum, partBytes });
  }
  return { headerBytes, headerChecksum, groups };
}
