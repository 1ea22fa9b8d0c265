export { canonicalKeyBytes, compareBytes, writeCanonicalKey } from "./key/canonical-key-bytes.ts";
export {
  resolveCompatibility,
  resolveKeyCompatibility,
  serializerFromSnapshot,
} from "./snapshot/compatibility.ts";
export { ColumnSerializer } from "./column-serializer.ts";
export { readCanonicalKey } from "./key/read-canonical-key.ts";
export { bytesHash, keyHash, stringHash } from "./key/key-hash.ts";
export { keyKindName, sameKeyKind } from "./key/key-kind.ts";
export { compareKeys, keyEquals, keyIdentity } from "./key/key-order.ts";
export { locatedError } from "./located-error.ts";
export { SERIALIZER_LAWS, type SerializerLaw } from "./serializer-laws.ts";
export {
  compositeParts,
  compositeSnapshot,
  readNestedSnapshot,
  readSerializerSnapshot,
  TIMER_SNAPSHOT_CLASS,
  TTL_SNAPSHOT_CLASS,
  writeNestedSnapshot,
  writeSerializerSnapshot,
} from "./snapshot/serializer-snapshot.ts";
export {
  issuesText,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  validate,
  type Validation,
  type ValidationIssue,
} from "./standard-schema.ts";
export {
  type DefaultedSerializer,
  type Of,
  type OptionalSerializer,
  type StructOf,
  timeWindow,
  type TypeFactory,
  Types,
  type UnionOf,
  voidNamespace,
} from "./type-factory.ts";
export type {
  KeyKind,
  SerializerCompatibility,
  SerializerSnapshot,
  TypeSerializer,
} from "./type-serializer.ts";
export { describeValue } from "./value-path.ts";
export { shapeOf } from "./shape-serializer.ts";
export type { StructField, TypeShape } from "./type-shape.ts";
export { structFields } from "./struct-fields.ts";
