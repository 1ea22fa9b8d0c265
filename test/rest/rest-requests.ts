import { readFileSync } from "node:fs";

/** A request whose answer is recorded from a real Flink and compared with ours. `:name` in a path stands for an id of the run. */
export interface RestRequest {
  /** Of the recorded file. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  /** Name under which the answer's request id is kept for later paths. */
  readonly keep?: string;
  /** Asked again until the operation is completed. */
  readonly isPolled?: boolean;
}

/** In the order in which they are made; `scripts/record-flink-rest.mjs` makes the same. */
export const REQUESTS: readonly RestRequest[] = JSON.parse(
  readFileSync(new URL("../systems/rest-requests.json", import.meta.url), "utf8"),
) as readonly RestRequest[];
