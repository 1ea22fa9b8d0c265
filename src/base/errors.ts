import { ERRORS, type ErrorCode, type ErrorDetails, type ErrorDomain } from "./error-codes.ts";

/**
 * The only error class that this package throws for conditions it foresees.
 *
 * @remarks
 * The message states facts; `remedy` says what to do. Errors of user code and of the operating system stay unchanged as `cause`.
 */
export class StreamError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "StreamError";
  readonly code: C;
  readonly details: ErrorDetails[C];

  constructor(code: C, details: ErrorDetails[C], cause?: unknown) {
    super(ERRORS[code].message(details), cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  get domain(): ErrorDomain {
    return ERRORS[this.code].domain;
  }

  /** True if the same call may succeed when it is made again unchanged. */
  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }

  /** What to do about it: one sentence, in the imperative. */
  get remedy(): string {
    const remedy = ERRORS[this.code].remedy;
    return typeof remedy === "string" ? remedy : remedy(this.details);
  }
}

/** Narrows by code, never by class, so that two copies of the package can meet in one process. */
export function isStreamError<C extends ErrorCode>(
  error: unknown,
  code?: C,
): error is StreamError<C> {
  if (!(error instanceof Error) || error.name !== "StreamError" || !("code" in error)) return false;
  return code === undefined || error.code === code;
}

/** The text of anything thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : (JSON.stringify(error) ?? typeof error);
}

/** The error and its causes, outermost first; cyclic chains end. */
export function causesOf(error: unknown): readonly unknown[] {
  const chain = new Set<unknown>();
  let current = error;
  while (current !== undefined && current !== null && !chain.has(current)) {
    chain.add(current);
    current = current instanceof Error ? current.cause : undefined;
  }
  return [...chain];
}

/** The error and its causes, outermost first, each as `name: message`. */
export function causeChain(error: unknown): readonly string[] {
  return causesOf(error).map((cause) =>
    cause instanceof Error ? `${cause.name}: ${cause.message}` : errorText(cause),
  );
}
