import { signal } from "@preact/signals";
import type { Signal } from "@preact/signals";

import { listIn } from "../model/json.ts";

/** The server answered, but not with what was asked for. */
class RestError extends Error {
  override readonly name = "RestError";
  readonly status: number;

  constructor(status: number, messages: readonly string[]) {
    super(messages[0] ?? `HTTP ${status}`);
    this.status = status;
  }
}

/** What a server may answer beyond Flink's REST, as it says in the header `Cutwater-Extras`. */
export type Extra = "events" | "findings" | "config" | "inspect";

/** How the server was found at the last call. */
export type Reachability = "unknown" | "reachable" | "unreachable";

const TOKEN_KEY = "cutwater.token";
/** A proxy's or a starting server's way to say that nobody is there. */
const ABSENT = new Set([502, 503, 504]);

/** Calls Flink's REST API below one address, and notes whether the server is there. */
export class RestClient {
  readonly reachability: Signal<Reachability> = signal("unknown");
  /** True once the server has refused a call for want of a token. */
  readonly isTokenWanted: Signal<boolean> = signal(false);
  /** The paths below `cutwater/` that the server has; a Flink has none. */
  readonly extras: Signal<string> = signal("");
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  has(extra: Extra): boolean {
    return this.extras.value.split(/[\s,]+/).includes(extra);
  }

  async get(path: string, abort?: AbortSignal): Promise<unknown> {
    const response = await this.#call("GET", path, undefined, abort);
    return response.json() as Promise<unknown>;
  }

  async getText(path: string, abort?: AbortSignal): Promise<string> {
    const response = await this.#call("GET", path, undefined, abort);
    return response.text();
  }

  /** Opens a stream of server-sent events. */
  async open(path: string, abort: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
    const response = await this.#call("GET", path, undefined, abort);
    const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    return isEvents ? response.body : null;
  }

  async send(method: "POST" | "PATCH", path: string, body: unknown): Promise<unknown> {
    const response = await this.#call(method, path, body);
    const text = await response.text();
    return text === "" ? {} : (JSON.parse(text) as unknown);
  }

  /** Remembers a token for as long as the browser's tab lives. */
  useToken(token: string): void {
    sessionStorage.setItem(TOKEN_KEY, token);
    this.isTokenWanted.value = false;
  }

  async #call(method: string, path: string, body: unknown, abort?: AbortSignal): Promise<Response> {
    const token = sessionStorage.getItem(TOKEN_KEY);
    const request: RequestInit = {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(abort === undefined ? {} : { signal: abort }),
    };
    let response: Response;
    try {
      response = await fetch(new URL(path, this.#base), request);
    } catch (error) {
      if (abort?.aborted !== true) this.reachability.value = "unreachable";
      throw error;
    }
    this.reachability.value = ABSENT.has(response.status) ? "unreachable" : "reachable";
    const extras = response.headers.get("cutwater-extras");
    if (extras !== null) this.extras.value = extras;
    if (response.status === 401) this.isTokenWanted.value = true;
    if (response.ok) return response;
    throw new RestError(response.status, await messagesOf(response));
  }
}

/** Flink's error form is `{"errors": [...]}`; the first line says it, a stack trace may follow. */
async function messagesOf(response: Response): Promise<readonly string[]> {
  try {
    const answer = (await response.json()) as unknown;
    return listIn(answer, "errors").map(String);
  } catch {
    return [];
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof RestError && error.status === 404;
}
