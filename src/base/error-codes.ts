/** Who has to act: the job's author, an outside system, or this project. */
export type ErrorDomain = "user" | "external" | "internal";

/** What each code carries: plain values only, so that an error can be written to JSON. */
export interface ErrorDetails {
  readonly USER_FUNCTION_FAILED: {
    readonly operator: string;
    readonly subtask: string;
    readonly method: string;
    readonly record: string | undefined;
    readonly key: string | undefined;
  };
  readonly STATE_HANDLE_UNREADABLE: { readonly path: string; readonly checkpointId: number; readonly problem: string };
}

/** Names one foreseen condition. A code, once released, keeps its meaning. */
export type ErrorCode = keyof ErrorDetails;

interface ErrorDefinition<D> {
  readonly domain: ErrorDomain;
  readonly retryable: boolean;
  /** Facts with values and units, ending with a period. */
  readonly message: (details: D) => string;
  /** What to do about it, in the imperative. */
  readonly remedy: string | ((details: D) => string);
}

/** The one place where codes are defined. A code without an entry does not compile. */
export const ERRORS: { readonly [C in ErrorCode]: ErrorDefinition<ErrorDetails[C]> } = {
  USER_FUNCTION_FAILED: {
    domain: "user",
    retryable: false,
    message: (d) =>
      `${d.method} of operator "${d.operator}", subtask ${d.subtask}, failed` +
      `${d.key === undefined ? "" : ` for key ${d.key}`}${d.record === undefined ? "" : ` on record ${d.record}`}.`,
    remedy: "Mend the function, or let it handle this record; the cause below is its own error.",
  },
  STATE_HANDLE_UNREADABLE: {
    domain: "external",
    retryable: false,
    message: (d) => `Checkpoint ${d.checkpointId} refers to ${d.path}, which cannot be read: ${d.problem}.`,
    remedy: "Restore from an older retained checkpoint with --fromSavepoint.",
  },
};
