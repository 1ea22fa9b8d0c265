import type { Server } from "node:http";

import { errorText, type Platform, StreamError } from "../base/index.ts";
import { bindServer, makeHttpServer, ownPageDirectory } from "./http/http-server.ts";
import { hostNamesOf } from "./http/request-guard.ts";

/** What the page shows, other than jobs of this process. */
export type PageSource =
  /** A file of checkpoint records. */
  | { readonly kind: "history"; readonly file: string }
  /** The REST of another server, passed on. */
  | { readonly kind: "rest"; readonly address: string };

export interface PageServerOptions {
  readonly platform: Platform;
  readonly port: number;
  readonly source: PageSource;
}

export interface PageServer {
  readonly address: string;
  close(): Promise<void>;
}

const BIND_ADDRESS = "127.0.0.1";

/**
 * Serves the page on this machine alone, in front of a saved history or of another server.
 *
 * @throws StreamError HISTORY_UNREADABLE if there is no such file; SERVER_NOT_STARTED.
 */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const { platform, source, port } = options;
  if (source.kind === "history") await checkReadable(source.file, platform);
  const { createPageApp } = await import("./http/create-page-app.ts");
  const app = createPageApp({
    source,
    guard: { token: undefined, hostNames: hostNamesOf(BIND_ADDRESS) },
    page: { files: platform.files, directory: ownPageDirectory(), isOwn: true },
  });
  let server: Server;
  try {
    server = await bindServer(await makeHttpServer(app), port, BIND_ADDRESS);
  } catch (error) {
    const details = { address: `${BIND_ADDRESS}:${port}`, problem: errorText(error) };
    throw new StreamError("SERVER_NOT_STARTED", details, error);
  }
  const bound = server.address();
  const boundPort = typeof bound === "object" && bound !== null ? bound.port : port;
  return {
    address: `http://${BIND_ADDRESS}:${boundPort}`,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function checkReadable(path: string, { files }: Platform): Promise<void> {
  const status = await files.status(path);
  if (status?.kind !== "file") throw new StreamError("HISTORY_UNREADABLE", { path });
}
