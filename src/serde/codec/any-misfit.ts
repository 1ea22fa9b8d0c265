import { isPlainObject, MAX_DEPTH, typedArrayKindOf } from "./any-format.ts";
import { describeValue, propertyPath, type Misfit } from "../value-path.ts";

/** Looks for the part of an undeclared value that the self-describing form cannot hold. */
export function findUndescribable(value: unknown, path: string): Misfit | undefined {
  return find(value, path, []);
}

function find(value: unknown, path: string, outer: readonly Held[]): Misfit | undefined {
  if (typeof value === "function" || typeof value === "symbol") {
    return { path, problem: `it is ${describeValue(value)}` };
  }
  if (typeof value !== "object" || value === null) return undefined;
  const holder = outer.find((held) => held.value === value);
  if (holder !== undefined) {
    const where = holder.path === "" ? "the whole value" : `\`${holder.path}\``;
    return { path, problem: `it refers back to ${where}, which holds it` };
  }
  if (outer.length > MAX_DEPTH)
    return { path: "", problem: `it is nested more than ${MAX_DEPTH} levels deep` };
  return findInside(value, path, [...outer, { value, path }]);
}

interface Held {
  readonly value: object;
  readonly path: string;
}

function findInside(value: object, path: string, outer: readonly Held[]): Misfit | undefined {
  if (Array.isArray(value)) {
    return firstMisfit(value.keys(), (index) => find(value[index], `${path}[${index}]`, outer));
  }
  if (value instanceof Map) {
    return firstMisfit(
      value,
      ([key, held]) =>
        find(key, `${path}<key>`, outer) ?? find(held, `${path}<${describeValue(key)}>`, outer),
    );
  }
  if (value instanceof Set)
    return firstMisfit(value, (element) => find(element, `${path}<element>`, outer));
  if (isPlainObject(value)) {
    return firstMisfit(Object.entries(value), ([name, held]) =>
      find(held, propertyPath(path, name), outer),
    );
  }
  if (value instanceof Date || value instanceof RegExp || typedArrayKindOf(value) !== undefined)
    return undefined;
  return { path, problem: `it is ${describeValue(value)}` };
}

function firstMisfit<T>(
  elements: Iterable<T>,
  findIn: (element: T) => Misfit | undefined,
): Misfit | undefined {
  for (const element of elements) {
    const found = findIn(element);
    if (found !== undefined) return found;
  }
  return undefined;
}
