import { type JobClient, SERVER_OPTIONS } from "../../api/index.ts";
import { type LogMemory, type Platform, resolveOptions } from "../../base/index.ts";
import type { RunningServer } from "../../server/index.ts";
import { packageVersion } from "../package-version.ts";

/** A job that is over sooner needs no server. */
const START_DELAY_MS = 200;

export interface RunServerParameters {
  readonly platform: Platform;
  readonly log: LogMemory;
  /** Told where the server is, or why there is none. */
  readonly tell: (text: string) => void;
}

/** The server of `cutwater run`: it comes up a moment after the job, so that a short job starts as quickly as without. */
export class RunServer {
  readonly #p: RunServerParameters;
  #cancelStart: (() => void) | undefined;
  #address: string | undefined;
  #starting: Promise<RunningServer | undefined> | undefined;

  constructor(parameters: RunServerParameters) {
    this.#p = parameters;
  }

  /** Serves the job soon, unless its settings want no server. */
  start(client: JobClient): void {
    const { values } = resolveOptions(SERVER_OPTIONS, client.configuration);
    if (values.port === -1) return;
    this.#cancelStart = this.#p.platform.after(START_DELAY_MS, () => {
      this.#starting = this.#start(client);
    });
  }

  /** Undefined before it listens. */
  get address(): string | undefined {
    return this.#address;
  }

  async close(): Promise<void> {
    this.#cancelStart?.();
    await (await this.#starting)?.close();
  }

  async #start(client: JobClient): Promise<RunningServer | undefined> {
    const { platform, log, tell } = this.#p;
    const { values, origins } = resolveOptions(SERVER_OPTIONS, client.configuration);
    try {
      const { startServer } = await import("../../server/index.ts");
      const server = await startServer({
        platform,
        logMemory: log,
        version: await packageVersion(),
        bindAddress: values.bindAddress,
        port: values.port,
        isPortFlexible: origins.port === "initial",
        token: values.token,
        pageDirectory: values.pageDirectory,
      });
      server.registry.add(client);
      this.#address = server.address;
      tell(`${client.jobName}: page and REST at ${server.address}`);
      return server;
    } catch (error) {
      log.log("WARN", "The page is not there; the job goes on without it.", { error });
      return undefined;
    }
  }
}
