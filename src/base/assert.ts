/** A bug in this package: something that cannot happen has happened. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/**
 * Stops if the package's own reasoning is wrong. Always on.
 *
 * @remarks
 * For bugs only. What the world can do wrong (input, storage, user code) is a `StreamError`;
 * what is expected (a declined checkpoint, a late record) is a value.
 *
 * @param sentence - What should have been true, as a sentence without a period.
 */
export function assert(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new AssertionError(`Internal error: ${sentence}.`);
}

/** Returns the value, asserting that it is there. */
export function present<T>(value: T | undefined | null, sentence: string): T {
  if (value === undefined || value === null)
    throw new AssertionError(`Internal error: ${sentence}.`);
  return value;
}

/** Marks a branch that the types have ruled out. */
export function unreachable(value: never): never {
  throw new AssertionError(`Internal error: unexpected ${String(value)}.`);
}
