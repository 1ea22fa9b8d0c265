import type { Server } from "node:http";
import { fileURLToPath } from "node:url";

import type { Hono } from "hono";

/** How long a client may take for its headers, and for its whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/** A connection on which nothing moves for so long is cut; event streams send something more often. */
const SILENCE_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 2_000;

/** What every answer carries, errors too. */
const HEADERS: readonly (readonly [string, string])[] = [
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
];

/**
 * An HTTP server that waits for no client for ever.
 *
 * @param extras - What the server has beyond Flink's REST, for the header `Cutwater-Extras`; undefined: it is a Flink's to say.
 */
export async function makeHttpServer(app: Hono, extras?: string): Promise<Server> {
  const { createAdaptorServer } = await import("@hono/node-server");
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  // Set here and not in the app: there each answer would need header objects of its own, which cost more than the answer.
  server.prependListener("request", (_request, response) => {
    for (const [name, value] of HEADERS) response.setHeader(name, value);
    if (extras !== undefined) response.setHeader("Cutwater-Extras", extras);
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = SILENCE_TIMEOUT_MS;
  return server;
}

/** @throws the system's error if it cannot listen there. */
export function bindServer(server: Server, port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}

/** Where the built page lies, seen from the sources and from the package, whose files lie in folders of other depths. */
export function ownPageDirectory(): string {
  const [root = ""] = import.meta.url.split(/\/(?:dist|src)\/(?!.*\/(?:dist|src)\/)/);
  return fileURLToPath(`${root}/dist/dashboard`);
}
