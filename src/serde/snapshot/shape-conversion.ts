import { assert, AssertionError } from "../../base/index.ts";
import { snapshotOfShape } from "./shape-snapshot.ts";
import {
  isLeaf,
  type StructField,
  type StructShape,
  typeNameOf,
  type TypeShape,
  type UnionShape,
} from "../type-shape.ts";
import { propertyPath } from "../value-path.ts";
import { findMisfit } from "../codec/value-misfit.ts";

/** Turns a value of the old shape into one of the new. It may change the value given. */
export type Conversion = (value: unknown) => unknown;

/** How values of an old shape become values of a new one. */
export type ConversionPlan =
  /** Not even the bytes differ. */
  | { readonly kind: "same" }
  | { readonly kind: "convert"; readonly convert: Conversion }
  | { readonly kind: "impossible"; readonly reasons: readonly string[] };

const SAME: ConversionPlan = { kind: "same" };

/** The bytes differ, the values do not. */
const REWRITE: ConversionPlan = { kind: "convert", convert: (value) => value };

/** Plans the conversion; `path` is the place in the value. */
export function planConversion(from: TypeShape, to: TypeShape, path = ""): ConversionPlan {
  if (from.kind !== to.kind) return planOtherKind(from, to, path);
  if (isLeaf(from)) return SAME;
  switch (from.kind) {
    case "array":
    case "set":
      return planElements(
        from.kind,
        planConversion(from.element, same(from, to).element, `${path}[]`),
      );
    case "map":
      return planMap(from, same(from, to), path);
    case "optional":
    case "nullable":
      return planAbsent(from.kind, planConversion(from.of, same(from, to).of, path));
    case "tuple":
      return planTuple(from.fields, same(from, to).fields, path, () => changed(from, to, path));
    case "enumeration":
      return planEnumeration(from.values, same(from, to).values, () => changed(from, to, path));
    case "struct":
      return planStruct(from, same(from, to), path);
    case "union":
      return planUnion(from, same(from, to), path);
    case "custom":
      return planCustom(from, to, path);
  }
}

/** The second shape as what its kind says it is: of the kind of the first. */
function same<S extends TypeShape>(from: S, to: TypeShape): S {
  assert(from.kind === to.kind, "the two shapes are of one kind");
  return to as S;
}

function changed(from: TypeShape, to: TypeShape, path: string): ConversionPlan {
  return impossible(`${place(path)}: was ${typeNameOf(from)}, is now ${typeNameOf(to)}`);
}

function impossible(...reasons: readonly string[]): ConversionPlan {
  return { kind: "impossible", reasons };
}

function place(path: string): string {
  return path === "" ? "value" : `field \`${path}\``;
}

const WIDER: { readonly [from: string]: readonly string[] } = {
  int: ["long", "double"],
  long: ["double"],
};

function planOtherKind(from: TypeShape, to: TypeShape, path: string): ConversionPlan {
  if (isLong(from) && isLong(to)) return SAME;
  if (WIDER[from.kind]?.includes(to.kind) === true) {
    return {
      kind: "convert",
      convert: from.kind === "long" ? (value) => Number(value) : (value) => value,
    };
  }
  if (to.kind === "bigint" && (from.kind === "int" || from.kind === "long")) {
    return { kind: "convert", convert: (value) => BigInt(value as number | bigint) };
  }
  if (to.kind === "optional" || to.kind === "nullable") {
    const inner = planConversion(from, to.of, path);
    return inner.kind === "same" ? REWRITE : inner;
  }
  if (to.kind === "union" && to.discriminator === undefined) {
    const taken = to.alternatives.some(
      (alternative) => planConversion(from, alternative.shape).kind === "same",
    );
    if (taken) return REWRITE;
  }
  if (to.kind === "custom" || from.kind === "custom") return planCustom(from, to, path);
  return changed(from, to, path);
}

function isLong(shape: TypeShape): boolean {
  return shape.kind === "long" || shape.kind === "timestamp";
}

/** Custom serializers are compared by their snapshots alone. */
function planCustom(from: TypeShape, to: TypeShape, path: string): ConversionPlan {
  const old = snapshotOfShape(from);
  const now = snapshotOfShape(to);
  const equal =
    old.className === now.className &&
    old.version === now.version &&
    Buffer.from(old.payload).equals(now.payload);
  return equal ? SAME : changed(from, to, path);
}

function planElements(kind: "array" | "set", element: ConversionPlan): ConversionPlan {
  if (element.kind !== "convert") return element;
  const { convert } = element;
  return kind === "array"
    ? { kind: "convert", convert: (value) => (value as unknown[]).map(convert) }
    : { kind: "convert", convert: (value) => new Set([...(value as Set<unknown>)].map(convert)) };
}

type MapShape = Extract<TypeShape, { kind: "map" }>;

function planMap(from: MapShape, to: MapShape, path: string): ConversionPlan {
  const key = planConversion(from.key, to.key, `${path}<key>`);
  const value = planConversion(from.value, to.value, `${path}<value>`);
  return combine([key, value], ([convertKey, convertValue]) => (map) => {
    const entries = [...(map as Map<unknown, unknown>)];
    return new Map(entries.map(([one, held]) => [convertKey?.(one), convertValue?.(held)]));
  });
}

