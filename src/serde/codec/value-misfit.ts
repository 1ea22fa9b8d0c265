import { findUndescribable } from "./any-misfit.ts";
import {
  isLeaf,
  type LeafKind,
  type LeafShape,
  type StructShape,
  typeNameOf,
  type TypeShape,
  type UnionShape,
} from "../type-shape.ts";
import { describeValue, propertyPath, type Misfit } from "../value-path.ts";

/** Looks for the part of a value that does not fit the shape. Custom types are not looked into. */
export function findMisfit(shape: TypeShape, value: unknown, path = ""): Misfit | undefined {
  if (isLeaf(shape)) return leafMisfit(shape, value, path);
  switch (shape.kind) {
    case "custom":
      return undefined;
    case "optional":
      return value === undefined ? undefined : findMisfit(shape.of, value, path);
    case "nullable":
      return value === null ? undefined : findMisfit(shape.of, value, path);
    case "enumeration":
      return shape.values.includes(value as string) ? undefined : misfit(shape, value, path);
    case "array":
    case "set":
    case "tuple":
    case "map":
      return collectionMisfit(shape, value, path);
    case "struct":
      return structMisfit(shape, value, path);
    case "union":
      return unionMisfit(shape, value, path);
  }
}

function misfit(shape: TypeShape, value: unknown, path: string): Misfit {
  return { path, problem: `${typeNameOf(shape)} is expected, it is ${describeValue(value)}` };
}

function leafMisfit(shape: LeafShape, value: unknown, path: string): Misfit | undefined {
  if (shape.kind === "any") return findUndescribable(value, path);
  return fitsLeaf(shape.kind, value) ? undefined : misfit(shape, value, path);
}

function fitsLeaf(kind: Exclude<LeafKind, "any">, value: unknown): boolean {
  switch (kind) {
    case "string":
    case "boolean":
    case "bigint":
      return typeof value === kind;
    case "int":
      return typeof value === "number" && (value | 0) === value;
    case "long":
      return Number.isSafeInteger(value) || isRareLong(value);
    case "double":
      return typeof value === "number";
    case "timestamp":
      return isTimestamp(value);
    case "bytes":
      return value instanceof Uint8Array;
    case "date":
      return value instanceof Date && !Number.isNaN(value.getTime());
    case "void-namespace":
      return value === null;
    case "time-window":
      return (
        typeof value === "object" &&
        value !== null &&
        isWindow(value as { start: unknown; end: unknown })
      );
  }
}

function isWindow({ start, end }: { start: unknown; end: unknown }): boolean {
  return isTimestamp(start) && isTimestamp(end);
}

/** A 64-bit integer beyond ±2^53: not declared to be possible, but what only Flink could write is read as a bigint. */
export function isRareLong(value: unknown): value is bigint {
  return (
    typeof value === "bigint" &&
    BigInt.asIntN(64, value) === value &&
    !Number.isSafeInteger(Number(value))
  );
}

/** A whole number of milliseconds within ±(2^53 - 1), or an infinity. */
export function isTimestamp(value: unknown): value is number {
  return Number.isSafeInteger(value) || value === Infinity || value === -Infinity;
}

type CollectionShape = Extract<TypeShape, { kind: "array" | "set" | "tuple" | "map" }>;

function collectionMisfit(
  shape: CollectionShape,
  value: unknown,
  path: string,
): Misfit | undefined {
  switch (shape.kind) {
    case "array":
      if (!Array.isArray(value)) return misfit(shape, value, path);
      return firstOf(value, (element, index) =>
        findMisfit(shape.element, element, `${path}[${index}]`),
      );
    case "tuple":
      if (!Array.isArray(value) || value.length !== shape.fields.length)
        return misfit(shape, value, path);
      return firstOf(shape.fields, (field, index) =>
        findMisfit(field, value[index], `${path}[${index}]`),
      );
    case "set":
      if (!(value instanceof Set)) return misfit(shape, value, path);
      return firstOf([...value], (element) =>
        findMisfit(shape.element, element, `${path}<element>`),
      );
    case "map":
      if (!(value instanceof Map)) return misfit(shape, value, path);
      return firstOf(
        [...value],
        ([key, held]) =>
          findMisfit(shape.key, key, `${path}<key>`) ??
          findMisfit(shape.value, held, `${path}<${describeValue(key)}>`),
      );
  }
}

function firstOf<T>(
  elements: readonly T[],
  find: (element: T, index: number) => Misfit | undefined,
): Misfit | undefined {
  for (let index = 0; index < elements.length; index++) {
    const found = find(elements[index] as T, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function structMisfit(shape: StructShape, value: unknown, path: string): Misfit | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return misfit(shape, value, path);
  const held = value as Readonly<Record<string, unknown>>;
  return firstOf(shape.fields, ({ name, shape: of }) =>
    findMisfit(of, held[name], propertyPath(path, name)),
  );
}

function unionMisfit(shape: UnionShape, value: unknown, path: string): Misfit | undefined {
  if (shape.discriminator === undefined) {
    const fits = shape.alternatives.some(
      (alternative) => findMisfit(alternative.shape, value) === undefined,
    );
    return fits ? undefined : misfit(shape, value, path);
  }
  if (typeof value !== "object" || value === null) return misfit(shape, value, path);
  const tag = (value as Readonly<Record<string, unknown>>)[shape.discriminator];
  const chosen = shape.alternatives.find((alternative) => alternative.tag === tag);
  if (chosen !== undefined) return findMisfit(chosen.shape, value, path);
  const tags = shape.alternatives.map((alternative) => JSON.stringify(alternative.tag)).join(", ");
  const problem = `one of ${tags} is expected, it is ${describeValue(tag)}`;
  return { path: propertyPath(path, shape.discriminator), problem };
}
