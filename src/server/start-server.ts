import { isIP } from "node:net";
import type { Server } from "node:http";

import { errorText, type Logger, type Platform, StreamError } from "../base/index.ts";
import { hostNamesOf, isLoopback } from "./http/request-guard.ts";
import { JobRegistry } from "./job-registry.ts";
import type { LogMemory } from "./log/log-memory.ts";
import { ProcessMetrics } from "./metrics/process-metrics.ts";
import { AsynchronousOperations } from "./operations/asynchronous-operations.ts";
import type { JobSubmission, ServerContext } from "./server-context.ts";

export interface ServerOptions {
  readonly platform: Platform;
  readonly log: Logger;
  /** What the log endpoints show. */
  readonly logMemory: LogMemory;
  readonly version: string;
  readonly bindAddress: string;
  /** 0: any free port. */
  readonly port: number;
  /** Whether another free port is taken if this one is in use. */
  readonly isPortFlexible: boolean;
  readonly token: string | undefined;
  /** Static files at `/` instead of the page of the package. */
  readonly pageDirectory: string | undefined;
  readonly submit?: ((submission: JobSubmission) => Promise<string>) | undefined;
}

/** A server that listens. */
export interface RunningServer {
  readonly address: string;
  readonly registry: JobRegistry;
  /** Ends it, with whatever connections are open. */
  close(): Promise<void>;
}

/** How long a client may take for its headers, and for its whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/** A connection on which nothing moves for so long is cut; event streams send something more often. */
const SILENCE_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 2_000;

/**
 * Starts a server.
 *
 * @throws StreamError SERVER_UNPROTECTED if others could reach it without a token; SERVER_NOT_STARTED if it cannot listen.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { platform, bindAddress, token } = options;
  if (!isLoopback(bindAddress) && (token === undefined || token.length < MIN_TOKEN_LENGTH)) {
    throw new StreamError("SERVER_UNPROTECTED", { address: bindAddress });
  }
  const registry = new JobRegistry(platform);
  let address = "";
  const context: ServerContext = {
    platform,
    registry,
    operations: new AsynchronousOperations(platform),
    log: options.logMemory,
    processMetrics: new ProcessMetrics(platform),
    version: options.version,
    address: () => address,
    submit: options.submit,
  };
  const server = await listen(options, context);
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : options.port;
  address = `http://${isIP(bindAddress) === 6 ? `[${bindAddress}]` : bindAddress}:${port}`;
  return {
    address,
    registry,
    async close() {
      registry.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** A shorter token can be guessed. */
const MIN_TOKEN_LENGTH = 16;

async function listen(options: ServerOptions, context: ServerContext): Promise<Server> {
  const [{ createAdaptorServer }, { createApp }] = await Promise.all([
    import("@hono/node-server"),
    import("./http/create-app.ts"),
  ]);
  const { bindAddress, token, port, isPortFlexible } = options;
  const app = createApp(context, {
    guard: { token, hostNames: hostNamesOf(bindAddress) },
    page: {
      files: options.platform.files,
      directory: options.pageDirectory ?? ownPageDirectory(),
      isOwn: options.pageDirectory === undefined,
    },
  });
  const make = (): Server => {
    const server = createAdaptorServer({ fetch: app.fetch }) as Server;
    server.headersTimeout = HEADERS_TIMEOUT_MS;
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
    server.maxConnections = MAX_CONNECTIONS;
    server.setTimeout(SILENCE_TIMEOUT_MS);
    return server;
  };
  try {
    return await bind(make(), port, bindAddress);
  } catch (error) {
    if (!isPortFlexible || !isInUse(error)) throw notStarted(options, error);
  }
  try {
    return await bind(make(), 0, bindAddress);
  } catch (error) {
    throw notStarted(options, error);
  }
}

function bind(server: Server, port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

function notStarted({ bindAddress, port }: ServerOptions, error: unknown): StreamError {
  const details = { address: `${bindAddress}:${port}`, problem: errorText(error) };
  return new StreamError("SERVER_NOT_STARTED", details, error);
}

/** Where the built page lies, seen from the sources and from the package. */
function ownPageDirectory(): string {
  const isBuilt = import.meta.url.endsWith(".js");
  return new URL(isBuilt ? "../dashboard" : "../../dist/dashboard", import.meta.url).pathname;
}