/** One plan of many: all the reasons, or nothing to do, or the conversion that `join` makes of the parts'. */
function combine(
  plans: readonly ConversionPlan[],
  join: (parts: readonly Conversion[]) => Conversion,
): ConversionPlan {
  const reasons = plans.flatMap((plan) => (plan.kind === "impossible" ? plan.reasons : []));
  if (reasons.length > 0) return impossible(...reasons);
  if (plans.every((plan) => plan.kind === "same")) return SAME;
  return { kind: "convert", convert: join(plans.map(conversionOf)) };
}

function conversionOf(plan: ConversionPlan): Conversion {
  if (plan.kind === "impossible")
    throw new AssertionError("Internal error: an impossible plan has no conversion.");
  return plan.kind === "same" ? (value) => value : plan.convert;
}

function planAbsent(kind: "optional" | "nullable", of: ConversionPlan): ConversionPlan {
  if (of.kind !== "convert") return of;
  const absent = kind === "optional" ? undefined : null;
  return { kind: "convert", convert: (value) => (value === absent ? absent : of.convert(value)) };
}

function planTuple(
  from: readonly TypeShape[],
  to: readonly TypeShape[],
  path: string,
  refuse: () => ConversionPlan,
): ConversionPlan {
  if (from.length !== to.length) return refuse();
  const plans = from.map((field, index) =>
    planConversion(field, to[index] ?? field, `${path}[${index}]`),
  );
  return combine(
    plans,
    (parts) => (value) => parts.map((part, index) => part((value as unknown[])[index])),
  );
}

function planEnumeration(
  from: readonly string[],
  to: readonly string[],
  refuse: () => ConversionPlan,
): ConversionPlan {
  if (from.every((value, index) => to[index] === value)) return SAME;
  return from.every((value) => to.includes(value)) ? REWRITE : refuse();
}

function planStruct(from: StructShape, to: StructShape, path: string): ConversionPlan {
  const old = new Map(from.fields.map((field) => [field.name, field.shape]));
  const plans = to.fields.map((field) => planField(old.get(field.name), field, path));
  const names = to.fields.map((field) => field.name);
  const join = (parts: readonly Conversion[]) => (value: unknown) => {
    const held = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(names.map((name, index) => [name, parts[index]?.(held[name])]));
  };
  const plan = combine(plans, join);
  const moved =
    names.length !== from.fields.length ||
    from.fields.some((field, index) => field.name !== names[index]);
  if (plan.kind !== "same" || !moved) return plan;
  return { kind: "convert", convert: join(plans.map(conversionOf)) };
}

function planField(old: TypeShape | undefined, field: StructField, path: string): ConversionPlan {
  if (old !== undefined) return planConversion(old, field.shape, propertyPath(path, field.name));
  const { makeDefault, shape } = field;
  if (makeDefault !== undefined) return { kind: "convert", convert: () => makeDefault() };
  if (shape.kind === "optional") return { kind: "convert", convert: () => undefined };
  const where = place(propertyPath(path, field.name));
  return impossible(`${where}: was absent, is now ${typeNameOf(shape)} without a default`);
}

function planUnion(from: UnionShape, to: UnionShape, path: string): ConversionPlan {
  if (from.discriminator !== to.discriminator) return changed(from, to, path);
  const { discriminator } = from;
  return discriminator === undefined
    ? planUntagged(from, to, path)
    : planTagged(from, to, discriminator, path);
}

function planTagged(
  from: UnionShape,
  to: UnionShape,
  discriminator: string,
  path: string,
): ConversionPlan {
  const now = new Map(to.alternatives.map(({ tag, shape }) => [tag, shape]));
  const plans = from.alternatives.map(({ tag, shape }) => {
    const target = now.get(tag);
    const where = path === "" ? `<${tag}>` : `${path}<${tag}>`;
    return target === undefined
      ? impossible(
          `${place(path)}: alternative ${JSON.stringify(tag)} was ${typeNameOf(shape)}, is now absent`,
        )
      : planConversion(shape, target, where);
  });
  const plan = combine(plans, (parts) => {
    const byTag = new Map(from.alternatives.map(({ tag }, index) => [tag, parts[index]]));
    return (value) => {
      const tag = (value as Readonly<Record<string, unknown>>)[discriminator] as string;
      return { ...(byTag.get(tag)?.(value) as object), [discriminator]: tag };
    };
  });
  if (plan.kind !== "same") return plan;
  return from.alternatives.every(({ tag }, index) => to.alternatives[index]?.tag === tag)
    ? SAME
    : REWRITE;
}

/** Without tags, each old alternative must be in the new union, or have a conversion into one of its alternatives. */
function planUntagged(from: UnionShape, to: UnionShape, path: string): ConversionPlan {
  const plans = from.alternatives.map((old) => bestTarget(old.shape, to, path));
  const plan = combine(plans, (parts) => (value) => {
    const index = from.alternatives.findIndex(
      (alternative) => findMisfit(alternative.shape, value) === undefined,
    );
    return parts[index]?.(value);
  });
  if (plan.kind !== "same") return plan;
  const inPlace = from.alternatives.every((alternative, index) => {
    const now = to.alternatives[index];
    return now !== undefined && planConversion(alternative.shape, now.shape).kind === "same";
  });
  return inPlace ? SAME : REWRITE;
}

function bestTarget(old: TypeShape, to: UnionShape, path: string): ConversionPlan {
  const plans = to.alternatives.map(({ shape }) => planConversion(old, shape, path));
  return (
    plans.find((plan) => plan.kind === "same") ??
    plans.find((plan) => plan.kind === "convert") ??
    changed(old, to, path)
  );
}
