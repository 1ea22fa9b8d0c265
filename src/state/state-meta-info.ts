import {
  type ByteReader,
  ByteWriter,
  MalformedBytesError,
  readUtf,
  writeUtf,
} from "../base/index.ts";
import {
  compareBytes,
  readSerializerSnapshot,
  type SerializerSnapshot,
  writeSerializerSnapshot,
} from "../serde/index.ts";

/**
 * What a state file says of each state in it: name, kind, options, serializers.
 *
 * Source: Flink `StateMetaInfoSnapshotReadersWriters`.
 */

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

/** A meta info as bytes of its own. */
export function metaInfoBytes(meta: StateMetaInfo): Uint8Array {
  const out = new ByteWriter();
  writeMetaInfo(meta, out);
  return out.toBytes();
}

/** Whether the bytes of the one are the bytes of the other. */
export function sameMetaInfo(a: StateMetaInfo, b: StateMetaInfo): boolean {
  return compareBytes(metaInfoBytes(a), metaInfoBytes(b)) === 0;
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
