import {
  ByteReader,
  ByteWriter,
  isStreamError,
  MalformedBytesError,
  writeUtf,
} from "../../base/index.ts";
import {
  compositeParts,
  compositeSnapshot,
  FLINK_SNAPSHOT_VERSION,
  LIST_SNAPSHOT_CLASS,
  MAP_SNAPSHOT_CLASS,
  readNestedSnapshot,
  TUPLE_SNAPSHOT_CLASS,
  writeNestedSnapshot,
} from "./serializer-snapshot.ts";
import {
  isLeaf,
  type LeafKind,
  MAX_FLINK_TUPLE_FIELDS,
  type StructField,
  type TypeShape,
  type UnionAlternative,
} from "../type-shape.ts";
import type { SerializerSnapshot } from "../type-serializer.ts";

const FLINK_BASE = "org.apache.flink.api.common.typeutils.base.";

/** Flink's class for a simple type whose bytes are Flink's. `timestamp` is a `Long` there. */
const LEAF_CLASSES: { readonly [K in LeafKind]: string } = {
  string: `${FLINK_BASE}StringSerializer$StringSerializerSnapshot`,
  boolean: `${FLINK_BASE}BooleanSerializer$BooleanSerializerSnapshot`,
  int: `${FLINK_BASE}IntSerializer$IntSerializerSnapshot`,
  long: `${FLINK_BASE}LongSerializer$LongSerializerSnapshot`,
  timestamp: `${FLINK_BASE}LongSerializer$LongSerializerSnapshot`,
  double: `${FLINK_BASE}DoubleSerializer$DoubleSerializerSnapshot`,
  bigint: `${FLINK_BASE}BigIntSerializer$BigIntSerializerSnapshot`,
  date: `${FLINK_BASE}DateSerializer$DateSerializerSnapshot`,
  bytes: `${FLINK_BASE}array.BytePrimitiveArraySerializer$BytePrimitiveArraySerializerSnapshot`,
  "void-namespace":
    "org.apache.flink.runtime.state.VoidNamespaceSerializer$VoidNamespaceSerializerSnapshot",
  "time-window":
    "org.apache.flink.streaming.api.windowing.windows.TimeWindow$Serializer$TimeWindowSerializerSnapshot",
  any: "cutwater.AnySnapshot",
};

/** A `Long` read back is a `long`: which of the two it was does not change the bytes. */
const LEAF_BY_CLASS: ReadonlyMap<string, LeafKind> = new Map(
  (Object.keys(LEAF_CLASSES) as LeafKind[])
    .filter((kind) => kind !== "timestamp")
    .map((kind) => [LEAF_CLASSES[kind], kind]),
);

const OWN_CLASSES = {
  enumeration: "cutwater.EnumerationSnapshot",
  set: "cutwater.SetSnapshot",
  optional: "cutwater.OptionalSnapshot",
  nullable: "cutwater.NullableSnapshot",
  tuple: "cutwater.TupleSnapshot",
  struct: "cutwater.StructSnapshot",
  union: "cutwater.UnionSnapshot",
} as const;

const OWN_VERSION = 1;

/** What is stored beside state of this type. */
export function snapshotOfShape(shape: TypeShape): SerializerSnapshot {
  if (isLeaf(shape)) return leafSnapshot(shape.kind);
  switch (shape.kind) {
    case "custom":
      return shape.serializer.snapshot;
    case "array":
      return compositeSnapshot(LIST_SNAPSHOT_CLASS, 1, [snapshotOfShape(shape.element)]);
    case "map":
      return compositeSnapshot(MAP_SNAPSHOT_CLASS, 1, [
        snapshotOfShape(shape.key),
        snapshotOfShape(shape.value),
      ]);
    case "tuple":
      return tupleSnapshot(shape.fields);
    case "enumeration":
      return own(OWN_CLASSES.enumeration, (out) =>
        writeRows(shape.values, out, (value) => out.writeString(value)),
      );
    case "set":
      return own(OWN_CLASSES.set, (out) => writeShape(shape.element, out));
    case "optional":
    case "nullable":
      return own(OWN_CLASSES[shape.kind], (out) => writeShape(shape.of, out));
    case "struct":
      return own(OWN_CLASSES.struct, (out) =>
        writeRows(shape.fields, out, (field) => {
          out.writeString(field.name);
          writeShape(field.shape, out);
        }),
      );
    case "union":
      return own(OWN_CLASSES.union, (out) => {
        out.writeBoolean(shape.discriminator !== undefined);
        if (shape.discriminator !== undefined) out.writeString(shape.discriminator);
        writeRows(shape.alternatives, out, (alternative) => {
          out.writeString(alternative.tag);
          writeShape(alternative.shape, out);
        });
      });
  }
}

