import type { KeyKind, TypeSerializer } from "./type-serializer.ts";

/** Types without parts. `void-namespace` and `time-window` are Flink's namespaces of keyed state. */
export type LeafKind =
  | "string"
  | "boolean"
  | "int"
  | "long"
  | "double"
  | "bytes"
  | "date"
  | "timestamp"
  | "bigint"
  | "any"
  | "void-namespace"
  | "time-window";

/**
 * The structure of a type as data. Codec, snapshot, compatibility and names all derive from it, so that a type that
 * was read back from a snapshot is as good as one that was declared.
 */
export type TypeShape =
  | LeafShape
  | { readonly kind: "enumeration"; readonly values: readonly string[] }
  | { readonly kind: "array" | "set"; readonly element: TypeShape }
  | { readonly kind: "map"; readonly key: TypeShape; readonly value: TypeShape }
  | { readonly kind: "optional" | "nullable"; readonly of: TypeShape }
  | { readonly kind: "tuple"; readonly fields: readonly TypeShape[] }
  | StructShape
  | UnionShape
  | { readonly kind: "custom"; readonly serializer: TypeSerializer<unknown> };

/** A type without parts. */
export interface LeafShape {
  readonly kind: LeafKind;
}

/** Whether the type has no parts. */
export function isLeaf(shape: TypeShape): shape is LeafShape {
  return LEAF_KINDS.has(shape.kind);
}

const LEAF_KINDS: ReadonlySet<string> = new Set<LeafKind>([
  "string",
  "boolean",
  "int",
  "long",
  "double",
  "bytes",
  "date",
  "timestamp",
  "bigint",
  "any",
  "void-namespace",
  "time-window",
]);

/** A plain object of declared fields; others that a value has are not kept. */
export interface StructShape {
  readonly kind: "struct";
  readonly fields: readonly StructField[];
}

export interface StructField {
  readonly name: string;
  readonly shape: TypeShape;
  /** A fresh copy of what the field is where old state lacks it; undefined if it has no default. Not part of the bytes. */
  readonly makeDefault: (() => unknown) | undefined;
}

/**
 * One of several types. With a `discriminator` the value's field of that name holds the tag; without, the first
 * alternative that the value fits is taken.
 */
export interface UnionShape {
  readonly kind: "union";
  readonly discriminator: string | undefined;
  readonly alternatives: readonly UnionAlternative[];
}

export interface UnionAlternative {
  readonly tag: string;
  readonly shape: TypeShape;
}

/** The type in words a person reads. */
export function typeNameOf(shape: TypeShape): string {
  if (isLeaf(shape)) return shape.kind;
  switch (shape.kind) {
    case "enumeration":
      return shape.values.map((value) => JSON.stringify(value)).join(" | ");
    case "array":
    case "set":
      return `${shape.kind}<${typeNameOf(shape.element)}>`;
    case "map":
      return `map<${typeNameOf(shape.key)}, ${typeNameOf(shape.value)}>`;
    case "optional":
    case "nullable":
      return `${shape.kind}<${typeNameOf(shape.of)}>`;
    case "tuple":
      return `tuple<${shape.fields.map(typeNameOf).join(", ")}>`;
    case "struct":
      return `struct{${shape.fields.map(fieldName).join(", ")}}`;
    case "union":
      return unionName(shape);
    case "custom":
      return shape.serializer.typeName;
  }
}

function fieldName(field: StructField): string {
  const { shape } = field;
  return shape.kind === "optional"
    ? `${field.name}?: ${typeNameOf(shape.of)}`
    : `${field.name}: ${typeNameOf(shape)}`;
}

function unionName(shape: UnionShape): string {
  if (shape.discriminator === undefined) {
    return `union<${shape.alternatives.map(({ shape: of }) => typeNameOf(of)).join(" | ")}>`;
  }
  const alternatives = shape.alternatives.map(({ tag, shape: of }) => `${tag}: ${typeNameOf(of)}`);
  return `union<${shape.discriminator}>{${alternatives.join(" | ")}}`;
}

/** Most fields that one of Flink's tuple classes has. */
export const MAX_FLINK_TUPLE_FIELDS = 25;

/** How keys of this type are hashed. */
export function keyKindOf(shape: TypeShape): KeyKind {
  if (isLeaf(shape)) return LEAF_KEY_KINDS[shape.kind] ?? "canonical";
  switch (shape.kind) {
    case "enumeration":
      return "string";
    case "tuple": {
      if (shape.fields.length === 0 || shape.fields.length > MAX_FLINK_TUPLE_FIELDS)
        return "canonical";
      const fields = shape.fields.map(keyKindOf);
      return fields.includes("canonical") ? "canonical" : { kind: "tuple", fields };
    }
    case "custom":
      return shape.serializer.keyKind;
    case "array":
    case "set":
    case "map":
    case "optional":
    case "nullable":
    case "struct":
    case "union":
      return "canonical";
  }
}

const LEAF_KEY_KINDS: { readonly [K in LeafKind]?: KeyKind } = {
  string: "string",
  boolean: "boolean",
  int: "int",
  long: "long",
  timestamp: "long",
  double: "double",
};

/** The names of the fields if the type is a struct of numbers alone. */
export function rowFieldsOf(shape: TypeShape): readonly string[] | undefined {
  if (shape.kind === "custom") return shape.serializer.rowFields;
  if (shape.kind !== "struct" || shape.fields.length === 0) return undefined;
  const numeric = shape.fields.every((field) => isNumeric(field.shape));
  return numeric ? shape.fields.map((field) => field.name) : undefined;
}

function isNumeric({ kind }: TypeShape): boolean {
  return kind === "int" || kind === "long" || kind === "double" || kind === "timestamp";
}
