import type { ByteReader, ByteWriter } from "../../base/index.ts";
import {
  compositeParts,
  compositeSnapshot,
  resolveCompatibility,
  type SerializerSnapshot,
  TTL_SNAPSHOT_CLASS,
  Types,
  type TypeSerializer,
} from "../../serde/index.ts";
import type { StateDescriptor } from "../descriptor.ts";
import { ListFormat } from "../heap/heap-list-state.ts";
import { MapFormat } from "../heap/heap-map-state.ts";
import { PlainFormat, type StoredValueFormat } from "../heap/stored-value.ts";
import { type ElementFormat, readingTtl, ttlElement } from "../ttl/ttl-value.ts";

/** The serializer of a value, of a list's element, of a map's value, or of an accumulator. */
export function elementTypeOf(descriptor: StateDescriptor): TypeSerializer<unknown> {
  switch (descriptor.kind) {
    case "value":
    case "list":
    case "reducing":
      return descriptor.type;
    case "map":
      return descriptor.valueType;
    case "aggregating":
      return descriptor.accumulatorType;
  }
}

/** How a value, an element or an entry's value of a declared state is written. */
export function elementFormatOf(descriptor: StateDescriptor): ElementFormat {
  const type = elementTypeOf(descriptor);
  return descriptor.ttl === undefined ? type : ttlElement(type);
}

/** How a declared state is written. */
export function formatOf(descriptor: StateDescriptor): StoredValueFormat {
  const element = elementFormatOf(descriptor);
  return combine(descriptor, element, descriptor.kind === "map" ? descriptor.keyType : undefined);
}

function combine(
  descriptor: StateDescriptor,
  element: ElementFormat,
  mapKey:
    | { read(input: ByteReader): unknown; write(value: unknown, out: ByteWriter): void }
    | undefined,
): StoredValueFormat {
  switch (descriptor.kind) {
    case "list":
      return new ListFormat(element);
    case "map":
      return new MapFormat(descriptor.keyType.keyKind, mapKey ?? descriptor.keyType, element);
    default:
      return new PlainFormat(element);
  }
}

/** Flink's snapshot of the serializer that {@link formatOf} amounts to. */
export function valueSnapshotOf(descriptor: StateDescriptor): SerializerSnapshot {
  const type = elementTypeOf(descriptor).snapshot;
  const element =
    descriptor.ttl === undefined
      ? type
      : compositeSnapshot(TTL_SNAPSHOT_CLASS, 1, [Types.long().snapshot, type]);
  if (descriptor.kind === "list") return compositeSnapshot(LIST_CLASS, 1, [element]);
  if (descriptor.kind !== "map") return element;
  return compositeSnapshot(MAP_CLASS, 1, [descriptor.keyType.snapshot, element]);
}

const LIST_CLASS = Types.array(Types.long()).snapshot.className;
const MAP_CLASS = Types.map(Types.long(), Types.long()).snapshot.className;

/** How old bytes are read into a declared state, or why they cannot be. */
export type FormatCompatibility =
  | { readonly kind: "readable"; readonly read: (input: ByteReader) => unknown }
  | { readonly kind: "incompatible"; readonly reasons: readonly string[] };

/**
 * Decides how a value written under `old` is read into the declared state.
 *
 * @remarks
 * Time-to-live may be switched on (the restored values are as if written at `nowMs`) and off (their times are forgotten), as in
 * Flink 2.0 and later.
 */
export function resolveFormat(
  old: SerializerSnapshot,
  descriptor: StateDescriptor,
  nowMs: number,
): FormatCompatibility {
  if (descriptor.kind !== "list" && descriptor.kind !== "map")
    return resolveElement(old, descriptor, nowMs, undefined);
  const wantedClass = descriptor.kind === "list" ? LIST_CLASS : MAP_CLASS;
  const nested = old.className === wantedClass ? compositeParts(old)?.nested : undefined;
  const element = descriptor.kind === "list" ? nested?.[0] : nested?.[1];
  if (element === undefined) {
    return {
      kind: "incompatible",
      reasons: [`was written by ${old.className}, is now ${descriptor.kind} state`],
    };
  }
  if (descriptor.kind === "list") return resolveElement(element, descriptor, nowMs, undefined);
  const key = resolveCompatibility(nested?.[0] ?? element, descriptor.keyType);
  if (key.kind === "incompatible")
    return { kind: "incompatible", reasons: key.reasons.map((reason) => `map key ${reason}`) };
  const read = key.kind === "migrate" ? key.reader : descriptor.keyType;
  return resolveElement(element, descriptor, nowMs, {
    read: (input) => read.read(input),
    write: (value, out) => descriptor.keyType.write(value, out),
  });
}

function resolveElement(
  old: SerializerSnapshot,
  descriptor: StateDescriptor,
  nowMs: number,
  mapKey: ElementFormat | undefined,
): FormatCompatibility {
  const type = elementTypeOf(descriptor);
  const hadTtl = old.className === TTL_SNAPSHOT_CLASS;
  const bare = hadTtl ? compositeParts(old)?.nested[1] : old;
  if (bare === undefined)
    return { kind: "incompatible", reasons: [`${old.className} without its parts`] };
  const compatibility = resolveCompatibility(bare, type);
  if (compatibility.kind === "incompatible") return compatibility;
  const reader = compatibility.kind === "migrate" ? compatibility.reader : type;
  const element: ElementFormat = {
    read: readingTtl(reader, hadTtl, descriptor.ttl !== undefined, nowMs),
    write: (value, out) => type.write(value, out),
  };
  const format = combine(descriptor, element, mapKey);
  return { kind: "readable", read: (input) => format.read(input) };
}
