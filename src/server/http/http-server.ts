import type { Server } from "node:http";

import type { Hono } from "hono";

/** How long a client may take for its headers, and for its whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/** A connection on which nothing moves for so long is cut; event streams send something more often. */
const SILENCE_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 2_000;

/** An HTTP server that waits for no client for ever. */
export async function makeHttpServer(app: Hono): Promise<Server> {
  const { createAdaptorServer } = await import("@hono/node-server");
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
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

/** Where the built page lies, seen from the sources and from the package. */
export function ownPageDirectory(): string {
  const isBuilt = import.meta.url.endsWith(".js");
  return new URL(isBuilt ? "../../dashboard" : "../../../dist/dashboard", import.meta.url).pathname;
}
