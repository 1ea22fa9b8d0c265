import { errorText, StreamError } from "../../base/index.ts";
import type { CliContext } from "../cli-context.ts";

/** Where `cutwater run` puts its server if nothing else is said. */
const DEFAULT_ADDRESS = "http://127.0.0.1:8081";

/** How long a server may take for an answer. */
const TIMEOUT_MS = 30_000;

/** How often an operation is asked for. */
const POLL_MS = 200;

/** Flags of every command that speaks to a server. */
export interface ConnectionFlags {
  readonly address?: string;
  readonly json: boolean;
}

/** A job as `/jobs/overview` has it. */
export interface JobLine {
  readonly jid: string;
  readonly name: string;
  readonly state: string;
  readonly "start-time": number;
  readonly duration: number;
}

/** Speaks Flink's REST with a server of ours, or a Flink. */
export class RestConnection {
  readonly address: string;
  readonly #token: string | undefined;
  readonly #timeoutMs: number;

  /** The address is that of the flag, or of `CUTWATER_ADDRESS`; the token that of `CUTWATER_TOKEN`. */
  constructor(
    flags: Pick<ConnectionFlags, "address">,
    { process }: CliContext,
    timeoutMs: number = TIMEOUT_MS,
  ) {
    this.#timeoutMs = timeoutMs;
    const given = flags.address ?? process.env["CUTWATER_ADDRESS"] ?? DEFAULT_ADDRESS;
    this.address = (given.includes("://") ? given : `http://${given}`).replace(/\/+$/, "");
    this.#token = process.env["CUTWATER_TOKEN"];
  }

  /** @throws StreamError SERVER_UNREACHABLE, SERVER_REFUSED. */
  async get(path: string): Promise<unknown> {
    return await this.send("GET", path);
  }

  /** @throws StreamError SERVER_UNREACHABLE, SERVER_REFUSED. */
  async send(
    method: "GET" | "POST" | "PATCH",
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const url = `${this.address}${path}`;
    let response: Response;
    let content: string;
    try {
      response = await fetch(url, {
        method,
        signal: AbortSignal.timeout(this.#timeoutMs),
        headers: {
          ...(this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      content = await response.text();
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new StreamError("SERVER_UNREACHABLE", {
        address: this.address,
        problem: errorText(cause) || "no connection",
      });
    }
    if (response.ok) return content === "" ? {} : (JSON.parse(content) as unknown);
    throw new StreamError("SERVER_REFUSED", {
      request: `${method} ${path}`,
      status: response.status,
      answer: refusalText(content),
    });
  }

  async jobs(): Promise<readonly JobLine[]> {
    const { jobs } = (await this.get("/jobs/overview")) as { readonly jobs: readonly JobLine[] };
    return jobs;
  }

  /**
   * The job that is meant: by its id, or the beginning of it, by its name, or the only one that runs.
   *
   * @throws StreamError JOB_NOT_CHOSEN naming what there is.
   */
  async job(named: string | undefined): Promise<JobLine> {
    const jobs = await this.jobs();
    const found =
      named === undefined
        ? jobs.filter(({ state }) => !isOver(state))
        : jobs.filter(({ jid, name }) => jid.startsWith(named) || name === named);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    throw new StreamError("JOB_NOT_CHOSEN", {
      named,
      jobs: jobs.map(({ jid, name, state }) => `${jid} ${name} (${state})`),
    });
  }

  /**
   * Begins an operation and waits for its end.
   *
   * @returns What it came to. @throws StreamError OPERATION_FAILED with its own failure, SERVER_REFUSED.
   */
  async operate(
    path: string,
    body: Readonly<Record<string, unknown>> | undefined,
    statusFolder: string,
    method: "POST" | "PATCH" = "POST",
  ): Promise<Readonly<Record<string, unknown>>> {
    const begun = (await this.send(method, path, body)) as { readonly "request-id": string };
    for (;;) {
      const { status, operation: outcome } = (await this.get(
        `${statusFolder}/${begun["request-id"]}`,
      )) as OperationStatus;
      if (status.id === "COMPLETED") {
        const failure = outcome?.["failure-cause"] ?? outcome?.["failureCause"];
        if (failure === undefined || failure === null) return outcome ?? {};
        const answer = (failure as { readonly "stack-trace"?: string })["stack-trace"];
        // The last part of the path says what was asked for: "stop", "savepoints".
        const operation = /[^/?]+(?=\?|$)/.exec(path)?.[0].replace(/s$/, "") ?? path;
        const cause = withoutFrames(answer ?? "no cause is told");
        throw new StreamError("OPERATION_FAILED", { operation, cause });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

interface OperationStatus {
  readonly status: { readonly id: "IN_PROGRESS" | "COMPLETED" };
  readonly operation?: Readonly<Record<string, unknown>>;
}

/** True for a state from which a job does not come back. */
export function isOver(state: string): boolean {
  return ["FINISHED", "FAILED", "CANCELED", "SUSPENDED"].includes(state);
}

function refusalText(content: string): string {
  try {
    const { errors } = JSON.parse(content) as { readonly errors?: readonly string[] };
    if (errors !== undefined) return withoutFrames(errors.join(" "));
  } catch {
    // No JSON: shown as it is.
  }
  return content.slice(0, 500);
}

/** Messages and causes of a stack, without the places. */
function withoutFrames(stack: string): string {
  return stack
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s+at |^\s+\.\.\. \d+ more/.test(line))
    .join("\n")
    .replace(/^StreamError: /, "");
}
