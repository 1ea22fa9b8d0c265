import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join, normalize } from "node:path";

import { type Article, causeFact, type Report } from "../../../src/doctor/index.ts";
import { JOB_ID, TOTALS, TroubledJob } from "./troubled-job.ts";

type ReportFinding = Report["findings"][number];

/** A request that changes something, as it arrived. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export interface FakeFlinkOptions {
  /** The built page. */
  readonly pageFolder: string;
  /** True if it answers what only Cutwater answers. */
  readonly hasExtras: boolean;
  /** Text of `history.jsonl`. */
  readonly history?: string;
}

/** As strict as a policy can be: no inline code or style, nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** A server that answers Flink's REST paths for {@link TroubledJob}, and serves the page beside them. */
export class FakeFlinkServer {
  readonly calls: ReceivedCall[] = [];
  readonly job = new TroubledJob(Date.now());
  readonly #options: FakeFlinkOptions;
  readonly #sockets = new Set<Socket>();
  readonly #operations = new Map<string, number>();
  #server: Server | undefined;
  #port = 0;

  constructor(options: FakeFlinkOptions) {
    this.#options = options;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Starts listening; the second time on the port of the first. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#handle(request, response));
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Goes away as a process that ends: open connections break. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#options.hasExtras)
      response.setHeader("Cutwater-Extras", "events findings config inspect");
    const url = new URL(request.url ?? "/", this.address);
    const path = url.pathname.slice(1);
    const method = request.method ?? "GET";
    if (method !== "GET") {
      const text = await bodyOf(request);
      this.calls.push({
        method,
        path: `${path}${url.search}`,
        body: text === "" ? undefined : JSON.parse(text),
      });
      return send(response, 202, this.#accept(path));
    }
    if (this.#options.hasExtras && path === "cutwater/events") return sendEvents(response);
    const page = await this.#page(path);
    if (page !== undefined) return sendPage(response, page);
    const text = this.#text(path);
    if (text !== undefined) return sendText(response, text);
    const answer = this.#answer(path);
    if (answer === undefined) return send(response, 404, { errors: [`Not found: /${path}`] });
    send(response, 200, answer);
  }

  #accept(path: string): object {
    if (path.endsWith("/savepoints") || path.endsWith("/stop") || path.endsWith("/checkpoints")) {
      const requestId = String(this.#operations.size + 1).padStart(32, "0");
      this.#operations.set(requestId, 0);
      return { "request-id": requestId };
    }
    return {};
  }

  #answer(path: string): unknown {
    if (path === "overview") return OVERVIEW;
    if (path === "jobs/overview") return { jobs: [this.job.overviewLine()] };
    if (path === "jobmanager/config") return [{ key: "state.backend.type", value: "hashmap" }];
    if (path === "jobmanager/logs") return { logs: [{ name: "jobmanager.log", size: 1_204 }] };
    if (this.#options.hasExtras && path.startsWith("cutwater/"))
      return EXTRAS[path.split("/")[1] ?? ""];
    const own = `jobs/${JOB_ID}`;
    if (!path.startsWith(own)) return undefined;
    const operation = /\/(?:savepoints|checkpoints)\/(\d{32})$/.exec(path)?.[1];
    return operation === undefined
      ? this.job.answer(path.slice(own.length))
      : this.#operation(operation);
  }

  /** In progress when it is asked for the first time. */
  #operation(requestId: string): unknown {
    const asked = this.#operations.get(requestId);
    if (asked === undefined) return undefined;
    this.#operations.set(requestId, asked + 1);
    if (asked === 0) return { status: { id: "IN_PROGRESS" }, operation: null };
    return {
      status: { id: "COMPLETED" },
      operation: { location: "file:/data/savepoints/savepoint-5f1d7a-12" },
    };
  }

  #text(path: string): string | undefined {
    if (path === "history.jsonl") return this.#options.history;
    if (path === "jobmanager/logs/jobmanager.log") return LOG;
    return undefined;
  }

