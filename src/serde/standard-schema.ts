import { errorText } from "../base/index.ts";
import { propertyPath } from "./value-path.ts";

/**
 * Validation by any library that follows Standard Schema (Zod, Valibot, ArkType and others), without naming one.
 *
 * Source: Standard Schema, version 1, https://standardschema.dev.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What became of a value under a schema. */
export type Validation<T> =
  | { readonly kind: "valid"; readonly value: T }
  | { readonly kind: "invalid"; readonly issues: readonly ValidationIssue[] };

export interface ValidationIssue {
  /** Place in the value, `orders[3].price`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/**
 * Validates a value, which the schema may also transform.
 *
 * @remarks
 * Synchronous, as the whole data plane is: a schema that answers with a promise makes every value invalid, and so does
 * one that throws.
 */
export function validate<T>(schema: StandardSchema<unknown, T>, value: unknown): Validation<T> {
  let result: StandardResult<T> | Promise<StandardResult<T>>;
  try {
    result = schema["~standard"].validate(value);
  } catch (error) {
    return invalid(`the schema failed: ${errorText(error)}`);
  }
  if (result instanceof Promise) {
    result.catch(() => undefined); // its answer is not wanted, so neither is its failure
    return invalid("the schema is asynchronous; records are validated synchronously");
  }
  if (result.issues === undefined) return { kind: "valid", value: result.value };
  return { kind: "invalid", issues: result.issues.map(toIssue) };
}

function invalid(message: string): Validation<never> {
  return { kind: "invalid", issues: [{ path: "", message }] };
}

function toIssue({ message, path = [] }: StandardIssue): ValidationIssue {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment));
  const text = keys.reduce<string>(
    (outer, key) =>
      typeof key === "number" ? `${outer}[${key}]` : propertyPath(outer, String(key)),
    "",
  );
  return { path: text, message };
}

/** The issues in one line: `price: must be a number; items[0]: is missing`. */
export function issuesText(issues: readonly ValidationIssue[]): string {
  return issues
    .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
    .join("; ");
}
