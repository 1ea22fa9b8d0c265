import type { ByteReader } from "../../base/index.ts";
import { compareBytes } from "../key/canonical-key-bytes.ts";
import { compileCodec } from "../codec/compiled-codec.ts";
import { keyKindName, sameKeyKind } from "../key/key-kind.ts";
import { type Conversion, planConversion } from "./shape-conversion.ts";
import { ShapeSerializer, shapeOf } from "../shape-serializer.ts";
import { shapeOfSnapshot } from "./shape-snapshot.ts";
import { keyKindOf, typeNameOf, type TypeShape } from "../type-shape.ts";
import type {
  SerializerCompatibility,
  SerializerSnapshot,
  TypeSerializer,
} from "../type-serializer.ts";

/**
 * Decides what bytes written under `old` mean for `serializer`.
 *
 * @remarks
 * Migrated are: fields of structs removed, moved, or added with a default or as optional; whole numbers widened
 * (int to long, to double, to bigint; long to double, to bigint); a type made optional or nullable; values and alternatives
 * added to an enumeration or a union. All of it at any depth. Everything else is incompatible, with a reason for each place.
 */
export function resolveCompatibility<T>(
  old: SerializerSnapshot,
  serializer: TypeSerializer<T>,
): SerializerCompatibility<T> {
  if (sameSnapshot(old, serializer.snapshot)) return { kind: "compatible" };
  const oldShape = shapeOfSnapshot(old);
  if (oldShape === undefined) {
    return incompatible(
      `value: was written by ${old.className} (version ${old.version}), is now ${serializer.typeName}`,
    );
  }
  const conversion = planConversion(oldShape, shapeOf(serializer));
  switch (conversion.kind) {
    case "same":
      return { kind: "compatible" };
    case "impossible":
      return { kind: "incompatible", reasons: conversion.reasons };
    case "convert":
      return { kind: "migrate", reader: convertingReader<T>(oldShape, conversion.convert) };
  }
}

/**
 * Decides the same for the serializer of a key.
 *
 * @remarks
 * Keys are not migrated: another form of a key may have another hash, and so another place. Their kind must stay, too: an
 * int, a long and a double of one value hash differently. Source: Flink refuses migration of key serializers.
 */
export function resolveKeyCompatibility<T>(
  old: SerializerSnapshot,
  serializer: TypeSerializer<T>,
): SerializerCompatibility<T> {
  const compatibility = resolveCompatibility(old, serializer);
  if (compatibility.kind === "incompatible") return compatibility;
  const oldShape = shapeOfSnapshot(old);
  if (compatibility.kind === "migrate") {
    const was = oldShape === undefined ? old.className : typeNameOf(oldShape);
    return incompatible(
      `key: was ${was}, is now ${serializer.typeName}; the type of a key cannot change`,
    );
  }
  const wasKind = oldShape === undefined ? serializer.keyKind : keyKindOf(oldShape);
  if (sameKeyKind(wasKind, serializer.keyKind)) return compatibility;
  return incompatible(
    `key: was hashed as ${keyKindName(wasKind)}, is now hashed as ${keyKindName(serializer.keyKind)}`,
  );
}

/** The serializer that a snapshot describes, without the job's code; undefined if a class in it is not known. */
export function serializerFromSnapshot(
  snapshot: SerializerSnapshot,
): TypeSerializer<unknown> | undefined {
  const shape = shapeOfSnapshot(snapshot);
  return shape === undefined ? undefined : new ShapeSerializer<unknown>(shape);
}

function incompatible(reason: string): {
  readonly kind: "incompatible";
  readonly reasons: readonly string[];
} {
  return { kind: "incompatible", reasons: [reason] };
}

function sameSnapshot(a: SerializerSnapshot, b: SerializerSnapshot): boolean {
  return (
    a.className === b.className &&
    a.version === b.version &&
    compareBytes(a.payload, b.payload) === 0
  );
}

function convertingReader<T>(
  oldShape: TypeShape,
  convert: Conversion,
): { read(input: ByteReader): T } {
  const codec = compileCodec(oldShape);
  return { read: (input) => convert(codec.read(input)) as T };
}
