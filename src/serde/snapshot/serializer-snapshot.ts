import {
  ByteReader,
  ByteWriter,
  MalformedBytesError,
  readUtf,
  StreamError,
  writeUtf,
} from "../../base/index.ts";
import type { SerializerSnapshot } from "../type-serializer.ts";

/**
 * Snapshots of serializers in Flink's framing: class name, version, payload.
 *
 * @remarks
 * Flink's framing has no length before the payload, so a class that is not known ends the reading. Before the payload of
 * classes of ours stands an int with its length.
 *
 * Source: Flink `TypeSerializerSnapshot.writeVersionedSnapshot`, `NestedSerializersSnapshotDelegate`.
 */

/** Names of our own snapshot classes begin so. */
export const OWN_CLASS_PREFIX = "cutwater.";

/** Version of the framing that Flink calls the proxy's. */
const PROXY_VERSION = 2;

/** Version that Flink gives the snapshots of simple types and of composites. */
export const FLINK_SNAPSHOT_VERSION = 3;

/** Appends a snapshot as it stands beside state: the framing's version, then as {@link writeNestedSnapshot}. */
export function writeSerializerSnapshot(snapshot: SerializerSnapshot, out: ByteWriter): void {
  out.writeInt(PROXY_VERSION);
  writeNestedSnapshot(snapshot, out);
}

/** Appends a snapshot as it stands inside another one. */
export function writeNestedSnapshot(snapshot: SerializerSnapshot, out: ByteWriter): void {
  writeUtf(snapshot.className, out);
  out.writeInt(snapshot.version);
  if (snapshot.className.startsWith(OWN_CLASS_PREFIX)) out.writeInt(snapshot.payload.length);
  out.writeBytes(snapshot.payload);
}

/**
 * Reads what {@link writeSerializerSnapshot} or Flink wrote.
 *
 * @throws StreamError SERIALIZER_SNAPSHOT_UNKNOWN for a class of Flink's, or of a user's, whose payload is not known here.
 * @throws MalformedBytesError if the bytes are no snapshot.
 */
export function readSerializerSnapshot(input: ByteReader): SerializerSnapshot {
  const version = input.readInt();
  if (version !== PROXY_VERSION) {
    throw new MalformedBytesError(
      `Serializer snapshot framing of version ${version}`,
      input.position - 4,
    );
  }
  return readNestedSnapshot(input);
}

/** Reads what {@link writeNestedSnapshot} wrote; throws as {@link readSerializerSnapshot} does. */
export function readNestedSnapshot(input: ByteReader): SerializerSnapshot {
  const className = readUtf(input);
  const version = input.readInt();
  if (className.startsWith(OWN_CLASS_PREFIX)) {
    return { className, version, payload: input.readBytes(input.readInt()).slice() };
  }
  const start = input.position;
  if (COMPOSITE_CLASSES.has(className)) readComposite(className, input);
  else if (!SIMPLE_CLASS.test(className))
    throw new StreamError("SERIALIZER_SNAPSHOT_UNKNOWN", { className });
  const end = input.position;
  input.seek(start);
  return { className, version, payload: input.readBytes(end - start).slice() };
}

/** Flink's classes with an empty payload. */
const SIMPLE_CLASS =
  /^org\.apache\.flink\.(api\.common\.typeutils\.base\.(array\.)?(\w+)Serializer\$\3SerializerSnapshot|runtime\.state\.VoidNamespaceSerializer\$VoidNamespaceSerializerSnapshot|streaming\.api\.windowing\.windows\.(Time|Global)Window\$Serializer\$(Time|Global)WindowSerializerSnapshot)$/;

export const TUPLE_SNAPSHOT_CLASS =
  "org.apache.flink.api.java.typeutils.runtime.TupleSerializerSnapshot";
export const LIST_SNAPSHOT_CLASS =
  "org.apache.flink.api.common.typeutils.base.ListSerializerSnapshot";
export const MAP_SNAPSHOT_CLASS =
  "org.apache.flink.api.common.typeutils.base.MapSerializerSnapshot";
export const TIMER_SNAPSHOT_CLASS =
  "org.apache.flink.streaming.api.operators.TimerSerializerSnapshot";
export const TTL_SNAPSHOT_CLASS =
  "org.apache.flink.runtime.state.ttl.TtlStateFactory$TtlSerializerSnapshot";

/** Flink's classes whose payload is an outer part and nested snapshots. Only the tuple's outer part is not empty. */
const COMPOSITE_CLASSES: ReadonlySet<string> = new Set([
  TUPLE_SNAPSHOT_CLASS,
  LIST_SNAPSHOT_CLASS,
  MAP_SNAPSHOT_CLASS,
  TIMER_SNAPSHOT_CLASS,
  TTL_SNAPSHOT_CLASS,
  "org.apache.flink.api.common.typeutils.base.SetSerializerSnapshot",
  "org.apache.flink.api.java.typeutils.runtime.EitherSerializerSnapshot",
]);

const OUTER_MAGIC = 911_108;
const NESTED_MAGIC = 1_333_245;
const NESTED_VERSION = 1;

/** What a composite snapshot of Flink's holds. */
export interface CompositePayload {
  readonly outerVersion: number;
  readonly outer: Uint8Array;
  readonly nested: readonly SerializerSnapshot[];
}

/** A composite snapshot of Flink's, such as that of timers: `compositeSnapshot(TIMER_SNAPSHOT_CLASS, 2, [key, namespace])`. */
export function compositeSnapshot(
  className: string,
  outerVersion: number,
  nested: readonly SerializerSnapshot[],
  outer: Uint8Array = new Uint8Array(0),
): SerializerSnapshot {
  const out = new ByteWriter();
  out.writeInt(OUTER_MAGIC);
  out.writeInt(outerVersion);
  out.writeBytes(outer);
  out.writeInt(NESTED_MAGIC);
  out.writeInt(NESTED_VERSION);
  out.writeInt(nested.length);
  for (const snapshot of nested) writeNestedSnapshot(snapshot, out);
  return { className, version: FLINK_SNAPSHOT_VERSION, payload: out.toBytes() };
}

/** The parts of a composite snapshot of Flink's; undefined if the class is none. */
export function compositeParts(snapshot: SerializerSnapshot): CompositePayload | undefined {
  if (!COMPOSITE_CLASSES.has(snapshot.className)) return undefined;
  return readComposite(snapshot.className, new ByteReader(snapshot.payload));
}

function readComposite(className: string, input: ByteReader): CompositePayload {
  expectInt(input, OUTER_MAGIC);
  const outerVersion = input.readInt();
  const start = input.position;
  if (className === TUPLE_SNAPSHOT_CLASS) readUtf(input);
  const end = input.position;
  input.seek(start);
  const outer = input.readBytes(end - start).slice();
  expectInt(input, NESTED_MAGIC);
  expectInt(input, NESTED_VERSION);
  const count = input.readInt();
  const nested: SerializerSnapshot[] = [];
  for (let index = 0; index < count; index++) nested.push(readNestedSnapshot(input));
  return { outerVersion, outer, nested };
}

function expectInt(input: ByteReader, expected: number): void {
  const at = input.position;
  const found = input.readInt();
  if (found !== expected)
    throw new MalformedBytesError(
      `${expected} expected in a composite snapshot, found ${found}`,
      at,
    );
}
