/** Why a value has no bytes: the first part that does not fit, and what is wrong with it. */
export interface Misfit {
  readonly path: string;
  readonly problem: string;
}

/** Path of a property of the value at `path`: `orders`, `orders.price`, `orders["unit price"]`. */
export function propertyPath(path: string, name: string): string {
  if (!IDENTIFIER.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

const MAX_SHOWN_TEXT = 40;

/** A value in a few words, for messages: `"LHR"`, `an instance of Order`, `an array of 3`. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value.length <= MAX_SHOWN_TEXT
        ? JSON.stringify(value)
        : `${JSON.stringify(value.slice(0, MAX_SHOWN_TEXT))}… (${value.length} characters)`;
    case "bigint":
      return `${value}n`;
    case "symbol":
      return "a symbol";
    case "function":
      return value.name === "" ? "a function" : `the function ${value.name}`;
    case "object":
      return value === null ? "null" : describeObject(value);
    case "number":
    case "boolean":
    case "undefined":
      return Object.is(value, -0) ? "-0" : String(value);
  }
}

function describeObject(value: object): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value instanceof Date && Number.isNaN(value.getTime())) return "an invalid Date";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return "an object";
  const name = typeof value.constructor === "function" ? value.constructor.name : "";
  return name === "" ? "an instance of an unnamed class" : `an instance of ${name}`;
}
