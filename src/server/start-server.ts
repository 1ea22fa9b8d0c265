import { isIP } from "node:net";
import type { Server } from "node:http";

import { checkServerAddress } from "../api/index.ts";
import { errorText, type LogMemory, type Platform, StreamError } from "../base/index.ts";
import { bindServer, makeHttpServer, ownPageDirectory } from "./http/http-server.ts";
import { hostNamesOf } from "./http/request-guard.ts";
import { JobRegistry } from "./job-registry.ts";
import { ProcessMetrics } from "./metrics/process-metrics.ts";
import { AsynchronousOperations } from "./operations/asynchronous-operations.ts";
import type { JobSubmission, ServerContext } from "./server-context.ts";

export interface ServerOptions {
  readonly platform: Platform;
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

/**
 * Starts a server.
 *
 * @throws StreamError SERVER_UNPROTECTED if others could reach it without a token; SERVER_NOT_STARTED if it cannot listen.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { platform, bindAddress, token } = options;
  checkServerAddress({ bindAddress, token });
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
      await context.operations.settle(SETTLING_MS);
      registry.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** How long the end waits for clients that are still to hear of an operation: longer than they wait between two questions. */
const SETTLING_MS = 3_000;

/** What this server has beyond Flink's. */
const EXTRAS = "events, findings, config, inspect, history";

async function listen(options: ServerOptions, context: ServerContext): Promise<Server> {
  const { createApp } = await import("./http/create-app.ts");
  const { bindAddress, token, port, isPortFlexible, pageDirectory } = options;
  const app = createApp(context, {
    guard: { token, hostNames: hostNamesOf(bindAddress) },
    page: {
      files: options.platform.files,
      directory: pageDirectory ?? ownPageDirectory(),
      isOwn: pageDirectory === undefined,
    },
  });
  try {
    return await bindServer(await makeHttpServer(app, EXTRAS), port, bindAddress);
  } catch (error) {
    if (!isPortFlexible || !isInUse(error)) throw notStarted(options, error);
  }
  try {
    return await bindServer(await makeHttpServer(app, EXTRAS), 0, bindAddress);
  } catch (error) {
    throw notStarted(options, error);
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

function notStarted({ bindAddress, port }: ServerOptions, error: unknown): StreamError {
  const details = { address: `${bindAddress}:${port}`, problem: errorText(error) };
  return new StreamError("SERVER_NOT_STARTED", details, error);
}