  async #page(
    path: string,
  ): Promise<{ readonly type: string; readonly bytes: Buffer } | undefined> {
    const name = path === "" ? "index.html" : normalize(path);
    const type = TYPES[name.split(".").at(-1) ?? ""];
    if (type === undefined || name.includes("/")) return undefined;
    try {
      return { type, bytes: await readFile(join(this.#options.pageFolder, name)) };
    } catch {
      return undefined;
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response
    .writeHead(status, { "Content-Type": "application/json; charset=UTF-8" })
    .end(JSON.stringify(answer));
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8" }).end(text);
}

function sendPage(
  response: ServerResponse,
  page: { readonly type: string; readonly bytes: Buffer },
): void {
  response
    .writeHead(200, { "Content-Type": page.type, "Content-Security-Policy": POLICY })
    .end(page.bytes);
}

function sendEvents(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write("event: checkpoint\ndata: {}\n\n");
}

const OVERVIEW = {
  taskmanagers: 2,
  "slots-total": 4,
  "slots-available": 0,
  "jobs-running": 1,
  "flink-version": "2.3.0",
};

const LOG =
  "2026-11-30 21:00:00,000 INFO  CheckpointCoordinator - Triggering checkpoint 8 (type=CheckpointType{name='Checkpoint'}).\n";

/** The doctor's report; the server adds the article on each cause. */
const FINDINGS: Pick<
  Report,
  "verdict" | "symptoms" | "ruledOut" | "notAssessed" | "wouldSettle"
> & {
  readonly findings: readonly (ReportFinding & { readonly article: Article })[];
} = {
  verdict: "cause",
  findings: [
    {
      cause: "backpressure-data-skew",
      confidence: 0.95,
      category: "alignment",
      phase: "alignment",
      place: causeFact("backpressure-data-skew").place,
      article: {
        title: "One key has most of the records",
        why: "92 % of the records have one key. Subtask 1 of 4 is busy 99 %, its siblings are idle; the barrier waits behind the records of that key.",
        fix: "Split the hot key: add a salt, aggregate, then aggregate again. More parallelism does not help.",
      },
      subjects: { operator: "totals-per-customer", subtask: "1/4" },
      evidence: [
        {
          file: "jobmanager.log",
          line: 214,
          text: "Checkpoint 8 of job 5f1d7a84 expired before completing.",
        },
        {
          file: "backpressure.json",
          line: 1,
          text: "subtask 0 is 99 % busy, the others 3 %",
          zh: "子任务 0 繁忙度 99 %，其余 3 %",
        },
      ],
      remedies: [
        { key: "execution.checkpointing.unaligned.enabled", current: "false", proposed: "true" },
        { key: "execution.checkpointing.timeout", current: "10 s", proposed: null },
      ],
    },
    {
      cause: "disk-full",
      confidence: 0.9,
      category: "storage",
      phase: "async",
      place: causeFact("disk-full").place,
      article: {
        title: "The disk of the checkpoint directory is full",
        why: "The file system refused to write: No space left on device.",
        fix: "Make room, or let the directory lie elsewhere.",
      },
      subjects: { path: "/data/checkpoints" },
      evidence: [
        {
          file: "jobmanager.log",
          line: 311,
          text: "Failed to trigger or complete checkpoint 10 for job 5f1d7a84.",
        },
      ],
      remedies: [{ key: "execution.checkpointing.dir", current: null, proposed: null }],
    },
  ],
  symptoms: [],
  ruledOut: [{ cause: "checkpoint-timeout-large-state", because: "weak" }],
  notAssessed: [{ cause: "gc-pause", needs: ["gc"] }],
  wouldSettle: [],
};

/** What only Cutwater answers, as `dashboard/README.md` describes it. */
const EXTRAS: Readonly<Record<string, unknown>> = {
  findings: FINDINGS,
  config: {
    options: [
      {
        key: "execution.checkpointing.interval",
        value: "30 s",
        origin: "code",
        place: "orders.ts:12",
      },
      {
        key: "execution.checkpointing.timeout",
        value: "10 s",
        origin: "file",
        place: "cutwater.yaml:4",
      },
      {
        key: "execution.checkpointing.dir",
        value: "file:/data/checkpoints",
        origin: "command-line",
        place: "-D",
      },
      {
        key: "parallelism.default",
        value: "2",
        origin: "environment",
        place: "CUTWATER_PARALLELISM",
      },
      {
        key: "execution.checkpointing.mode",
        value: "EXACTLY_ONCE",
        origin: "default",
        place: null,
      },
    ],
  },
  inspect: {
    operators: [
      {
        operatorId: TOTALS,
        name: "totals-per-customer",
        uid: "totals",
        states: [
          {
            name: "total",
            kind: "value",
            type: "struct<count: long, sum: double>",
            entryCount: 48_200,
            sizeBytes: 12_300_000,
          },
        ],
      },
    ],
  },
};
