import { type ErrorCode, type ErrorDetails, ERRORS, StreamError } from "../../base/index.ts";

/**
 * Errors on their way between threads: name, message, code, details, stack and causes. What else a user's error carries stays behind.
 */
export interface TransferredError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  /** Of a StreamError; plain values. */
  readonly details: unknown;
  readonly cause: TransferredError | undefined;
}

/** Causes of causes beyond this many are left out, as those of a cycle are. */
const MAX_CAUSES = 16;

/** Anything thrown, in a form that can be sent. */
export function transferError(error: unknown, depth = 0): TransferredError {
  if (!(error instanceof Error)) {
    const message = typeof error === "string" ? error : (JSON.stringify(error) ?? String(error));
    const plain = { stack: undefined, code: undefined, details: undefined, cause: undefined };
    return { name: "Error", message, ...plain };
  }
  const { name, message, stack, cause } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    name,
    message,
    stack,
    code,
    details: error instanceof StreamError ? error.details : undefined,
    cause:
      cause === undefined || cause === null || depth >= MAX_CAUSES
        ? undefined
        : transferError(cause, depth + 1),
  };
}

/** The error as it was, as far as it was sent. */
export function receivedError(sent: TransferredError): Error {
  const cause = sent.cause === undefined ? undefined : receivedError(sent.cause);
  const error =
    sent.name === "StreamError" && isErrorCode(sent.code)
      ? new StreamError(sent.code, sent.details as ErrorDetails[ErrorCode], cause)
      : plainError(sent, cause);
  if (sent.stack !== undefined) error.stack = sent.stack;
  return error;
}

function plainError({ name, message, code }: TransferredError, cause: Error | undefined): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  if (name !== "Error") Object.defineProperty(error, "name", { value: name });
  return code === undefined ? error : Object.assign(error, { code });
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERRORS, code);
}
