import type { Context } from "hono";

import { RestError } from "../http/rest-error.ts";
import type { JobChange } from "../job-registry.ts";
import type { ServerContext } from "../server-context.ts";

/** Changes are told together, at most so often. */
const GATHER_MS = 100;

/** Time after which a line without meaning shows that the connection lives. */
const HEARTBEAT_MS = 15_000;

/** Open streams of one server. */
const MAX_STREAMS = 500;

/** How many are open, by server. */
const openStreams = new WeakMap<ServerContext, number>();

/**
 * Server-sent events: `job` and `checkpoint` with the id of the job that has changed. They say that something changed; what it is now is
 * asked for.
 *
 * @remarks
 * A client that reads slowly gets fewer events, never more memory: nothing is queued but one event of each kind and job.
 */
export function eventStream(c: Context, context: ServerContext): Response {
  const count = openStreams.get(context) ?? 0;
  if (count >= MAX_STREAMS) throw new RestError(503, "Too many event streams are open.");
  openStreams.set(context, count + 1);
  const stream = new EventStream(context, () =>
    openStreams.set(context, (openStreams.get(context) ?? 1) - 1),
  );
  c.req.raw.signal.addEventListener("abort", () => stream.close());
  return c.body(stream.readable, 200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
  });
}

class EventStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #context: ServerContext;
  readonly #onClosed: () => void;
  readonly #encoder = new TextEncoder();
  readonly #pending = new Map<string, JobChange>();
  readonly #stopListening: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #cancelGather: (() => void) | undefined;
  #cancelHeartbeat: (() => void) | undefined;
  #isClosed = false;

  constructor(context: ServerContext, onClosed: () => void) {
    this.#context = context;
    this.#onClosed = onClosed;
    this.readable = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        controller.enqueue(this.#encoder.encode("event: open\ndata: {}\n\n"));
      },
      // Asked for once the client has taken what was sent.
      pull: () => this.#send(),
      cancel: () => this.close(),
    });
    this.#stopListening = context.registry.listen((change) => this.#note(change));
    this.#beat();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    this.#cancelGather?.();
    this.#cancelHeartbeat?.();
    this.#pending.clear();
    try {
      this.#controller?.close();
    } catch {
      // The client has closed it.
    }
    this.#onClosed();
  }

  #note(change: JobChange): void {
    this.#pending.set(`${change.kind}/${change.jobId}`, change);
    this.#cancelGather ??= this.#context.platform.after(GATHER_MS, () => {
      this.#cancelGather = undefined;
      this.#send();
    });
  }

  #send(): void {
    if (this.#isClosed || this.#pending.size === 0) return;
    if ((this.#controller?.desiredSize ?? 0) <= 0 || this.#cancelGather !== undefined) return;
    const text = [...this.#pending.values()]
      .map(({ kind, jobId }) => `event: ${kind}\ndata: ${JSON.stringify({ jobId })}\n\n`)
      .join("");
    this.#pending.clear();
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#context.platform.after(HEARTBEAT_MS, () => {
      if ((this.#controller?.desiredSize ?? 0) > 0) {
        this.#controller?.enqueue(this.#encoder.encode(": alive\n\n"));
      }
      this.#beat();
    });
  }
}