function leafSnapshot(kind: LeafKind): SerializerSnapshot {
  const version = kind === "any" ? OWN_VERSION : FLINK_SNAPSHOT_VERSION;
  return { className: LEAF_CLASSES[kind], version, payload: new Uint8Array(0) };
}

function tupleSnapshot(fields: readonly TypeShape[]): SerializerSnapshot {
  if (fields.length === 0 || fields.length > MAX_FLINK_TUPLE_FIELDS) {
    return own(OWN_CLASSES.tuple, (out) =>
      writeRows(fields, out, (field) => writeShape(field, out)),
    );
  }
  const name = new ByteWriter();
  writeUtf(`org.apache.flink.api.java.tuple.Tuple${fields.length}`, name);
  return compositeSnapshot(TUPLE_SNAPSHOT_CLASS, 2, fields.map(snapshotOfShape), name.toBytes());
}

function own(className: string, write: (out: ByteWriter) => void): SerializerSnapshot {
  const out = new ByteWriter();
  write(out);
  return { className, version: OWN_VERSION, payload: out.toBytes() };
}

function writeShape(shape: TypeShape, out: ByteWriter): void {
  writeNestedSnapshot(snapshotOfShape(shape), out);
}

function writeRows<T>(rows: readonly T[], out: ByteWriter, write: (row: T) => void): void {
  out.writeVarint(rows.length);
  rows.forEach(write);
}

/** The shape that a snapshot tells; undefined if it or a part of it is of a class that is not known here. */
export function shapeOfSnapshot(snapshot: SerializerSnapshot): TypeShape | undefined {
  try {
    return parse(snapshot);
  } catch (error) {
    if (error instanceof UnknownPart || isStreamError(error, "SERIALIZER_SNAPSHOT_UNKNOWN"))
      return undefined;
    throw error;
  }
}

/** Leaves the recursion at a part of an unknown class or version. */
class UnknownPart extends Error {}

function parse(snapshot: SerializerSnapshot): TypeShape {
  const leaf = LEAF_BY_CLASS.get(snapshot.className);
  if (leaf !== undefined) return { kind: leaf };
  const parts = compositeParts(snapshot);
  if (parts !== undefined) return parseComposite(snapshot.className, parts.nested.map(parse));
  if (snapshot.version !== OWN_VERSION) throw new UnknownPart();
  return parseOwn(snapshot.className, new ByteReader(snapshot.payload));
}

function parseComposite(className: string, nested: readonly TypeShape[]): TypeShape {
  const [first, second] = nested;
  if (className === TUPLE_SNAPSHOT_CLASS) return { kind: "tuple", fields: nested };
  if (className === LIST_SNAPSHOT_CLASS && first !== undefined)
    return { kind: "array", element: first };
  if (className === MAP_SNAPSHOT_CLASS && first !== undefined && second !== undefined) {
    return { kind: "map", key: first, value: second };
  }
  throw new UnknownPart();
}

function parseOwn(className: string, input: ByteReader): TypeShape {
  switch (className) {
    case OWN_CLASSES.enumeration:
      return { kind: "enumeration", values: readRows(input, () => input.readString()) };
    case OWN_CLASSES.set:
      return { kind: "set", element: readShape(input) };
    case OWN_CLASSES.optional:
      return { kind: "optional", of: readShape(input) };
    case OWN_CLASSES.nullable:
      return { kind: "nullable", of: readShape(input) };
    case OWN_CLASSES.tuple:
      return { kind: "tuple", fields: readRows(input, () => readShape(input)) };
    case OWN_CLASSES.struct:
      return { kind: "struct", fields: readRows(input, () => readField(input)) };
    case OWN_CLASSES.union: {
      const discriminator = input.readBoolean() ? input.readString() : undefined;
      if (discriminator === "__proto__") throw new UnknownPart();
      return {
        kind: "union",
        discriminator,
        alternatives: readRows(input, () => readAlternative(input)),
      };
    }
    default:
      throw new UnknownPart();
  }
}

function readShape(input: ByteReader): TypeShape {
  return parse(readNestedSnapshot(input));
}

function readField(input: ByteReader): StructField {
  const name = input.readString();
  if (name === "__proto__") throw new UnknownPart(); // no declaration has it
  return { name, shape: readShape(input), makeDefault: undefined };
}

function readAlternative(input: ByteReader): UnionAlternative {
  const tag = input.readString();
  return { tag, shape: readShape(input) };
}

function readRows<T>(input: ByteReader, read: () => T): T[] {
  const count = input.readVarint();
  if (count > input.remaining)
    throw new MalformedBytesError(`${count} rows expected`, input.position);
  return Array.from({ length: count }, read);
}
