import type { ContentfulStatusCode } from "hono/utils/http-status";

/** An answer other than success, in Flink's form: `{"errors": ["..."]}`. */
export class RestError extends Error {
  override readonly name = "RestError";
  readonly status: ContentfulStatusCode;
  readonly texts: readonly string[];

  constructor(status: ContentfulStatusCode, ...texts: readonly string[]) {
    super(texts[0] ?? "");
    this.status = status;
    this.texts = texts;
  }
}

/** Flink's answer to a request that cannot be served here, and never will. */
export function internalError(text: string): RestError {
  return new RestError(
    500,
    "Internal server error.",
    `<Exception on server side:\n${text}\n\nEnd of exception on server side>`,
  );
}
