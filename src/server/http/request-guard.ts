import type { Context, MiddlewareHandler } from "hono";

import { isLoopback } from "../../api/index.ts";
import { causeChain } from "../../base/index.ts";

import { RestError } from "./rest-error.ts";
import { json } from "./rest-call.ts";

/** Who may speak to the server. */
export interface GuardOptions {
  /** Asked for in `Authorization: Bearer`; undefined only where nobody but this machine can connect. */
  readonly token: string | undefined;
  /** Names under which the server is reached, lower case, without port; undefined: any, which needs a token. */
  readonly hostNames: readonly string[] | undefined;
}

/** What a request is judged by. */
export interface GuardedRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site` of the browser. */
  readonly site: string | undefined;
  readonly authorization: string | undefined;
  /** The page's own files: they hold no secret, and the page must be there to ask for the token. */
  readonly isPage: boolean;
}

export type GuardDecision =
  | { readonly kind: "admit" }
  | { readonly kind: "refuse"; readonly status: 401 | 403 | 421; readonly text: string };

const ADMIT: GuardDecision = { kind: "admit" };

/**
 * Whether a request is served.
 *
 * @remarks
 * A foreign name in `Host` is a page that has bent its own name to this address. What comes from another site's page may change nothing and read
 * nothing, whatever the browser would let it see.
 */
export function judgeRequest(request: GuardedRequest, options: GuardOptions): GuardDecision {
  const { host, origin, site, isPage } = request;
  if (host === undefined) return refuse(421, "The request names no host.");
  if (options.hostNames !== undefined && !options.hostNames.includes(hostName(host))) {
    return refuse(421, `This server does not answer to the name ${host}.`);
  }
  if (!isPage) {
    if (site !== undefined && site !== "same-origin" && site !== "none") {
      return refuse(403, "Requests from another site are refused.");
    }
    if (origin !== undefined && !isOwnOrigin(origin, host)) {
      return refuse(403, "Requests from another origin are refused.");
    }
    if (options.token !== undefined && !isToken(request.authorization, options.token)) {
      return refuse(401, "A token is required: Authorization: Bearer <token>.");
    }
  }
  return ADMIT;
}

/** Refuses what {@link judgeRequest} says. */
export function requestGuard(
  options: GuardOptions,
  isPage: (c: Context) => boolean,
): MiddlewareHandler {
  return async (c, next) => {
    const decision = judgeRequest(
      {
        method: c.req.method,
        path: c.req.path,
        host: c.req.header("host"),
        origin: c.req.header("origin"),
        site: c.req.header("sec-fetch-site"),
        authorization: c.req.header("authorization"),
        isPage: isPage(c),
      },
      options,
    );
    if (decision.kind === "admit") return await next();
    if (decision.status === 401) c.header("WWW-Authenticate", "Bearer");
    return json(c, { errors: [decision.text] }, decision.status);
  };
}

/** Names under which a server that is bound to this address is reached; undefined: any. */
export function hostNamesOf(bindAddress: string): readonly string[] | undefined {
  if (isLoopback(bindAddress)) return ["localhost", "127.0.0.1", "[::1]", hostName(bindAddress)];
  const isWildcard = bindAddress === "0.0.0.0" || bindAddress === "::";
  return isWildcard ? undefined : [hostName(bindAddress), hostName(`[${bindAddress}]`)];
}

function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}

function isOwnOrigin(origin: string, host: string): boolean {
  const lower = origin.toLowerCase();
  return lower === `http://${host.toLowerCase()}` || lower === `https://${host.toLowerCase()}`;
}

/** Compares in a time that does not tell how far they agree. */
function isToken(authorization: string | undefined, token: string): boolean {
  const given = new TextEncoder().encode(authorization ?? "");
  const wanted = new TextEncoder().encode(`Bearer ${token}`);
  let difference = given.length ^ wanted.length;
  for (let index = 0; index < wanted.length; index++) {
    difference |= (given[index] ?? 0) ^ (wanted[index] ?? 0);
  }
  return difference === 0;
}

function refuse(status: 401 | 403 | 421, text: string): GuardDecision {
  return { kind: "refuse", status, text };
}

/** Flink's form for what a handler threw. */
export function errorAnswer(c: Context, error: unknown): Response {
  if (error instanceof RestError) return json(c, { errors: error.texts }, error.status);
  const message = causeChain(error).join("\nCaused by: ");
  return json(
    c,
    {
      errors: [
        "Internal server error.",
        `<Exception on server side:\n${message}\n\nEnd of exception on server side>`,
      ],
    },
    500,
  );
}
