import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  type JobClient,
  type JobDefinition,
  runAsync,
  type RunSettings,
} from "../../src/api/index.ts";
import { LogMemory, nodePlatform, silentLogger } from "../../src/base/index.ts";
import { type RunningServer, startServer } from "../../src/server/index.ts";

/** A job that runs in this process behind a server of its own. */
export interface ServedTestJob {
  readonly client: JobClient;
  readonly server: RunningServer;
  readonly directory: string;
  /** Asks for JSON. */
  get(path: string): Promise<unknown>;
  /** Cancels the job and ends the server. */
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly settings?: Extract<RunSettings, Readonly<Record<string, unknown>>>;
  readonly bindAddress?: string;
  readonly token?: string;
  readonly pageDirectory?: string;
}

/** Starts a job in a directory of its own, and a server on a free port. */
export async function serveJob(
  job: JobDefinition,
  options: ServeOptions = {},
): Promise<ServedTestJob> {
  const directory = mkdtempSync(join(tmpdir(), "cutwater-rest-"));
  const platform = nodePlatform();
  const logMemory = new LogMemory(platform, silentLogger);
  const server = await startServer({
    platform,
    logMemory,
    version: "0.0.0",
    bindAddress: options.bindAddress ?? "127.0.0.1",
    port: 0,
    isPortFlexible: true,
    token: options.token,
    pageDirectory: options.pageDirectory,
  });
  const client = await runAsync(
    job,
    {
      "parallelism.default": 2,
      "execution.checkpointing.interval": "200 ms",
      "execution.checkpointing.dir": `${directory}/checkpoints`,
      "execution.checkpointing.savepoint-dir": `${directory}/savepoints`,
      "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
      "execution.checkpointing.tolerable-failed-checkpoints": 10,
      "restart-strategy.type": "fixed-delay",
      "restart-strategy.fixed-delay.attempts": 10,
      "restart-strategy.fixed-delay.delay": "10 ms",
      ...options.settings,
    },
    { log: logMemory, platform },
  );
  server.registry.add(client);
  return {
    client,
    server,
    directory,
    async get(path) {
      return (await fetch(`${server.address}${path}`)).json() as Promise<unknown>;
    },
    async close() {
      client.cancel();
      await client.result.catch(() => undefined);
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Waits until something is so; fails with its name after a minute. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
): Promise<T> {
  const deadlineMs = performance.now() + 60_000;
  while (performance.now() < deadlineMs) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come within a minute`);
}
