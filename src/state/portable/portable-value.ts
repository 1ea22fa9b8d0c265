import { ByteReader, ByteWriter } from "../../base/index.ts";
import type { TypeSerializer } from "../../serde/index.ts";

/** Makes the error of a change in place. @param path - Of what was changed, in the value: `orders[3].customer`. */
export type RefuseChange = (path: string) => Error;

/** What the value would be in another process. @throws StreamError VALUE_NOT_SERIALIZABLE. */
export function throughBytes<T>(type: TypeSerializer<T>, value: T): T {
  const out = new ByteWriter();
  type.write(value, out);
  return type.read(new ByteReader(out.toBytes()));
}

const MAP_CHANGES = ["set", "delete", "clear"] as const;
const SET_CHANGES = ["add", "delete", "clear"] as const;
const ARRAY_CHANGES = [
  "push",
  "pop",
  "shift",
  "unshift",
  "splice",
  "sort",
  "reverse",
  "fill",
  "copyWithin",
] as const;

function dateChanges(): readonly string[] {
  return Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith("set"));
}

function changesOf(value: object): readonly string[] {
  if (Array.isArray(value)) return ARRAY_CHANGES;
  if (value instanceof Map) return MAP_CHANGES;
  if (value instanceof Set) return SET_CHANGES;
  return value instanceof Date ? dateChanges() : [];
}

/**
 * A copy of a value that refuses every change, at the line that tries it.
 *
 * @remarks
 * The value itself is not touched. No proxy, since `structuredClone` takes none: it gives a copy that can be changed.
 */
export function guarded<T>(value: T, refuse: RefuseChange): T {
  const copy = copyOf(value) as T;
  freezeDeeply(copy, refuse);
  return copy;
}

/** Plain data, all through; what is none stays as it is. */
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return structuredClone(value);
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Date) return new Date(value);
  if (value instanceof Map)
    return new Map(Array.from(value, ([key, held]) => [copyOf(key), copyOf(held)]));
  if (value instanceof Set) return new Set(Array.from(value, copyOf));
  if (!isPlain(value)) return value;
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<
    string,
    unknown
  >;
  for (const [name, part] of Object.entries(value)) copy[name] = copyOf(part);
  return copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function memberPath(path: string, name: string): string {
  if (/^\d+$/.test(name)) return `${path}[${name}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** Hides the methods that would change the value. */
function shadow(value: object, path: string, refuse: RefuseChange): void {
  for (const name of changesOf(value)) {
    Object.defineProperty(value, name, {
      enumerable: false,
      value: () => {
        throw refuse(path);
      },
    });
  }
}

/**
 * Freezes an object, all through: it belongs to the state or to the stream from here on.
 *
 * @remarks
 * Fields become accessors, so that whoever sets one meets the error of `refuse`; one that is added or deleted meets the language's
 * own. Typed arrays cannot be frozen; instances of classes are left alone.
 */
export function freezeDeeply(value: unknown, refuse: RefuseChange): void {
  freezePart(value, "", refuse);
}

function freezePart(value: unknown, path: string, refuse: RefuseChange): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  const isArray = Array.isArray(value);
  if (changesOf(value).length === 0 && !isPlain(value)) return;
  shadow(value, path, refuse);
  if (value instanceof Map) {
    for (const held of value.values()) freezePart(held, `${path}<value>`, refuse);
  }
  for (const name of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, name);
    if (property === undefined || property.configurable === false || !("value" in property))
      continue;
    const part: unknown = property.value;
    const partPath = isArray ? `${path}[${name}]` : memberPath(path, name);
    Object.defineProperty(value, name, {
      enumerable: true,
      configurable: false,
      get: () => part,
      set: () => {
        throw refuse(partPath);
      },
    });
    freezePart(part, partPath, refuse);
  }
  Object.freeze(value);
}
